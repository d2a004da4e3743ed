// A gate asked about a project or a part of it: by its rules, with what they need to know.
import { and, eq, inArray, sql } from 'drizzle-orm';
import { invalid, notFoundAt, Problem } from '../../errors.ts';
import { etagOf } from '../../model/etag.ts';
import { flakinessOf } from '../../quality/runs/flaky.ts';
import { newestCounting, readWindow } from '../../quality/runs/window.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import { listBaselines } from '../../requirements/projects/baselines.ts';
import { type GateRules, gateFields } from '../../requirements/projects/gates.ts';
import type { Db } from '../../store/database.ts';
import { issues, URGENT } from '../../store/tables/evidence.ts';
import { testRuns } from '../../store/tables/quality.ts';
import type { Assurance } from '../assurance.ts';
import { summaryOf } from '../coverage/coverage.ts';
import { type Scope, type ScopeFilters, scopeOf } from '../coverage/scope.ts';
import { assuranceFindings } from '../overlay/findings.ts';
import { readNewestResults } from '../results/judged-results.ts';
import type { AssuranceState } from '../state/state.ts';
import type { GateAnswer, GateCounts, Reason } from './model.ts';
import { countedStories, failuresOf, type GateFacts, reasonsOf } from './rules.ts';

export interface GateQuery extends ScopeFilters, GateRules {
  gate?: string | undefined;
  baseline?: string | undefined;
}

interface WrittenAnswer {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

/** Answers of a state by what else they depend on. */
const answers = new WeakMap<AssuranceState, Map<string, WrittenAnswer>>();
const MAX_ANSWERS = 20;

/**
 * The answer of a gate, as JSON.
 * @throws Problem `not_found` or `invalid` where nothing is what is asked about
 */
export async function readGate(
  assurance: Assurance,
  state: AssuranceState,
  query: GateQuery,
): Promise<WrittenAnswer> {
  const { gate = 'default', storyId, kind, tag, root, baseline } = query;
  const { gates } = state.effective.settings;
  if (!Object.hasOwn(gates, gate)) throw notFoundAt('/gate', 'is no gate of this project');
  const filters = { storyId, kind, tag, root };
  requireKnown(state, filters);
  const scope = scopeOf(state, filters);
  const own = Object.entries(query).filter(([name]) => Object.hasOwn(gateFields, name));
  const rules: GateRules = { ...gates[gate], ...Object.fromEntries(own) };
  // What is of no story is not in the state's versions.
  const blockers = rules.failOn?.includes('blockers')
    ? await openBlockers(assurance.database.read, state.effective.projectId)
    : [];
  const since = await sinceWhen(assurance.database.read, state, rules.newFailuresSince);
  const key = JSON.stringify([gate, rules, filters, baseline, blockers]);
  const known = answers.get(state) ?? new Map<string, WrittenAnswer>();
  answers.set(state, known);
  const before = known.get(key);
  if (before !== undefined) return before;
  const facts = {
    blockers,
    ...(await readFacts(assurance, state, rules, { scope, since, baseline })),
  };
  const number = state.effective.revision?.number ?? 0;
  const reasons = reasonsOf(state, rules, facts, scope);
  const text = JSON.stringify({
    verdict: reasons.length === 0 ? 'passed' : 'failed',
    gate,
    revision: number,
    rules,
    reasons,
    counts: summaryOf(state, scope),
  } satisfies GateAnswer);
  const written = { bytes: new TextEncoder().encode(text), etag: etagOf(number, text) };
  if (known.size >= MAX_ANSWERS) known.clear();
  known.set(key, written);
  return written;
}

const STORIES = '/api/project-traceability';
/** What lists the reasons of a rule; those of statuses are the stories that have them. */
const LISTED_BY: Partial<Record<Reason['rule'], string>> = {
  no_stories: STORIES,
  no_results: '/api/test-runs',
  min_coverage: `${STORIES}?status=uncovered`,
  new_failures: `${STORIES}?view=gate`,
  flaky_tests: `${STORIES}?view=gate`,
  blockers: '/api/issues?severity=blocker&status=triaged,in_progress',
  audit_errors: '/api/srs-source-audit?severity=error',
  suspect_verdicts: `${STORIES}?view=gate`,
};

type RuleCounts = [rule: Reason['rule'], count: number][];
const counts = new WeakMap<AssuranceState, RuleCounts>();

/**
 * The default gate of a project: how many reasons of each rule keep it closed.
 * @param blockers - how many triaged blockers are open, which need not be read for that
 */
export async function countGate(
  assurance: Assurance,
  state: AssuranceState,
  blockers: number,
): Promise<GateCounts> {
  const gate = 'default';
  const { [gate]: rules = {} } = state.effective.settings.gates;
  const found = counts.get(state) ?? (await countReasons(assurance, state, rules));
  const hasStories = found.every(([rule]) => rule !== 'no_stories');
  const isBlocked = blockers > 0 && hasStories && rules.failOn?.includes('blockers');
  const reasons = isBlocked ? [...found, ['blockers', blockers] as const] : found;
  return {
    verdict: reasons.length === 0 ? 'passed' : 'failed',
    gate,
    rules,
    reasons: reasons.map(([rule, count]) => {
      return { rule, count, link: LISTED_BY[rule] ?? `${STORIES}?status=${rule}` };
    }),
  };
}

async function countReasons(
  assurance: Assurance,
  state: AssuranceState,
  rules: GateRules,
): Promise<RuleCounts> {
  let since: Awaited<ReturnType<typeof sinceWhen>>;
  try {
    since = await sinceWhen(assurance.database.read, state, rules.newFailuresSince);
  } catch (error) {
    // A rule that cannot be asked keeps it closed: the gate itself says why.
    if (error instanceof Problem) return [['new_failures', 1]];
    throw error;
  }
  const asked = { scope: undefined, since, baseline: undefined };
  const reasons = reasonsOf(state, rules, await readFacts(assurance, state, rules, asked));
  const byRule = Map.groupBy(reasons, ({ rule }) => rule);
  const counted: RuleCounts = [...byRule].map(([rule, { length }]) => [rule, length]);
  counts.set(state, counted);
  return counted;
}

/** A gate that asks about nothing would always be open. */
function requireKnown({ effective }: AssuranceState, { storyId, kind, tag }: ScopeFilters): void {
  if (!storyId && !kind && !tag) return;
  const stories = effective.index.graph.nodes.filter(isNormative);
  const ids = new Set(stories.map(({ id }) => id));
  const absent = storyId?.find((id) => !ids.has(id));
  if (absent !== undefined) throw notFoundAt('/storyId', `${absent} is no story of this project`);
  for (const one of kind ?? [])
    if (!stories.some((node) => node.kind === one)) throw invalid('/kind', `no story is a ${one}`);
  for (const one of tag ?? [])
    if (!stories.some(({ tags }) => tags.includes(one)))
      throw invalid('/tag', `no story has the tag "${one}"`);
}

async function openBlockers(db: Db, ofProject: string) {
  const { id, number, status, projectId, severity } = issues;
  return db
    .select({ id, number, status })
    .from(issues)
    .where(
      and(
        eq(projectId, ofProject),
        sql.raw(URGENT),
        eq(severity, 'blocker'),
        inArray(status, ['triaged', 'in_progress']),
      ),
    )
    .orderBy(number);
}

/** The runs that tell what failed then: those of a commit, or those until a baseline was made. */
async function sinceWhen(db: Db, { effective }: AssuranceState, since: string | undefined) {
  if (since === undefined) return undefined;
  const { projectId } = effective;
  const baseline = (await listBaselines(db, projectId)).find(({ name }) => name === since);
  if (baseline) return sql`u.created_at <= ${baseline.createdAt}`;
  const isOfCommit = and(
    eq(testRuns.projectId, projectId),
    eq(testRuns.commitId, since),
    eq(testRuns.counts, true),
  );
  if ((await db.$count(testRuns, isOfCommit)) > 0) return sql`u.commit_id = ${since}`;
  throw invalid('/newFailuresSince', `no baseline and no commit of a run is "${since}"`);
}

interface Asked {
  scope: Scope | undefined;
  since: Awaited<ReturnType<typeof sinceWhen>>;
  baseline: string | undefined;
}

async function readFacts(
  { graphs, database: { read } }: Assurance,
  state: AssuranceState,
  { failOn = [], maxFlakyRate }: GateRules,
  { scope, since, baseline }: Asked,
): Promise<GateFacts> {
  const facts: GateFacts = {};
  if (failOn.includes('audit_errors')) {
    const { revision } = state.effective;
    const found = revision ? await graphs.findings(revision) : [];
    // A baseline is its sources alone.
    const more = baseline === undefined ? await assuranceFindings(read, state) : [];
    facts.errors = [...found, ...more].filter(({ severity }) => severity === 'error');
  }
  if (since) {
    const targets = failuresOf(state, countedStories(state, scope)).map(({ target }) => target);
    facts.resultThen = await readNewestResults(read, state, targets, since);
  }
  if (maxFlakyRate !== undefined) facts.flakyRates = await readFlakyRates(read, state);
  return facts;
}

async function readFlakyRates(db: Db, { effective }: AssuranceState) {
  const { samples } = await readWindow(db, await newestCounting(db, effective.projectId, {}));
  return new Map(
    [...samples].map(([testSeq, own]) => {
      const { runs, withinRun, acrossRuns } = flakinessOf(own);
      return [testSeq, runs === 0 ? 0 : Math.min(1, (withinRun + acrossRuns) / runs)];
    }),
  );
}

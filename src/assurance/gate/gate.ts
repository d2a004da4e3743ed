// A gate asked about a project or a part of it: by its rules, with what they need to know.
import { and, eq, inArray, sql } from 'drizzle-orm';
import { invalid, notFoundAt } from '../../errors.ts';
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

/** What was made of a state for a gate, by what else it depends on. */
function createStateCache<T>() {
  const states = new WeakMap<AssuranceState, Map<string, T>>();
  return async (state: AssuranceState, key: string, make: () => Promise<T>): Promise<T> => {
    const known = states.get(state) ?? new Map<string, T>();
    states.set(state, known);
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = await make();
    if (known.size >= MAX_ANSWERS) known.clear();
    known.set(key, value);
    return value;
  };
}

const MAX_ANSWERS = 20;
const writtenOf = createStateCache<WrittenAnswer>();
const countedOf = createStateCache<GateCounts>();

/**
 * The answer of a gate, as JSON.
 * @throws Problem `not_found` or `invalid` where nothing is what is asked about
 */
export async function readGate(
  assurance: Assurance,
  state: AssuranceState,
  query: GateQuery,
): Promise<WrittenAnswer> {
  const { gate, rules, scope, key, reasons } = await askGate(assurance, state, query);
  return writtenOf(state, key, async () => {
    const revision = state.effective.revision?.number ?? 0;
    const found = await reasons();
    const verdict = found.length === 0 ? 'passed' : 'failed';
    const counts = summaryOf(state, scope);
    const answer: GateAnswer = { verdict, gate, revision, rules, reasons: found, counts };
    const text = JSON.stringify(answer);
    return { bytes: new TextEncoder().encode(text), etag: etagOf(revision, text) };
  });
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

/** The default gate of a project: how many reasons of each rule keep it closed. */
export async function countGate(assurance: Assurance, state: AssuranceState): Promise<GateCounts> {
  const { gate, rules, key, reasons } = await askGate(assurance, state, {});
  return countedOf(state, key, async () => {
    const byRule = Map.groupBy(await reasons(), ({ rule }) => rule);
    const counted = [...byRule].map(([rule, found]) => {
      // A blocker is a reason of each of its stories.
      const count =
        rule === 'blockers' ? new Set(found.map(({ link }) => link)).size : found.length;
      return { rule, count, link: LISTED_BY[rule] ?? `${STORIES}?status=${rule}` };
    });
    return { verdict: counted.length === 0 ? 'passed' : 'failed', gate, rules, reasons: counted };
  });
}

async function askGate(assurance: Assurance, state: AssuranceState, query: GateQuery) {
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
  const reasons = async () => {
    const facts = await readFacts(assurance, state, rules, { scope, since, baseline });
    return reasonsOf(state, rules, { blockers, ...facts }, scope);
  };
  return { gate, rules, scope, key, reasons };
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
  const { samples } = await readWindow(db, newestCounting(effective.projectId, {}));
  return new Map(
    [...samples].map(([testSeq, own]) => {
      const { runs, withinRun, acrossRuns } = flakinessOf(own);
      return [testSeq, runs === 0 ? 0 : Math.min(1, (withinRun + acrossRuns) / runs)];
    }),
  );
}

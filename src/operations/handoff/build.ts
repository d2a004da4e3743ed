// The handoff of a project, as one caller gets it.
import {
  ACCESS,
  accessRow,
  actingCapability,
  CAPABILITIES,
  type Operation,
  PREFIXES,
} from '../../access/access.ts';
import { type Caller, insufficientScope, READ_ONLY } from '../../access/caller.ts';
import type { Agents } from '../../agents/agents.ts';
import { priorityLevel } from '../../agents/plan/score.ts';
import { MAX_LEASE_MS } from '../../agents/suites/leases.ts';
import { type StoryCoverage, WORST_FIRST } from '../../assurance/coverage/model.ts';
import { type Gap, gapSteps, gapsOf, listGaps } from '../../assurance/coverage/story-coverage.ts';
import { countAudit } from '../../assurance/overlay/findings.ts';
import type { AssuranceState } from '../../assurance/state/state.ts';
import { MAX_PAGE_SIZE, PAGE_DEFAULT } from '../../model/pages.ts';
import { shownBy } from '../../quality/lists.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import { sourcesOf } from '../../requirements/projects/revisions.ts';
import { readSettings } from '../../requirements/projects/settings.ts';
import { runInSlices, type Steps } from '../../runtime/scheduler.ts';
import { VERSION } from '../../version.ts';
import { nextActions } from './actions.ts';
import { CONVENTIONS, WORKFLOWS } from './guide.ts';
import { type Handoff, HandoffScenario } from './model.ts';
import { readCommands, readIssues, readPlans, readRuns } from './records.ts';

export const SCHEMA_VERSION = 3;
const OPENAPI = '/openapi.json';
const MAX_STORIES = 20;
const MAX_COMMANDS = 100;
const MAX_SCENARIOS = 50;
/** How many stories are looked at in a step. */
const STEP = 64;

export async function buildHandoff(agents: Agents, caller: Caller, now: number): Promise<Handoff> {
  const db = agents.database.read;
  const { projectId } = caller;
  const state = await agents.states.of(projectId);
  await state.coverage().ready();
  await runInSlices(gapSteps(state));
  const { revision, edits, additions } = state.effective;
  const stored = await getProject(db, projectId);
  const sources = revision ? await sourcesOf(db, revision) : [];
  const commands = await readCommands(db, projectId, now);
  const runs = await readRuns(db, projectId);
  const plans = await readPlans(db, projectId);
  const issues = await readIssues(db, projectId);
  const { inEffect } = await agents.scenarios.of(projectId);
  const scenarios = inEffect.filter((one) => one.state !== 'archived');
  const inNeed = await runInSlices(storiesInNeed(state));

  const { id, slug, name, description } = stored;
  const failed = sources.filter(({ status }) => status === 'failed').map(({ path }) => path);
  const project = {
    id,
    slug,
    name,
    description,
    settings: readSettings(stored.settings),
    revision: stored.revision,
    sources: { total: sources.length, failed },
    audit: await countAudit(db, state),
  };
  const counts = {
    ...countStories(state),
    issues: issues.counts,
    overlays: {
      proposed: [...edits, ...additions].filter((one) => one.state === 'proposed').length,
      conflicted: edits.filter((edit) => edit.state === 'conflicted').length,
    },
    commands: commands.length,
    scenarios: scenarios.length,
    routes: await countRoutes(agents, projectId),
    runs: runs.total,
  };
  const { blockers, reported, untriaged } = issues;
  const situation = { state, project, counts, plans, reported, commands, inNeed, untriaged };
  return {
    schemaVersion: SCHEMA_VERSION,
    service: {
      name: 'pqrs',
      version: VERSION,
      prefixes: [...PREFIXES],
      openapi: OPENAPI,
      docs: '/docs',
      schema: `${OPENAPI}#/components/schemas/Handoff`,
    },
    caller: {
      tokenId: caller.tokenId,
      label: caller.label,
      capabilities: CAPABILITIES.filter((one) => caller.capabilities.has(one)),
      calls: callsOf(caller),
    },
    project,
    counts,
    stories: { total: inNeed.length, items: showStories(state, inNeed.slice(0, MAX_STORIES)) },
    commands: { total: commands.length, items: commands.slice(0, MAX_COMMANDS) },
    scenarios: {
      total: scenarios.length,
      items: scenarios.slice(0, MAX_SCENARIOS).map((one) => shownBy(HandoffScenario, one)),
    },
    plans,
    runs: runs.items,
    blockers,
    reported,
    nextActions: nextActions(situation, caller),
    workflows: WORKFLOWS.map(({ steps, ...workflow }) => ({
      ...workflow,
      steps: steps.map((step) => ({ ...step, missing: missingFor(caller, step) })),
    })),
    conventions: CONVENTIONS,
    limits: {
      ...agents.limits,
      pageDefault: PAGE_DEFAULT,
      pageMost: MAX_PAGE_SIZE,
      leaseMsMost: MAX_LEASE_MS,
    },
  };
}

function callsOf(caller: Caller): Handoff['caller']['calls'] {
  return ACCESS.flatMap((row) => {
    const capability = actingCapability(row, caller);
    if (!capability) return [];
    const { method, operationId, purpose } = row;
    const path = `/api${row.path.replace(/:(\w+)/g, '{$1}')}`;
    const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1');
    const schema = `${OPENAPI}#/paths/${pointer}/${method.toLowerCase()}`;
    return [{ method, path, operationId, purpose, capability, schema }];
  });
}

function missingFor(caller: Caller, { method, path }: { method: string; path: string }) {
  const row = accessRow(`${method} ${path.slice('/api'.length)}` as Operation);
  if (actingCapability(row, caller) !== undefined) return null;
  return insufficientScope(row, caller.readOnly ? READ_ONLY : undefined).message;
}

function countStories(
  state: AssuranceState,
): Pick<Handoff['counts'], 'stories' | 'statuses' | 'gaps'> {
  const { summary } = state.coverage();
  const statuses = Object.fromEntries(
    Object.entries(summary.statuses).map(([status, { count }]) => [status, count]),
  );
  return { stories: { ...summary.stories }, statuses, gaps: { ...listGaps(state).counts } };
}

async function countRoutes(
  agents: Agents,
  projectId: string,
): Promise<Handoff['counts']['routes']> {
  const { routes } = await agents.routeCatalogs.of(projectId);
  const counts = { total: routes.length, covered: 0, failing: 0, untested: 0 };
  for (const { status } of routes) counts[status] += 1;
  return counts;
}

const SETTLED: ReadonlySet<string> = new Set(['passing', 'validated', 'justified']);

/** Stories that are not settled: the worst status first, then by priority, open issues, source order. */
function* storiesInNeed(state: AssuranceState): Steps<StoryCoverage[]> {
  const rankOf = ({ storyId, status }: StoryCoverage) => {
    const priority = priorityLevel(state.effective.node(storyId)?.priority ?? null);
    const issues = state.issuesOf.get(storyId)?.length ?? 0;
    return WORST_FIRST.indexOf(status) * 1e10 - priority * 1e9 - issues;
  };
  // Many are alike, and few ranks are to sort.
  const ranks = new Map<number, StoryCoverage[]>();
  for (const [number, story] of state.coverage().stories.entries()) {
    if (number % STEP === 0) yield;
    if (SETTLED.has(story.status)) continue;
    const rank = rankOf(story);
    const alike = ranks.get(rank);
    if (alike) alike.push(story);
    else ranks.set(rank, [story]);
  }
  return [...ranks].sort(([a], [b]) => a - b).flatMap(([, alike]) => alike);
}

function showStories(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
): Handoff['stories']['items'] {
  return stories.map((story) => {
    const { storyId: id, kind, title, status, inherited } = story;
    const why = inherited
      ? [`What refines it is ${status}.`]
      : [...new Set(gapsOf(state, story).map(gapText))].slice(0, 5);
    const priority = state.effective.node(id)?.priority ?? null;
    const openIssues = state.issuesOf.get(id)?.length ?? 0;
    return { id, kind, title, priority, status, openIssues, why };
  });
}

function gapText({ gap, need, traceId, target }: Gap): string {
  const subject = need ?? (target ? `${target.kind} ${target.id}` : traceId);
  return subject === null ? gap : `${gap}: ${subject}`;
}

// Coverage of all stories: what each has of its own, then what it inherits, in one pass over nodes,
// links and edges, made as far as it is asked for; and its numbers.
import { shareOf } from '../../quality/runs/flaky.ts';
import { connectedSteps } from '../../requirements/graph/graph-index.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import { nextSlice, runAtOnce, runInSlices, type Steps } from '../../runtime/scheduler.ts';
import type { AssuranceState } from '../state/state.ts';
import {
  COVERAGE_STATUSES,
  type Coverage,
  type CoverageSummary,
  type CoveredNeed,
  type StoryCoverage,
  WORST_FIRST,
} from './model.ts';
import type { Scope } from './scope.ts';
import { coverStory, isPassed, NEEDS_WORST_FIRST, sharedNeeds } from './story-coverage.ts';
import { isCounted, tracesTo } from './story-links.ts';

const NONE: readonly number[] = [];
/** How many stories are looked at in a step. */
const STEP = 64;

type Covered = readonly (StoryCoverage | undefined)[];

export function coverStories(state: AssuranceState): Coverage {
  const { at, graph } = state.effective.index;
  const own = new Map<number, StoryCoverage | undefined>();
  let routes: ReadonlyMap<string, string[]> | undefined;
  let all: Covered | undefined;
  let stories: readonly StoryCoverage[] | undefined;
  let summary: CoverageSummary | undefined;
  let readying: Promise<void> | undefined;

  function cover(place: number): StoryCoverage | undefined {
    const node = graph.nodes[place];
    routes ??= routesByStory(state);
    return node && isCounted(node) ? coverStory(state, node, routes.get(node.id)) : undefined;
  }

  function ownAt(place: number): StoryCoverage | undefined {
    if (!own.has(place)) own.set(place, cover(place));
    return own.get(place);
  }

  function whole(): Covered {
    all ??= runAtOnce(makeAll());
    return all;
  }

  function* makeAll(): Steps<Covered> {
    const covered: (StoryCoverage | undefined)[] = [];
    for (const place of graph.nodes.keys()) {
      covered.push(own.get(place) ?? cover(place));
      if (place % STEP === 0) yield;
    }
    own.clear();
    return yield* inheritStatuses(state, covered);
  }

  async function makeReady(): Promise<void> {
    // Others have waited already while what it is made from was read.
    await nextSlice();
    all ??= await runInSlices(makeAll());
    stories ??= all.filter((story) => story !== undefined);
    summary ??= await runInSlices(summarize(state, stories));
  }

  return {
    ready() {
      readying ??= makeReady();
      return readying;
    },
    get stories() {
      stories ??= whole().filter((story) => story !== undefined);
      return stories;
    },
    get summary() {
      summary ??= runAtOnce(summarize(state, this.stories));
      return summary;
    },
    of(storyId) {
      const place = at.get(storyId);
      if (place === undefined) return undefined;
      if (all) return all[place];
      const story = ownAt(place);
      return story && refining(state, story, place).length > 0 ? whole()[place] : story;
    },
  };
}

function routesByStory({ routes }: AssuranceState): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { method, template, storyIds } of routes) {
    for (const storyId of new Set(storyIds)) {
      const list = found.get(storyId);
      if (list) list.push(`${method} ${template}`);
      else found.set(storyId, [`${method} ${template}`]);
    }
  }
  return found;
}

/** The places of what refines or derives from a story that has no links of its own. */
function refining({ effective }: AssuranceState, story: StoryCoverage, place: number): number[] {
  const { at, incoming } = effective.index;
  const places: number[] = [];
  if (story.traces.some(({ type }) => type === 'verifies')) return places;
  if (story.needs.some(({ reason }) => reason !== null)) return places;
  for (const { type, from } of incoming(place)) {
    const source = type === 'refines' || type === 'derives' ? at.get(from) : undefined;
    if (source !== undefined && source !== place) places.push(source);
  }
  return places;
}

/** The members of a ring that refine one another share the worst of those outside, if there are any. */
function* inheritStatuses(state: AssuranceState, covered: Covered): Steps<Covered> {
  const stories = [...covered];
  const below: (readonly number[])[] = [];
  for (const [place, story] of stories.entries()) {
    below.push(story ? refining(state, story, place).filter((source) => stories[source]) : NONE);
    if (place % STEP === 0) yield;
  }
  const ring = new Int32Array(stories.length);
  for (const [number, members] of (yield* connectedSteps(below)).entries()) {
    if (number % STEP === 0) yield;
    for (const member of members) ring[member] = number;
    const outside = members
      .flatMap((member) => below[member] ?? [])
      .filter((place) => ring[place] !== number);
    const sources = outside.flatMap((place) => stories[place] ?? []);
    const status = WORST_FIRST.find((one) => sources.some((source) => source.status === one));
    if (status === undefined) continue;
    for (const member of members) {
      const story = stories[member];
      if (!story) continue;
      const needs = sharedNeeds(story.needs.map((own, at) => inheritNeed(own, sources, at)));
      stories[member] = { ...story, status, needs, inherited: true };
    }
  }
  return stories;
}

function inheritNeed(
  { need }: CoveredNeed,
  sources: readonly StoryCoverage[],
  at: number,
): CoveredNeed {
  const states = new Set(sources.map(({ needs }) => needs[at]?.state));
  const state = NEEDS_WORST_FIRST.find((one) => states.has(one)) ?? 'justified';
  return { need, state, reason: null };
}

const summaries = new WeakMap<Scope, CoverageSummary>();

/** The figures of the stories of a scope. */
export function summaryOf(state: AssuranceState, scope: Scope | undefined): CoverageSummary {
  return runAtOnce(summarySteps(state, scope));
}

export function* summarySteps(
  state: AssuranceState,
  scope: Scope | undefined,
): Steps<CoverageSummary> {
  const { stories, summary } = state.coverage();
  if (!scope) return summary;
  const known = summaries.get(scope);
  if (known) return known;
  const left = stories.filter(({ storyId }) => scope(storyId));
  const made = yield* summarize(state, left, scope);
  summaries.set(scope, made);
  return made;
}

function* summarize(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
  scope: Scope = () => true,
): Steps<CoverageSummary> {
  const { index, settings } = state.effective;
  const total = stories.length;
  const inherited = stories.filter((story) => story.inherited);
  const isCovered = ({ needs }: StoryCoverage) => needs.every(({ state: met }) => met !== 'unmet');
  yield;
  const nodes = index.graph.nodes.filter(({ id }) => scope(id));
  const notCounted = nodes.filter(isNormative).length - total;
  const traces = yield* traceCounts(state, nodes, scope);
  const statuses = statusShares(stories, total);
  yield;
  const covered = shareOf(stories.filter(isCovered).length, total);
  const isValid = ({ validation }: StoryCoverage) => isPassed(validation);
  yield;
  return {
    stories: {
      total,
      own: total - inherited.length,
      inherited: inherited.length,
      notCounted,
    },
    statuses,
    inherited: statusShares(inherited, total),
    needs: settings.needs.map((need, at) => {
      const count = { met: 0, justified: 0, unmet: 0 };
      for (const { needs } of stories) count[needs[at]?.state ?? 'unmet'] += 1;
      return { need, ...count, covered: shareOf(count.met + count.justified, total) };
    }),
    covered,
    validated: shareOf(stories.filter(isValid).length, total),
    traces,
  };
}

function statusShares(
  stories: readonly StoryCoverage[],
  total: number,
): CoverageSummary['statuses'] {
  const counts = new Map<string, number>();
  for (const { status } of stories) counts.set(status, (counts.get(status) ?? 0) + 1);
  return Object.fromEntries(
    COVERAGE_STATUSES.map((status) => [status, shareOf(counts.get(status) ?? 0, total)]),
  ) as CoverageSummary['statuses'];
}

/** Counts the links as they are listed: those of nodes that are not counted, or gone, as well. */
function* traceCounts(
  state: AssuranceState,
  nodes: readonly GraphNode[],
  scope: Scope,
): Steps<CoverageSummary['traces']> {
  const counts = { valid: 0, suspect: 0, broken: 0 };
  const { at } = state.effective.index;
  const coverage = state.coverage();
  for (const [number, { id }] of nodes.entries()) {
    if (number % STEP === 0) yield;
    for (const trace of coverage.of(id)?.traces ?? tracesTo(state, id)) counts[trace.state] += 1;
  }
  for (const { storyId } of state.traces)
    if (!at.has(storyId) && scope(storyId)) counts.broken += 1;
  return { total: counts.valid + counts.suspect + counts.broken, ...counts };
}

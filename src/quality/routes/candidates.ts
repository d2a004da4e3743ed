// The route candidates of each project: what was seen of routes and is in no catalog, folded. Cached
// until something else was seen or the catalog has changed.
import { timestamp } from '../../clock.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import { runInSlices, type Steps } from '../../runtime/scheduler.ts';
import { compareTexts, createVersionCache, sortText } from '../lists.ts';
import type { Scenarios } from '../scenarios/scenarios.ts';
import type { RouteCatalogs } from './catalog.ts';
import { foldPaths, type Place } from './fold.ts';
import type { Matcher, Template } from './match.ts';
import type { Candidate } from './model.ts';
import { observeRows, observeTexts, rowVersion, type SeenRoute } from './observe.ts';

export type RouteCandidates = ReturnType<typeof openRouteCandidates>;

type Needed = Requirements & { scenarios: Scenarios; routeCatalogs: RouteCatalogs };

export function openRouteCandidates(needed: Needed) {
  const { database, effective, scenarios, routeCatalogs } = needed;
  const cache = createVersionCache<readonly Candidate[]>(database, ({ length }) => length + 1);
  return {
    /** The most observed first, then as `candidateSort` has them. */
    async of(projectId: string): Promise<readonly Candidate[]> {
      const rows = await rowVersion(database.read, projectId);
      const stored = await scenarios.of(projectId);
      const { matcher } = await routeCatalogs.routesOf(projectId);
      const graph = await effective.of(projectId);
      return cache.get(projectId, [rows, stored, matcher, graph], async () => {
        const seen = new Map<string, SeenRoute>();
        await observeRows(database.read, projectId, seen);
        await observeTexts(graph, stored, seen);
        const candidates = await runInSlices(candidateSteps([...seen.values()], matcher));
        const texts = new Map(candidates.map((one) => [one, candidateSort(one)]));
        const textOf = (one: Candidate) => texts.get(one) ?? '';
        return candidates.sort(
          (a, b) => b.observations - a.observations || compareTexts(textOf(a), textOf(b)),
        );
      });
    },
  };
}

export function candidateSort({ template, method }: Candidate): string {
  return sortText(template, method);
}

const STEP = 512;
const MAX_EXAMPLES = 5;
const MAX_STORIES = 100;

/** The candidates among what was seen, in no order; `matcher` is the catalog's. */
export function* candidateSteps<T extends Template>(
  seen: readonly SeenRoute[],
  matcher: Matcher<T>,
): Steps<Candidate[]> {
  const unknown: SeenRoute[] = [];
  for (const [at, one] of seen.entries()) {
    if (at % STEP === STEP - 1) yield;
    if (!matcher.match(one.method, one.path)) unknown.push(one);
  }
  const places = yield* foldPaths(new Set(unknown.map(({ path }) => path)), matcher);
  const groups = new Map<string, { place: Place; all: SeenRoute[] }>();
  for (const one of unknown) {
    const place = places.get(one.path) as Place;
    const key = `${one.method} ${place.template}`;
    const group = groups.get(key) ?? { place, all: [] };
    group.all.push(one);
    groups.set(key, group);
  }
  yield;
  return [...groups.values()].map(({ place, all }) => candidateOf(place, all));
}

function candidateOf({ template, params, certainty }: Place, all: SeenRoute[]): Candidate {
  const examples = all
    .sort((a, b) => a.firstAt - b.firstAt || compareTexts(a.path, b.path))
    .slice(0, MAX_EXAMPLES)
    .map(({ path }) => path);
  const origins = new Set(all.flatMap((one) => [...one.origins]));
  const storyIds = new Set(all.flatMap((one) => [...one.storyIds]));
  return {
    method: all[0]?.method ?? 'GET',
    template,
    examples,
    observations: all.reduce((sum, one) => sum + one.observations, 0),
    firstSeen: timestamp(all[0]?.firstAt ?? 0),
    lastSeen: timestamp(all.reduce((last, one) => Math.max(last, one.lastAt), 0)),
    origins: [...origins].sort(),
    confidence: Math.round(certainty * 100) / 100,
    params,
    storyIds: [...storyIds].sort().slice(0, MAX_STORIES),
    untrusted: all.some(({ untrusted }) => untrusted),
  };
}

// Route candidates: what was seen and is in no catalog, its paths folded into templates.
import { runAtOnce, type Steps } from '../scheduler.ts';
import { type FoundParam, foldPaths } from './fold-templates.ts';
import { compileMatcher, type Matcher, type Template } from './match.ts';
import { pathOf, segmentsOf } from './path.ts';
import type { ValueType } from './segment.ts';

export type Origin = 'issue' | 'log' | 'run' | 'scenario' | 'story';

export interface Observation {
  /** In any case; null where it is not known, which counts as GET. */
  method: string | null;
  /** A URL or a path, or the template of one. */
  url: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** When for the last time, where it was seen more than once. */
  lastAt?: number;
  origin: Origin;
  /** How often; once unless it says more. */
  count?: number;
  storyIds?: readonly string[];
  /** Whether a web page said so. */
  untrusted?: boolean;
}

/** How often a route was seen and, in milliseconds since the epoch, when. */
export interface Counts {
  observations: number;
  firstSeen: number;
  lastSeen: number;
}

export interface RouteCandidate extends Counts {
  method: string;
  template: string;
  /** Paths that were seen, the oldest first, a few of them. */
  examples: string[];
  origins: Origin[];
  /** From 0 to 1: how sure it is that this is one route, and just one. */
  confidence: number;
  params: { name: string; type: ValueType }[];
  storyIds: string[];
  /** Whether a web page is among those that said so. */
  untrusted: boolean;
}

export interface FoldedRoutes {
  /** By observations, the most first, then by template and method. */
  candidates: RouteCandidate[];
  /** For each observation the template that it went to. */
  templates: string[];
}

/**
 * Folds what was seen into templates: those of the catalog first, then by the form of values, then by
 * what varies. It takes time linear in the observations, and their order changes no candidate.
 *
 * @param catalog - of templates that match the same, the first holds
 */
export function foldRoutes<T extends Template>(
  observations: readonly Observation[],
  catalog: readonly T[],
): FoldedRoutes {
  return runAtOnce(foldSteps(observations, compileMatcher(catalog)));
}

const STEP = 512;

/**
 * The same in steps.
 *
 * @param matcher - of the catalog
 */
export function* foldSteps<T extends Template>(
  observations: readonly Observation[],
  matcher: Matcher<T>,
): Steps<FoldedRoutes> {
  const routes: (T | null)[] = [];
  const paths: string[] = [];
  const counts = new Map<string, number>();
  for (const [at, one] of observations.entries()) {
    if (at % STEP === STEP - 1) yield;
    const route = matcher.match(methodOf(one), one.url);
    const path = route ? '' : pathOf(segmentsOf(one.url));
    routes.push(route);
    paths.push(path);
    if (!route) counts.set(path, (counts.get(path) ?? 0) + (one.count ?? 1));
  }
  const places = yield* foldPaths(counts, matcher);
  const groups = new Map<string, Group>();
  const templates: string[] = [];
  for (const [at, one] of observations.entries()) {
    if (at % STEP === STEP - 1) yield;
    templates.push(placed(one, routes[at] ?? null, paths[at] ?? ''));
  }
  const candidates: RouteCandidate[] = [];
  for (const group of groups.values()) {
    if (candidates.length % STEP === STEP - 1) yield;
    candidates.push(candidateOf(group));
  }
  return {
    candidates: candidates.sort(byObservations),
    templates,
  };

  /** Adds an observation to its candidate, and gives the template that it goes to. */
  function placed(one: Observation, route: T | null, path: string): string {
    if (route) return route.template;
    const { template, params } = places.get(path) ?? { template: path, params: [] };
    const method = methodOf(one);
    const group = groups.get(`${method} ${template}`) ?? newGroup(method, template, params);
    groups.set(`${method} ${template}`, group);
    addTo(group, path, one);
    return template;
  }
}

function methodOf({ method }: Observation): string {
  return (method ?? 'GET').toUpperCase();
}

interface Group {
  method: string;
  template: string;
  params: readonly FoundParam[];
  seen: Counts | undefined;
  origins: Set<Origin>;
  storyIds: Set<string>;
  untrusted: boolean;
  /** When each path was first seen. */
  paths: Map<string, number>;
}

function newGroup(method: string, template: string, params: readonly FoundParam[]): Group {
  const empty = { seen: undefined, origins: new Set<Origin>(), storyIds: new Set<string>() };
  return { method, template, params, ...empty, untrusted: false, paths: new Map() };
}

function addTo(group: Group, path: string, one: Observation): void {
  group.seen = withOne(group.seen, one);
  group.origins.add(one.origin);
  group.untrusted ||= one.untrusted === true;
  for (const id of one.storyIds ?? []) group.storyIds.add(id);
  group.paths.set(path, Math.min(group.paths.get(path) ?? one.at, one.at));
}

function withOne(before: Counts | undefined, one: Observation): Counts {
  const { at, lastAt = at, count = 1 } = one;
  return {
    observations: (before?.observations ?? 0) + count,
    firstSeen: Math.min(before?.firstSeen ?? at, at),
    lastSeen: Math.max(before?.lastSeen ?? lastAt, lastAt),
  };
}

function candidateOf(group: Group): RouteCandidate {
  const { method, template, params, origins, storyIds, paths } = group;
  const seen = group.seen ?? { observations: 0, firstSeen: 0, lastSeen: 0 };
  const sure = params.reduce((least, { certainty }) => Math.min(least, certainty), 1);
  const often = (seen.observations + 1) / (seen.observations + 2);
  return {
    method,
    template,
    examples: oldest(paths),
    ...seen,
    origins: [...origins].sort(),
    confidence: Math.round(sure * often * 100) / 100,
    params: params.map(({ name, type }) => ({ name, type })),
    storyIds: [...storyIds].sort(),
    untrusted: group.untrusted,
  };
}

const MAX_EXAMPLES = 5;

function oldest(paths: ReadonlyMap<string, number>): string[] {
  const first: [path: string, at: number][] = [];
  for (const one of paths) {
    first.push(one);
    first.sort((a, b) => a[1] - b[1] || compare(a[0], b[0]));
    if (first.length > MAX_EXAMPLES) first.pop();
  }
  return first.map(([path]) => path);
}

function byObservations(a: RouteCandidate, b: RouteCandidate): number {
  return (
    b.observations - a.observations ||
    compare(a.template, b.template) ||
    compare(a.method, b.method)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

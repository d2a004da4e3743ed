// The route candidates of each project: what was seen of routes, in rows and in texts, folded. Cached
// until something else was seen or the catalog has changed.
import { type Effective, evictOldest } from '../../requirements/graph/effective.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import { compareTexts, sortText } from '../keyed-page.ts';
import { routesInSteps } from '../scenarios/rows.ts';
import type { ProjectScenarios, Scenarios } from '../scenarios/scenarios.ts';
import { runInSlices, yieldToEventLoop } from '../scheduler.ts';
import { MAX_ROWS } from './candidate-model.ts';
import type { RouteCatalogs } from './catalogs.ts';
import { foldSteps, type RouteCandidate } from './fold.ts';
import { createObservations, type Observations } from './observations.ts';
import { observeIssues, observeLogs, observeRuns, rowVersion } from './observed-rows.ts';
import { routesNamedIn } from './route-text.ts';

export interface CandidateList {
  items: readonly RouteCandidate[];
  /** What each is sorted by among those that were observed as often. */
  texts: readonly string[];
}

export interface RouteCandidates {
  of(projectId: string): Promise<CandidateList>;
}

type Needed = Requirements & { scenarios: Scenarios; routeCatalogs: RouteCatalogs };

const BATCH_SIZE = 200;

export function openRouteCandidates(needed: Needed): RouteCandidates {
  const { database, effective, scenarios, routeCatalogs } = needed;
  const cache = new Map<string, { key: unknown[]; list: Promise<CandidateList>; size: number }>();
  database.onRecovered(() => cache.clear());

  async function partsOf(projectId: string) {
    return {
      rows: await rowVersion(database.read, projectId),
      scenarios: await scenarios.of(projectId),
      catalog: await routeCatalogs.routesOf(projectId),
      effective: await effective.of(projectId),
    };
  }

  async function find(
    projectId: string,
    { scenarios, catalog, effective }: Awaited<ReturnType<typeof partsOf>>,
  ): Promise<CandidateList> {
    const all = await Promise.all([
      observed((some) => observeIssues(database.read, projectId, some)),
      observed((some) => observeLogs(database.read, projectId, some)),
      observed((some) => observeRuns(database.read, projectId, some)),
      observed((some) => observeStories(effective, some)),
      observed((some) => observeScenarios(scenarios, some)),
    ]);
    const { candidates } = await runInSlices(foldSteps(all.flat(), catalog.matcher));
    const sorted = candidates
      .map((item) => ({ item, text: sortText(item.template, item.method) }))
      .sort((a, b) => b.item.observations - a.item.observations || compareTexts(a.text, b.text));
    return { items: sorted.map(({ item }) => item), texts: sorted.map(({ text }) => text) };
  }

  return {
    async of(projectId) {
      for (;;) {
        const parts = await partsOf(projectId);
        const key = Object.values(parts);
        const cached = cache.get(projectId);
        if (cached?.key.every((one, at) => one === key[at])) return cached.list;
        if (cached && cached.size === 0) {
          // One at a time: what is under way is waited for, and may be what is asked for then.
          await cached.list.catch(() => {});
          continue;
        }
        const list = find(projectId, parts);
        const made = { key, list, size: 0 };
        cache.delete(projectId);
        cache.set(projectId, made);
        list.then(
          ({ items }) => {
            made.size = items.length + 1;
            evictOldest(cache, ({ size }) => size);
          },
          () => cache.delete(projectId),
        );
        return list;
      }
    },
  };
}

async function observed(observe: (observations: Observations) => Promise<void>) {
  const observations = createObservations();
  await observe(observations);
  return observations.list();
}

async function observeStories(
  { index, revision, edits, additions }: Effective,
  observations: Observations,
): Promise<void> {
  const times = [...edits, ...additions].map(({ updatedAt }) => updatedAt);
  const at = times.reduce((newest, one) => Math.max(newest, one), revision?.createdAt ?? 0);
  for (const [place, node] of index.graph.nodes.filter(isNormative).slice(0, MAX_ROWS).entries()) {
    if (place % BATCH_SIZE === BATCH_SIZE - 1) await yieldToEventLoop();
    for (const text of [node.title, node.statement, ...node.acceptance]) {
      for (const route of routesNamedIn(text))
        observations.add('story', { ...route, at, storyIds: [node.id] });
    }
  }
}

async function observeScenarios(
  { inEffect }: ProjectScenarios,
  observations: Observations,
): Promise<void> {
  for (const [place, scenario] of inEffect.slice(-MAX_ROWS).entries()) {
    if (place % BATCH_SIZE === BATCH_SIZE - 1) await yieldToEventLoop();
    if (scenario.state !== 'active') continue;
    const { updatedAt: at, storyIds } = scenario;
    for (const route of routesInSteps(scenario))
      observations.add('scenario', { ...route, at, storyIds });
  }
}

// Scenarios as they stand in their table and in the sources.
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { SourceScenario } from '../../requirements/sources/model.ts';
import { derivedId } from '../../store/ids.ts';
import type { ScenarioRow } from '../../store/tables/quality.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { type NamedRoute, routeOfTag, routesNamedIn } from '../routes/route-text.ts';
import type { Steps } from '../scheduler.ts';
import { type Scenario, type ScenarioState, scenarioFingerprint } from './model.ts';

/** Steps of scenarios that are looked at in one go, and what a scenario counts beside its own. */
export const STEP_BATCH = 2000;
export const SCENARIO_STEPS = 10;

export function storedScenario(row: ScenarioRow): Scenario {
  return {
    id: row.id,
    key: row.key,
    feature: row.feature,
    title: row.title,
    steps: row.steps,
    examples: row.examples,
    storyIds: row.storyIds,
    routes: row.routes,
    tags: row.tags,
    state: row.state as ScenarioState,
    origin: 'stored',
    source: null,
    fingerprint: row.fingerprint,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** The scenarios of a revision's sources, in their order; their ids follow from their keys. */
export function* sourceScenarios(
  projectId: string,
  { scenarios: found }: Catalog,
  { number, createdAt }: Pick<RevisionRow, 'number' | 'createdAt'>,
): Steps<Scenario[]> {
  const all: Scenario[] = [];
  let left = STEP_BATCH;
  for (const scenario of found) {
    left -= SCENARIO_STEPS + scenario.steps.length;
    if (left < 0) {
      yield;
      left = STEP_BATCH;
    }
    all.push({
      ...sourceContent(scenario),
      id: derivedId('scn', projectId, scenario.key),
      key: scenario.key,
      state: 'active',
      origin: 'source',
      source: { path: scenario.path, line: scenario.line },
      fingerprint: scenarioFingerprint(scenario),
      author: null,
      version: number,
      createdAt,
      updatedAt: createdAt,
    });
  }
  return all;
}

export function sourceContent({ feature, title, steps, examples, tags, storyIds }: SourceScenario) {
  return {
    feature: feature === '' ? null : feature,
    title,
    steps,
    examples,
    storyIds,
    tags,
    routes: routesOfTags(tags),
  };
}

export function routesOfTags(tags: readonly string[]): string[] {
  return [...new Set(tags.flatMap((tag) => routeOfTag(tag) ?? []))];
}

const found = new WeakMap<Scenario, readonly NamedRoute[]>();
const NONE: readonly NamedRoute[] = [];

const MOST = 500;

/** The routes that a scenario's steps name, each as often as they do: `When I GET /orders/7`. */
export function routesInSteps(scenario: Scenario): readonly NamedRoute[] {
  const known = found.get(scenario);
  if (known) return known;
  const named: NamedRoute[] = [];
  for (const { keyword, text } of scenario.steps) {
    // Nearly no step has one.
    if (!text.includes('/')) continue;
    named.push(...routesNamedIn(`${keyword} ${text}`));
    if (named.length >= MOST) break;
  }
  const routes = named.length === 0 ? NONE : named.slice(0, MOST);
  found.set(scenario, routes);
  return routes;
}

// Scenarios as they stand in their table and in the sources.
import { timestamp } from '../../clock.ts';
import type { SourceScenario } from '../../requirements/sources/model.ts';
import { derivedId } from '../../store/ids.ts';
import type { ScenarioRow } from '../../store/tables/quality.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { type NamedRoute, routeOfTag, routesNamedIn } from '../routes/route-text.ts';
import { shownBy } from '../shown.ts';
import { Scenario, scenarioFingerprint } from './model.ts';

/** Steps of scenarios that are looked at in one go, and what a scenario counts beside its own. */
export const STEP_BATCH = 2000;
export const SCENARIO_STEPS = 10;

export function storedScenario(row: ScenarioRow): Scenario {
  return shownBy(Scenario, {
    ...row,
    origin: 'stored',
    source: null,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  });
}

/** A scenario of a revision's sources; its id follows from its key. */
export function sourceScenario(
  projectId: string,
  scenario: SourceScenario,
  { number, createdAt }: Pick<RevisionRow, 'number' | 'createdAt'>,
): Scenario {
  return shownBy(Scenario, {
    ...sourceContent(scenario),
    id: derivedId('scn', projectId, scenario.key),
    routes: routesOfTags(scenario.tags),
    state: 'active',
    origin: 'source',
    source: { path: scenario.path, line: scenario.line },
    fingerprint: scenarioFingerprint(scenario),
    author: null,
    version: number,
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(createdAt),
  });
}

export function sourceContent(scenario: SourceScenario) {
  const { key, feature, title, steps, examples, tags, storyIds } = scenario;
  return { key, feature: feature || null, title, steps, examples, tags, storyIds };
}

export function routesOfTags(tags: readonly string[]): string[] {
  return [...new Set(tags.flatMap((tag) => routeOfTag(tag) ?? []))];
}

const found = new WeakMap<Scenario, readonly NamedRoute[]>();
const MAX_ROUTES = 500;

/** The routes that a scenario's steps name, each as often as they do: `When I GET /orders/7`. */
export function routesInSteps(scenario: Scenario): readonly NamedRoute[] {
  const known = found.get(scenario);
  if (known) return known;
  const named: NamedRoute[] = [];
  for (const { keyword, text } of scenario.steps) {
    // Nearly no step has one.
    if (text.includes('/')) named.push(...routesNamedIn(`${keyword} ${text}`));
    if (named.length >= MAX_ROUTES) break;
  }
  found.set(scenario, named.slice(0, MAX_ROUTES));
  return named.slice(0, MAX_ROUTES);
}

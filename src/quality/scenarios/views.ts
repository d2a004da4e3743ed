// Scenarios as they are listed and shown.
import { timestamp } from '../../clock.ts';
import type { Scenario, ScenarioFilters } from './model.ts';

/** A scenario as it is shown. */
export function scenarioView({ createdAt, updatedAt, ...scenario }: Scenario) {
  const { id, key, feature, title, steps, examples, storyIds, routes, tags } = scenario;
  const { state, origin, source, fingerprint, author, version } = scenario;
  return {
    ...{ id, key, feature, title, steps, examples, storyIds, routes, tags },
    ...{ state, origin, source, fingerprint, author },
    ...{ createdAt: timestamp(createdAt), updatedAt: timestamp(updatedAt), version },
  };
}

/** Whether a scenario is one of those that are asked for. */
export function passesScenario(scenario: Scenario, filters: ScenarioFilters): boolean {
  const { state, origin, tags, storyIds, routes, feature, source } = filters;
  return (
    among(state, scenario.state) &&
    among(origin, scenario.origin) &&
    among(feature, scenario.feature) &&
    among(source, scenario.source?.path) &&
    shares(tags, scenario.tags) &&
    shares(storyIds, scenario.storyIds) &&
    shares(routes, scenario.routes)
  );
}

function among(wanted: readonly string[] | undefined, value: string | null | undefined): boolean {
  return wanted === undefined || (typeof value === 'string' && wanted.includes(value));
}

function shares(wanted: readonly string[] | undefined, values: readonly string[]): boolean {
  return wanted === undefined || wanted.some((one) => values.includes(one));
}

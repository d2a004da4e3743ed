// The routes that the steps of scenarios name, looked for once.
import { type NamedRoute, routesNamedIn } from './route-text.ts';
import type { Scenario } from './scenario-model.ts';

const found = new WeakMap<Scenario, readonly NamedRoute[]>();
const NONE: readonly NamedRoute[] = [];

/** The routes that a scenario's steps name: `When I GET /orders/7`. */
export function routesInSteps(scenario: Scenario): readonly NamedRoute[] {
  const known = found.get(scenario);
  if (known) return known;
  const named = scenario.steps.flatMap(({ keyword, text }) => routesNamedIn(`${keyword} ${text}`));
  const routes = named.length === 0 ? NONE : named;
  found.set(scenario, routes);
  return routes;
}

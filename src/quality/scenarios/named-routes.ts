// The routes that the steps of scenarios name, looked for once.
import { type NamedRoute, routesNamedIn } from '../routes/route-text.ts';
import type { Scenario } from './model.ts';

const found = new WeakMap<Scenario, readonly NamedRoute[]>();
const NONE: readonly NamedRoute[] = [];

/** More than people write of in one scenario. */
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

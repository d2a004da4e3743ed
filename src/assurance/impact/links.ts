// What verifies and serves the stories that a change reaches: links that turn suspect, scenarios,
// routes, and tests and commands to run again.

import { leadsNowhere } from '../coverage/link-state.ts';
import { standingOfTarget } from '../coverage/story-links.ts';
import type { TargetResult } from '../results/model.ts';
import { findTest } from '../results/model.ts';
import type { AssuranceState } from '../state/state.ts';
import type { Impact, Under } from './model.ts';

type Tests = Pick<Impact, 'testCommands' | 'testsToRerun' | 'estimateMs'>;
type Links = Pick<Impact, 'scenarios' | 'routes' | 'traces'> & Tests;

export function linksOf(state: AssuranceState, stories: Impact['stories'], after: Under): Links {
  const { tracesOf, effective, commands, tests, catalog } = state;
  const targets: Record<string, Set<string>> = {};
  for (const kind of ['test', 'command', 'scenario', 'route']) targets[kind] = new Set();
  const traces: Impact['traces'] = [];
  for (const { id: storyId, distance } of stories) {
    for (const row of tracesOf.get(storyId) ?? []) {
      // It is broken, and stays so.
      if (leadsNowhere(state, row)) continue;
      const { id, type, targetKind: kind, targetId, fingerprint } = row;
      const isValid = effective.under(storyId, fingerprint) === fingerprint;
      if (distance === 0 && isValid && after(storyId, fingerprint) !== fingerprint)
        traces.push({ id, becomes: 'suspect' });
      if (kind !== 'route' && type !== 'verifies') continue;
      // People may have named a command by its key.
      const own = kind === 'command' ? commands.find(targetId)?.id : undefined;
      targets[kind]?.add(testKey(kind, own ?? targetId));
    }
    for (const { linksOf: links } of [state.scenarios, commands, tests]) {
      for (const { target } of links.get(storyId) ?? [])
        targets[target.kind]?.add(testKey(target.kind, target.id));
    }
  }
  const reached = new Set(stories.map(({ id }) => id));
  const isReached = (id: string) => reached.has(id);
  for (const { key, storyIds } of catalog.scenarios) {
    if (storyIds.some(isReached)) targets.scenario?.add(key);
  }
  for (const { method, template, storyIds } of state.routes) {
    if (storyIds.some(isReached)) targets.route?.add(`${method} ${template}`);
  }
  return {
    scenarios: [...(targets.scenario ?? [])],
    routes: [...(targets.route ?? [])],
    traces,
    ...testsOf(state, targets),
  };

  function testKey(kind: string, id: string): string {
    return kind === 'test' ? (findTest(tests, id)?.key ?? id) : id;
  }
}

function testsOf(state: AssuranceState, targets: Record<string, Set<string>>): Tests {
  const testsToRerun: Impact['testsToRerun'] = [];
  const testCommands = new Set<string>();
  const times: number[] = [];
  for (const kind of ['test', 'command'] as const) {
    for (const id of targets[kind] ?? []) {
      const target = { kind, id };
      const result: TargetResult | undefined = state.results.of(target);
      if (standingOfTarget(state, target, result) === 'retired') continue;
      testsToRerun.push(target);
      const command = kind === 'command' ? state.commands.find(id)?.id : result?.commandId;
      if (command) testCommands.add(command);
      // What a command took holds what its tests took.
      const isWithin = kind === 'test' && command && targets.command?.has(command);
      if (result?.durationMs != null && !isWithin) times.push(result.durationMs);
    }
  }
  return {
    testCommands: [...testCommands],
    testsToRerun,
    estimateMs: times.length === 0 ? null : times.reduce((sum, one) => sum + one, 0),
  };
}

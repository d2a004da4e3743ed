// Which stories a run pins though neither its tests nor its command names them.
import { expect, test } from 'bun:test';
import { storedScenarios } from '../../src/assurance/coverage/declared.ts';
import { linkedStories } from '../../src/assurance/results/linked-stories.ts';
import type { TraceRow } from '../../src/store/tables/assurance.ts';
import { makeCommands } from './made-results.ts';

const trace = (storyId: string, to: string, type = 'verifies') => {
  const [targetKind = '', targetId = ''] = to.split(/ (.*)/);
  return { storyId, type, targetKind, targetId } as TraceRow;
};
const imported = {
  ...{ key: 'F / own', feature: 'F', title: 'own', steps: [], examples: [], tags: [] },
  ...{ storyIds: ['C'], path: 'a.feature', line: 1 },
};
const stored = {
  ...{ key: 'F / stored', feature: 'F', title: 'stored', fingerprint: 's1:x', tags: [] },
  storyIds: ['D'],
};
const catalog = { scenarios: [imported], routes: [] };

test('a test and a command have the stories that links and scenarios give them [PQRS-45]', () => {
  const { ofTest, ofCommand } = linkedStories(
    [
      trace('A', 'test t1:x'),
      trace('B', 'test t1:x'),
      trace('A', 'test t1:x'),
      trace('Z', 'test t1:x', 'implements'),
      trace('A', 'command unit'),
      trace('B', 'command cmd_1'),
      trace('B', 'command gone'),
      trace('E', 'scenario F / own'),
      trace('E', 'route GET /e'),
    ],
    storedScenarios([stored], catalog),
    makeCommands([{ id: 'cmd_1', key: 'unit' }]),
    new Map([
      ['F / own', ['t1:own', 't1:x']],
      ['F / stored', ['t1:stored']],
    ]),
  );
  const listed = (from: typeof ofTest) =>
    Object.fromEntries([...from].map(([key, ids]) => [key, [...ids]]));
  expect(listed(ofTest)).toEqual({
    't1:x': ['A', 'B', 'E', 'C'],
    't1:own': ['E', 'C'],
    't1:stored': ['D'],
  });
  expect(listed(ofCommand)).toEqual({ cmd_1: ['A', 'B'], gone: ['B'] });
});

// The impact of a change: what rests on it, which links and verdicts it touches.
import { describe, expect, test } from 'bun:test';
import { impactOf } from '../../src/assurance/impact.ts';
import { makeState } from './made-state.ts';

const LINKS: [string, string][] = [
  ['B', 'A'],
  ['C', 'B'],
  ['D', 'A'],
  ['D', 'C'],
];

describe('the impact of a change [PQRS-26]', () => {
  test('reaches what rests on it, each story once, at its least distance', () => {
    const state = makeState({ stories: ['A', 'B', 'C', 'D', 'E'], links: LINKS });
    expect(impactOf(state, ['A']).stories).toEqual([
      { id: 'A', distance: 0, via: null },
      { id: 'B', distance: 1, via: 'A' },
      { id: 'D', distance: 1, via: 'A' },
      { id: 'C', distance: 2, via: 'B' },
    ]);
    expect(impactOf(state, ['E']).stories.map(({ id }) => id)).toEqual(['E']);
    expect(impactOf(state, ['nothing'])).toEqual({
      ...{ stories: [], scenarios: [], testCommands: [], routes: [] },
      ...{ traces: [], validations: [], testsToRerun: [], estimateMs: null },
    });
  });

  test('goes round a cycle once', () => {
    const state = makeState({
      stories: ['A', 'B'],
      links: [
        ['A', 'B'],
        ['B', 'A'],
      ],
    });
    expect(impactOf(state, ['A']).stories.map(({ id }) => id)).toEqual(['A', 'B']);
  });

  test('makes links of the changed story alone suspect, those that are not so already', () => {
    const state = makeState({
      ...{ stories: ['A', 'B'], links: [['B', 'A']] },
      traces: [
        { id: 'own', storyId: 'A', kind: 'test', targetId: 't1:1' },
        { id: 'old', storyId: 'A', kind: 'test', targetId: 't1:2', stale: true },
        { id: 'below', storyId: 'B', kind: 'command', targetId: 'cmd_1' },
        { id: 'route', storyId: 'B', kind: 'route', targetId: 'GET /b', type: 'affects' },
      ],
    });
    const impact = impactOf(state, ['A']);
    expect(impact.traces).toEqual([{ id: 'own', becomes: 'suspect' }]);
    expect(impact.testsToRerun).toEqual([
      { kind: 'test', id: 't1:1' },
      { kind: 'test', id: 't1:2' },
      { kind: 'command', id: 'cmd_1' },
    ]);
    expect(impact.testCommands).toEqual(['cmd_1']);
    expect(impact.routes).toEqual(['GET /b']);
    expect(impactOf(state, ['A'], new Set(['A'])).traces).toEqual([
      { id: 'own', becomes: 'broken' },
    ]);
  });

  test('invalidates the verdict on the changed story, and puts those below in doubt', () => {
    const state = makeState({
      ...{ stories: ['A', 'B', 'C'], links: LINKS.slice(0, 2) },
      verdicts: [{ storyId: 'A' }, { storyId: 'B' }, { storyId: 'C', stale: true }],
    });
    expect(impactOf(state, ['A']).validations).toEqual([
      { storyId: 'A', becomes: 'invalidated' },
      { storyId: 'B', becomes: 'suspect' },
    ]);
    expect(impactOf(state, ['A'], new Set(['A'])).validations[0]?.becomes).toBe('orphaned');
  });

  test('names the scenarios of the sources, and sums what the tests took', () => {
    const state = makeState({
      ...{ stories: ['A', 'B'], links: [['B', 'A']] },
      scenarios: [
        { key: 'pay', storyIds: ['B'] },
        { key: 'other', storyIds: ['Z'] },
      ],
      traces: [
        { id: '1', storyId: 'A', kind: 'test', targetId: 't1:1' },
        { id: '2', storyId: 'B', kind: 'test', targetId: 't1:2' },
      ],
      durations: { 'test t1:1': 40, 'test t1:2': 2 },
    });
    const impact = impactOf(state, ['A']);
    expect(impact.scenarios).toEqual(['pay']);
    expect(impact.estimateMs).toBe(42);
  });
});

// Links of stories: their states, their order, the pages and gaps that are made of them.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type Gap,
  type GapKind,
  gapsOf,
  listGaps,
} from '../../src/assurance/coverage/story-coverage.ts';
import { traceStateOf } from '../../src/assurance/coverage/story-links.ts';
import type { AssuranceState } from '../../src/assurance/state/state.ts';
import { listTraces, type MadeCoverage, makeCovered } from './made-coverage.ts';
import type { MadeResult as Ran } from './made-results.ts';

const STATE = makeCovered({
  nodes: ['B', { id: 'P', kind: 'section' }, 'A', { id: 'R', status: 'rejected' }],
  commands: [{ id: 'cmd_1' }],
  scenarios: [{ key: 'F / s', storyIds: ['A', 'GONE'] }],
  traces: [
    { storyId: 'A', to: 'test t1:a' },
    { storyId: 'GONE', to: 'test t1:a' },
    { storyId: 'B', to: 'command cmd_1', old: true },
    { storyId: 'R', to: 'file src/r.ts', type: 'implements' },
    { storyId: 'P', to: 'file src/p.ts', type: 'implements' },
    { storyId: 'B', to: 'scenario gone' },
    { storyId: 'B', to: 'scenario F / s' },
  ],
});

function gapsIn(state: AssuranceState, id: string): Gap[] {
  const story = state.coverage().of(id);
  return story ? gapsOf(state, story) : [];
}

describe('the state of a link [PQRS-30]', () => {
  test('is broken where its story or its scenario is gone, suspect where the story changed', () => {
    expect(
      STATE.traces.map((row) => [row.storyId, row.targetId, traceStateOf(STATE, row)]),
    ).toEqual([
      ['A', 't1:a', 'valid'],
      ['GONE', 't1:a', 'broken'],
      ['B', 'cmd_1', 'suspect'],
      ['R', 'src/r.ts', 'valid'],
      ['P', 'src/p.ts', 'broken'],
      ['B', 'gone', 'broken'],
      ['B', 'F / s', 'valid'],
    ]);
  });

  test('is suspect under a fingerprint of no known algorithm', () => {
    const [row] = STATE.traces;
    expect(traceStateOf(STATE, { ...row!, fingerprint: 'x9:abc' })).toBe('suspect');
  });
});

test('the summary counts the links that are listed, whatever they are of [PQRS-28, PQRS-29]', () => {
  const ids = ['A', 'R', 'OUT', 'P', 'GONE'] as const;
  const some = fc.subarray([...ids]);
  const trace = fc.record({
    storyId: fc.constantFrom(...ids),
    to: fc.constantFrom('test t0', 'test man', 'command c0', 'scenario F / 0', 'scenario gone'),
    old: fc.boolean(),
  });
  const parts = fc.record({
    traces: fc.array(trace, { maxLength: 5 }),
    tests: fc.array(some, { maxLength: 3 }),
    commands: fc.array(some, { maxLength: 2 }),
    scenarios: fc.array(some, { maxLength: 2 }),
    stored: fc.array(some, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(parts, ({ traces, tests, commands, scenarios, stored }) => {
      const state = makeCovered({
        nodes: [
          ...['A', { id: 'R', status: 'rejected' }, { id: 'OUT', active: false }],
          { id: 'P', kind: 'section' },
        ],
        traces,
        tests: tests.map((storyIds, at) => ({ key: `t${at}`, storyIds })),
        commands: commands.map((storyIds, at) => ({ id: `c${at}`, storyIds })),
        scenarios: scenarios.map((storyIds, at) => ({ key: `F / ${at}`, storyIds })),
        stored: stored.map((storyIds, at) => ({ key: `G / ${at}`, storyIds })),
      });
      const items = listTraces(state);
      const count = (wanted: string) => items.filter(({ state: own }) => own === wanted);
      expect(state.coverage().summary.traces).toEqual({
        total: items.length,
        valid: count('valid').length,
        suspect: count('suspect').length,
        broken: count('broken').length,
      });
    }),
  );
});

describe('the gaps [PQRS-29]', () => {
  const state = makeCovered({
    nodes: ['TOP', 'NONE', 'FAIL', 'OLD', 'LATE', 'SKIP', 'GONE', 'FINE', 'SEEN', 'SCEN'],
    links: [['FINE', 'refines', 'TOP']],
    justified: [['GONE', 'test', 'x']],
    commands: [{ id: 'skip' }],
    traces: [
      { storyId: 'FAIL', to: 'test fail' },
      { storyId: 'OLD', to: 'test ok', old: true },
      { storyId: 'LATE', to: 'test late' },
      { storyId: 'SKIP', to: 'command skip' },
      { storyId: 'GONE', to: 'scenario gone' },
      { storyId: 'FINE', to: 'test ok' },
      { storyId: 'FINE', to: 'file x', type: 'implements', old: true },
      { storyId: 'SEEN', to: 'test ok' },
    ],
    scenarios: [{ key: 'broke', storyIds: ['SCEN'] }],
    results: {
      'test fail': { status: 'failed' },
      'test ok': { status: 'passed' },
      'test late': { status: 'passed', old: true },
      'command skip': { status: 'skipped' },
      'scenario broke': { status: 'broken' },
    },
  });

  test('are told of each story that has them, of what it inherits where it comes from', () => {
    const { stories, counts } = listGaps(state);
    const told = [...stories].map((id) => [id, ...gapsIn(state, id).map(({ gap }) => gap)]);
    expect(told as [string, ...GapKind[]][]).toEqual([
      ['NONE', 'unmet_need'],
      ['FAIL', 'failing_test'],
      ['OLD', 'suspect_trace'],
      ['LATE', 'stale_test'],
      ['SKIP', 'unexecuted_test'],
      ['GONE', 'broken_trace'],
      ['FINE', 'suspect_trace'],
      ['SCEN', 'failing_test', 'unmet_need'],
    ]);
    expect(counts).toEqual({
      ...{ failing_test: 2, unmet_need: 2, broken_trace: 1, suspect_trace: 2 },
      ...{ stale_test: 1, unexecuted_test: 1, quarantined_test: 0, nothing_executed: 0 },
    });
  });

  test('are told of scenarios as of tests, where these judge, whatever the status', () => {
    const keys = ['F / 1', 'F / 2'];
    const toldOf = (
      first: Ran | undefined,
      second: Ran | undefined,
      more: Partial<MadeCoverage> = {},
    ) => {
      const ran = [first, second].flatMap((one, at) =>
        one ? [[`scenario ${keys[at]}`, one]] : [],
      );
      const covered = makeCovered({
        ...{ nodes: ['A'], needs: ['scenario'] },
        scenarios: keys.map((key) => ({ key, storyIds: ['A'] })),
        results: Object.fromEntries(ran),
        ...more,
      });
      return gapsIn(covered, 'A').map(({ gap, target }) => [gap, target?.id]);
    };
    const [passed, skipped, failed] = (['passed', 'skipped', 'failed'] as const).map(
      (status): Ran => ({ status }),
    );
    const stale: Ran = { status: 'passed', old: true };
    expect(toldOf(passed, skipped)).toEqual([['unexecuted_test', 'F / 2']]);
    expect(toldOf(failed, skipped)).toEqual([
      ['failing_test', 'F / 1'],
      ['unexecuted_test', 'F / 2'],
    ]);
    const old = { storyId: 'A', to: 'scenario F / 2', old: true };
    expect(toldOf(stale, stale, { traces: [old] })).toEqual([
      ['suspect_trace', 'F / 2'],
      ['stale_test', 'F / 1'],
    ]);
    expect(toldOf(stale, undefined, { needs: ['test'] })).toEqual([
      ['unmet_need', undefined],
      ['stale_test', 'F / 1'],
    ]);
    expect(toldOf(undefined, undefined)).toEqual([['nothing_executed', undefined]]);
    expect(toldOf(undefined, undefined, { traces: [old] })).toEqual([['suspect_trace', 'F / 2']]);
    // Where a test counts, it judges.
    const tests = [{ key: 't', storyIds: ['A'], result: { status: 'passed' as const } }];
    expect(toldOf(stale, skipped, { tests })).toEqual([]);
  });
});

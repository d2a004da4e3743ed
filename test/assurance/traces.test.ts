// Links of stories: their states, their order, the pages and gaps that are made of them.

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type GapKind, listGaps } from '../../src/assurance/coverage/story-coverage.ts';
import { traceStateOf } from '../../src/assurance/coverage/story-links.ts';
import type { AssuranceState } from '../../src/assurance/state/state.ts';
import { listTraces, matrixView, traceView } from '../../src/assurance/traceability/pages.ts';
import { type MadeCoverage, makeCovered } from './made-coverage.ts';
import type { MadeResult as Ran } from './made-results.ts';

const tracesAt = (state: AssuranceState, id: string) =>
  listTraces(state)
    .filter(({ storyId }) => storyId === id)
    .map((trace) => traceView(state, trace));
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

describe('the list of links [PQRS-28]', () => {
  test('is in the order of the stories, those of gone ones last', () => {
    expect(listTraces(STATE).map(({ storyId, target }) => `${storyId} ${target.id}`)).toEqual([
      'B cmd_1',
      'B gone',
      'B F / s',
      'P src/p.ts',
      'A F / s',
      'A t1:a',
      'R src/r.ts',
      'GONE t1:a',
    ]);
  });

  test('of one story holds what the sources say and what was declared, as they are shown', () => {
    const [imported, declared] = tracesAt(STATE, 'A');
    expect(imported).toMatchObject({
      ...{ id: null, origin: 'import', fingerprint: null, author: null, version: null },
      target: { kind: 'scenario', id: 'F / s' },
    });
    expect(declared).toMatchObject({
      ...{ id: 'trc_0', storyId: 'A', type: 'verifies', origin: 'declared', state: 'valid' },
      author: { tokenId: 'tok_1', label: 'me' },
      ...{ createdAt: '1970-01-01T00:00:00.000Z', reviewedAt: null, version: 1 },
    });
    expect(tracesAt(STATE, 'GONE').map(({ state }) => state)).toEqual(['broken']);
    expect(tracesAt(STATE, 'nothing')).toEqual([]);
  });

  test('counts every link once', () => {
    expect(STATE.coverage().summary.traces).toEqual({
      ...{ total: 8, valid: 4, suspect: 1, broken: 3 },
    });
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
    const { of, counts } = listGaps(state);
    const told = [...of].map(([id, gaps]) => [id, ...gaps.map(({ gap }) => gap)]);
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

  test('name what they are about', () => {
    const gapsAt = (id: string) => listGaps(state).of.get(id);
    expect(gapsAt('NONE')).toEqual([
      { gap: 'unmet_need', need: 'test', traceId: null, target: null },
    ]);
    expect(gapsAt('LATE')).toEqual([
      { gap: 'stale_test', need: null, traceId: 'trc_2', target: { kind: 'test', id: 'late' } },
    ]);
  });

  test('are two where a link is suspect and what it leads to fails', () => {
    const results = { 'test a': { status: 'failed' as const } };
    const found = (more: { old?: boolean; type?: string }) =>
      listGaps(
        makeCovered({ nodes: ['A'], traces: [{ storyId: 'A', to: 'test a', ...more }], results }),
      )
        .of.get('A')
        ?.map(({ gap, traceId }) => [gap, traceId]);
    expect(found({ old: true })).toEqual([
      ['failing_test', 'trc_0'],
      ['suspect_trace', 'trc_0'],
    ]);
    expect(found({})).toEqual([['failing_test', 'trc_0']]);
  });

  test('are that nothing has shown it, where a story needs no test', () => {
    const other = makeCovered({ nodes: ['A'], needs: [] });
    expect(
      listGaps(other)
        .of.get('A')
        ?.map(({ gap }) => gap),
    ).toEqual(['nothing_executed']);
  });

  test('are scenarios that passed for an earlier text, where these alone judge', () => {
    const made = {
      nodes: ['A'],
      needs: ['scenario'] as const,
      scenarios: [{ key: 'F / s', storyIds: ['A'] }],
      results: { 'scenario F / s': { status: 'passed' as const, old: true } },
    };
    const target = { kind: 'scenario', id: 'F / s' };
    expect(listGaps(makeCovered(made)).of.get('A')).toMatchObject([{ gap: 'stale_test', target }]);
    const results = { 'scenario F / s': { status: 'passed' as const } };
    expect(listGaps(makeCovered({ ...made, results })).of.size).toBe(0);
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
      const { of } = listGaps(
        makeCovered({
          ...{ nodes: ['A'], needs: ['scenario'] },
          scenarios: keys.map((key) => ({ key, storyIds: ['A'] })),
          results: Object.fromEntries(ran),
          ...more,
        }),
      );
      return of.get('A')?.map(({ gap, target }) => [gap, target?.id]);
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
    expect(toldOf(stale, skipped, { tests })).toBeUndefined();
  });
});

describe('the matrix [PQRS-29]', () => {
  test('is sparse: its cells name rows and columns', () => {
    const { stories } = STATE.coverage();
    const { rows, columns, cells } = matrixView(
      {
        ...STATE,
        results: makeCovered({ nodes: ['A'], results: { 'test t1:a': { status: 'passed' } } })
          .results,
      },
      stories,
    );
    expect(rows.map(({ storyId }) => storyId)).toEqual(['B', 'A']);
    expect(columns).toEqual([
      { kind: 'command', id: 'cmd_1', name: 'cmd_1' },
      { kind: 'scenario', id: 'gone', name: null },
      { kind: 'scenario', id: 'F / s', name: 'Title of F / s' },
      { kind: 'test', id: 't1:a', name: null },
    ]);
    expect(cells.map(({ row, column, state, result }) => [row, column, state, result])).toEqual([
      [0, 0, 'suspect', null],
      [0, 1, 'broken', null],
      [0, 2, 'valid', null],
      [1, 2, 'valid', null],
      [1, 3, 'valid', 'passed'],
    ]);
  });
});

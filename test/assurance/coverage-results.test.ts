// What commands, stored scenarios and the results of tests mean for a story.
import { describe, expect, test } from 'bun:test';
import { gapsOf } from '../../src/assurance/coverage/story-coverage.ts';
import { writeCsv } from '../../src/assurance/export/csv.ts';
import type { AssuranceState } from '../../src/assurance/state/state.ts';
import { traceView } from '../../src/assurance/traceability/pages.ts';
import { lastResults } from '../../src/assurance/workflow/routes.ts';
import { listTraces, type MadeCoverage, makeCovered } from './made-coverage.ts';

const tracesAt = (state: AssuranceState, id: string) =>
  listTraces(state)
    .filter(({ storyId }) => storyId === id)
    .map((trace) => traceView(state, trace));
const KEY = `t1:${'a'.repeat(27)}`;
const made = (over: Omit<MadeCoverage, 'nodes'>) => makeCovered({ nodes: ['S', 'T'], ...over });
const storyOf = (state: AssuranceState, id = 'S') => state.coverage().of(id)!;
const statusOf = (over: Omit<MadeCoverage, 'nodes'>) => storyOf(made(over)).status;
const passed = { status: 'passed' as const };
const failed = { status: 'failed' as const };

describe('what says by itself that it verifies a story [PQRS-45, PQRS-29]', () => {
  const state = made({
    needs: ['scenario', 'test'],
    commands: [{ id: 'cmd_1', key: 'unit', name: 'Unit tests', storyIds: ['S', 'S', 'GONE'] }],
    stored: [
      { key: 'F / stored', storyIds: ['S'] },
      { key: 'F / tagged', storyIds: ['S'], tags: ['S-1', 'story:S'] },
    ],
    scenarios: [{ key: 'F / own', storyIds: ['S'] }],
    tests: [{ key: KEY, name: 'suite > pays', storyIds: ['S', 'T'], result: passed }],
  });

  test('is linked without a row, and meets the needs', () => {
    expect(tracesAt(state, 'S').map(({ id, target, origin }) => [id, target.id, origin])).toEqual([
      [null, 'F / own', 'import'],
      [null, 'F / stored', 'declared'],
      [null, 'F / tagged', 'tag'],
      [null, 'cmd_1', 'declared'],
      [null, KEY, 'tag'],
    ]);
    expect(storyOf(state).needs.map(({ state: met }) => met)).toEqual(['met', 'met']);
    expect(storyOf(state, 'T').tests.map(({ id }) => id)).toEqual([KEY]);
  });

  test('is one link with a written one of the same, by whichever name', () => {
    const both = made({
      commands: [{ id: 'cmd_1', key: 'unit', storyIds: ['S'] }],
      stored: [{ key: 'F / stored', storyIds: ['S'] }],
      tests: [{ key: KEY, storyIds: ['S'] }],
      traces: [
        { storyId: 'S', to: 'command unit' },
        { storyId: 'S', to: 'scenario F / stored' },
        { storyId: 'S', to: `test ${KEY}` },
        { storyId: 'T', to: 'command unit', type: 'implements' },
      ],
    });
    expect(storyOf(both).traces.map(({ id }) => id)).toEqual(['trc_0', 'trc_1', 'trc_2']);
    const implemented = made({
      commands: [{ id: 'cmd_1', key: 'unit', storyIds: ['S'] }],
      traces: [{ storyId: 'S', to: 'command unit', type: 'implements' }],
    });
    expect(storyOf(implemented).traces.map(({ id }) => id)).toEqual([null, 'trc_0']);
  });
});

describe('results [PQRS-29]', () => {
  const command = { id: 'cmd_1', key: 'unit', storyIds: ['S'] };

  test('of a command as it was before are stale, those of a failure count on', () => {
    const ran = (own: string, how: typeof passed | typeof failed = passed) =>
      made({ commands: [command], results: { 'command cmd_1': { ...how, own } } });
    expect(storyOf(ran('c1:cmd_1')).status).toBe('passing');
    const changed = ran('c1:other');
    expect(storyOf(changed).status).toBe('stale');
    expect(gapsOf(changed, storyOf(changed)).map(({ gap }) => gap)).toEqual(['stale_test']);
    expect(storyOf(ran('c1:other', failed)).status).toBe('failing');
  });

  test('of all that verifies a story are its last results, the newest first', () => {
    const state = made({
      commands: [command],
      tests: [{ key: KEY, storyIds: ['S'], result: { ...passed, at: 5, runId: 'run_5' } }],
      stored: [{ key: 'F / s', storyIds: ['S'] }],
      results: {
        'command cmd_1': { status: 'failed', at: 7, runId: 'run_7', durationMs: null },
        'scenario F / s': { status: 'passed', at: 6, runId: 'run_6' },
      },
    });
    expect(lastResults(state, 'S').map(({ target, runId }) => [target.kind, runId])).toEqual([
      ['command', 'run_7'],
      ['scenario', 'run_6'],
      ['test', 'run_5'],
    ]);
    expect(storyOf(state).lastResult).toMatchObject({ runId: 'run_7', durationMs: null });
  });
});

describe('a command in quarantine [PQRS-39]', () => {
  const quarantined = { id: 'cmd_1', storyIds: ['S'], state: 'quarantined' as const };
  const results = { 'command cmd_1': failed };

  test('fails no story, and alone leaves it unexecuted; the need stays met', () => {
    const state = made({ commands: [quarantined], results });
    expect(storyOf(state)).toMatchObject({ status: 'unexecuted', needs: [{ state: 'met' }] });
    expect(storyOf(state).tests).toMatchObject([{ quarantined: true, result: 'failed' }]);
    expect(gapsOf(state, storyOf(state)).map(({ gap }) => gap)).toEqual(['quarantined_test']);
    expect([...writeCsv([storyOf(state)])].join('')).toContain('command cmd_1,failed');
  });
});

describe('a command out of use [PQRS-29]', () => {
  for (const state of ['disabled', 'archived'] as const) {
    test(`covers nothing while it is ${state}, nor do the tests that it ran last`, () => {
      const commands = [{ id: 'cmd_1', storyIds: ['S'], state }];
      expect(statusOf({ commands, results: { 'command cmd_1': failed } })).toBe('uncovered');
      const tests = [
        { key: KEY, storyIds: ['S'], result: { ...failed, commandId: 'cmd_1' } },
        { key: `${KEY}2`, storyIds: ['S'], result: passed },
      ];
      expect(statusOf({ commands, tests })).toBe('passing');
    });
  }

  test('breaks the links to it once it is archived', () => {
    const traces = [{ storyId: 'S', to: 'command unit' }];
    const stateOf = (state: 'disabled' | 'archived') =>
      storyOf(made({ traces, commands: [{ id: 'cmd_1', key: 'unit', state }] })).traces[0]?.state;
    expect(stateOf('disabled')).toBe('valid');
    expect(stateOf('archived')).toBe('broken');
  });
});

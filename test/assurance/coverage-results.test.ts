// What commands, stored scenarios and the results of tests mean for a story.
import { describe, expect, test } from 'bun:test';
import { gapsOf } from '../../src/assurance/coverage/story-coverage.ts';
import { writeCsv, writeTracesCsv } from '../../src/assurance/export/csv.ts';
import { writeHtml } from '../../src/assurance/export/html.ts';
import { writeLobsterActivities } from '../../src/assurance/export/lobster.ts';
import type { AssuranceState } from '../../src/assurance/state/state.ts';
import { listTraces, matrixView, traceView } from '../../src/assurance/traceability/pages.ts';
import { lastResults } from '../../src/assurance/workflow/routes.ts';
import { type MadeCoverage, makeCovered } from './made-coverage.ts';

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

  test('is called by its name', () => {
    expect(tracesAt(state, 'S').map(({ targetName }) => targetName)).toEqual([
      ...['Title of F / own', 'Title of F / stored', 'Title of F / tagged'],
      ...['Unit tests', 'suite > pays'],
    ]);
    expect(storyOf(state).tests.map(({ name }) => name)).toEqual(['Unit tests', 'suite > pays']);
    expect(matrixView(state, [storyOf(state)]).columns.at(-1)).toEqual({
      ...{ kind: 'test', id: KEY, name: 'suite > pays' },
    });
    const csv = writeTracesCsv(state, listTraces(state));
    expect(csv).toContain(`,S,verifies,test,${KEY},tag,valid,,,,,suite > pays`);
    const page = writeHtml(state, state.coverage().stories, 'p');
    expect(page).toContain('test <bdi>suite &gt; pays</bdi>: passed');
    expect(page).not.toContain(KEY);
    const lobster = JSON.parse(writeLobsterActivities(state, listTraces(state)));
    expect(lobster.data.map(({ name, status }: Record<string, string>) => [name, status])).toEqual([
      ['Title of F / own', 'not run'],
      ['Title of F / stored', 'not run'],
      ['Title of F / tagged', 'not run'],
      ['Unit tests', 'not run'],
      ['suite > pays', 'ok'],
    ]);
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

  test('of two scenarios with one key is that of the sources', () => {
    const both = made({
      scenarios: [{ key: 'F / s', storyIds: ['T'] }],
      stored: [{ key: 'F / s', storyIds: ['S'] }],
    });
    expect(storyOf(both).scenarios).toEqual([]);
    expect(storyOf(both, 'T').scenarios).toEqual(['F / s']);
  });

  test('makes a written link to a stored scenario a good one', () => {
    const trace = { storyId: 'S', to: 'scenario F / stored' };
    const stored = [{ key: 'F / stored', storyIds: [] }];
    expect(storyOf(made({ traces: [trace], stored })).traces[0]?.state).toBe('valid');
    expect(storyOf(made({ traces: [trace] })).traces[0]?.state).toBe('broken');
  });
});

describe('results [PQRS-29]', () => {
  const command = { id: 'cmd_1', key: 'unit', storyIds: ['S'] };

  test('of a command are those by its id and by its key', () => {
    const results = { 'command cmd_1': failed };
    expect(statusOf({ commands: [command], results })).toBe('failing');
  });

  test('of a test that names the story judge it', () => {
    const own = (result: typeof passed | typeof failed | object) =>
      statusOf({ tests: [{ key: KEY, storyIds: ['S'], result: result as typeof passed }] });
    expect(own(passed)).toBe('passing');
    expect(own(failed)).toBe('failing');
    expect(own({ status: 'skipped' })).toBe('unexecuted');
    expect(own({ status: 'passed', old: true })).toBe('stale');
    expect(statusOf({ tests: [{ key: KEY, storyIds: ['S'] }] })).toBe('unexecuted');
  });

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

describe('the last results of a story [PQRS-29]', () => {
  test('are of what verifies it: what is out of use is left out of them, as of its coverage', () => {
    const commands = (['active', 'quarantined', 'disabled', 'archived'] as const).map((state) => ({
      ...{ id: `cmd_${state}`, storyIds: ['S'], state },
    }));
    const state = made({
      commands,
      traces: [{ storyId: 'S', to: 'command cmd_archived' }],
      tests: commands.map(({ id }) => ({
        ...{ key: `of ${id}`, storyIds: ['S'], result: { ...passed, commandId: id } },
      })),
      results: Object.fromEntries(commands.map(({ id }) => [`command ${id}`, passed])),
    });
    const told = lastResults(state, 'S').map(({ target }) => target.id);
    expect(told).toEqual(storyOf(state).tests.map(({ id }) => id));
    expect(told).toEqual([
      ...['cmd_active', 'cmd_quarantined', 'of cmd_active', 'of cmd_quarantined'],
    ]);
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
    expect(writeCsv([storyOf(state)])).toContain('command cmd_1,failed');
  });

  test('leaves the others to judge', () => {
    const others = [{ key: KEY, storyIds: ['S'], result: passed }];
    expect(statusOf({ commands: [quarantined], results, tests: others })).toBe('passing');
    expect(
      statusOf({ commands: [quarantined], results, tests: others, verdicts: [{ storyId: 'S' }] }),
    ).toBe('validated');
  });

  test('takes along the tests that it ran last', () => {
    const ran = { ...failed, commandId: 'cmd_1' };
    const commands = [{ ...quarantined, storyIds: [] }];
    expect(statusOf({ commands, tests: [{ key: KEY, storyIds: ['S'], result: ran }] })).toBe(
      'unexecuted',
    );
  });

  test('judges again from its end on', () => {
    const over = [{ ...quarantined, until: 999 }];
    expect(statusOf({ commands: over, results })).toBe('failing');
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

  test('leaves scenarios covered, whatever ran them last', () => {
    const state = made({
      needs: ['scenario'],
      scenarios: [{ key: 'F / s', storyIds: ['S'] }],
      commands: [{ id: 'cmd_1', state: 'disabled' }],
      results: { 'scenario F / s': { ...failed, commandId: 'cmd_1' } },
    });
    expect(storyOf(state)).toMatchObject({ status: 'unexecuted', scenarios: ['F / s'] });
  });
});

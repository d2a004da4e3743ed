// The status of a story by its own links: each status, and the order in which they are looked for.
import { describe, expect, test } from 'bun:test';
import { coverStories } from '../../src/assurance/coverage/coverage.ts';
import { type MadeCoverage, makeCovered } from './made-coverage.ts';
import type { MadeResult } from './made-results.ts';

const TEST = { storyId: 'S', to: 'test t1:a' };
const SECOND = { storyId: 'S', to: 'command cmd_b' };
const PASSED = { 'test t1:a': { status: 'passed' } } as const;

function statusOf(made: Omit<MadeCoverage, 'nodes'>) {
  return makeCovered({ nodes: ['S'], commands: [{ id: 'cmd_b' }], ...made })
    .coverage()
    .of('S')?.status;
}

/** A story that a scenario is enough for, which has run. */
function played(result: Partial<MadeResult>): Omit<MadeCoverage, 'nodes'> {
  const scenarios = [{ key: 'F / s', storyIds: ['S'] }];
  const results = { 'scenario F / s': { status: 'passed', ...result } as const };
  return { needs: ['scenario'], scenarios, results };
}

describe('the status of a story [PQRS-29]', () => {
  const cases: [string, Omit<MadeCoverage, 'nodes'>, string][] = [
    ['nothing at all', {}, 'uncovered'],
    [
      'a test that failed',
      { traces: [TEST], results: { 'test t1:a': { status: 'failed' } } },
      'failing',
    ],
    [
      'a command that broke',
      { traces: [SECOND], results: { 'command cmd_b': { status: 'broken' } } },
      'failing',
    ],
    [
      'a test that failed for an earlier text',
      { traces: [TEST], results: { 'test t1:a': { status: 'failed', old: true } } },
      'failing',
    ],
    [
      'one test that passed and one that failed',
      { traces: [TEST, SECOND], results: { ...PASSED, 'command cmd_b': { status: 'failed' } } },
      'failing',
    ],
    [
      'a failing scenario, while the test is missing',
      {
        scenarios: [{ key: 'F / s', storyIds: ['S'] }],
        results: { 'scenario F / s': { status: 'failed' } },
      },
      'failing',
    ],
    [
      'a failing test that it is linked to in another way',
      { traces: [{ ...TEST, type: 'affects' }], results: { 'test t1:a': { status: 'failed' } } },
      'uncovered',
    ],
    [
      'a scenario alone where a test is needed',
      { scenarios: [{ key: 'k', storyIds: ['S'] }] },
      'uncovered',
    ],
    ['a route alone', { traces: [{ storyId: 'S', to: 'route GET /x' }] }, 'uncovered'],
    [
      'a test that it is implemented by',
      { traces: [{ ...TEST, type: 'implements' }] },
      'uncovered',
    ],
    [
      'a broken scenario where a scenario is needed',
      { needs: ['scenario'], traces: [{ storyId: 'S', to: 'scenario gone' }] },
      'uncovered',
    ],
    [
      'one need of two',
      { needs: ['scenario', 'test'], traces: [TEST], results: PASSED },
      'uncovered',
    ],
    ['a justified need', { justified: [['S', 'test', 'by inspection']] }, 'justified'],
    [
      'a justified need with a failing test',
      {
        justified: [['S', 'test', 'x']],
        traces: [TEST],
        results: { 'test t1:a': { status: 'failed' } },
      },
      'failing',
    ],
    [
      'two needs, both justified',
      {
        needs: ['scenario', 'test'],
        justified: [
          ['S', 'test', 'x'],
          ['S', 'scenario', 'y'],
        ],
      },
      'justified',
    ],
    [
      'two needs, one justified and one neither',
      { needs: ['scenario', 'test'], justified: [['S', 'test', 'x']] },
      'uncovered',
    ],
    [
      'two needs, one justified and one met',
      {
        needs: ['scenario', 'test'],
        justified: [['S', 'scenario', 'x']],
        traces: [TEST],
        results: PASSED,
      },
      'passing',
    ],
    [
      'a justification of what is not needed',
      { justified: [['S', 'scenario', 'x']], traces: [TEST], results: PASSED },
      'passing',
    ],
    [
      'a test linked for an earlier text, whatever it says',
      { traces: [{ ...TEST, old: true }], results: PASSED },
      'suspect',
    ],
    [
      'one of two tests linked for an earlier text',
      {
        traces: [TEST, { ...SECOND, old: true }],
        results: { ...PASSED, 'command cmd_b': { status: 'passed' } },
      },
      'suspect',
    ],
    [
      'a commit linked for an earlier text, which verifies nothing',
      {
        traces: [TEST, { storyId: 'S', to: 'commit c0ffee', type: 'implements', old: true }],
        results: PASSED,
      },
      'passing',
    ],
    [
      'a pass for an earlier text',
      { traces: [TEST], results: { 'test t1:a': { status: 'passed', old: true } } },
      'stale',
    ],
    [
      'a pass for an earlier text beside a test that has not run',
      { traces: [SECOND, TEST], results: { 'test t1:a': { status: 'passed', old: true } } },
      'stale',
    ],
    ['a test that has not run', { traces: [TEST] }, 'unexecuted'],
    [
      'a test that was skipped',
      { traces: [TEST], results: { 'test t1:a': { status: 'skipped' } } },
      'unexecuted',
    ],
    [
      'a test of unknown end',
      { traces: [TEST], results: { 'test t1:a': { status: 'unknown' } } },
      'unexecuted',
    ],
    [
      'one of two tests that has not run',
      { traces: [TEST, SECOND], results: PASSED },
      'unexecuted',
    ],
    [
      'a test that has not run, and a verdict',
      { traces: [TEST], verdicts: [{ storyId: 'S' }] },
      'unexecuted',
    ],
    [
      'a pass and a verdict',
      { traces: [TEST], results: PASSED, verdicts: [{ storyId: 'S' }] },
      'validated',
    ],
    [
      'a pass and a verdict that is not passed',
      {
        traces: [TEST],
        results: PASSED,
        verdicts: [{ storyId: 'S' }, { storyId: 'S', verdict: 'blocked' }],
      },
      'passing',
    ],
    [
      'a pass and a verdict on an earlier text',
      { traces: [TEST], results: PASSED, verdicts: [{ storyId: 'S', on: 'then' }] },
      'passing',
    ],
    [
      'a pass and a verdict on an earlier text of what it rests on',
      { traces: [TEST], results: PASSED, verdicts: [{ storyId: 'S', on: 'deep then' }] },
      'passing',
    ],
    ['a pass', { traces: [TEST], results: PASSED }, 'passing'],
    [
      'a scenario where that is all it needs, and no verdict',
      { needs: ['scenario'], scenarios: [{ key: 'k', storyIds: ['S'] }] },
      'unexecuted',
    ],
    [
      'a scenario where that is all it needs, and a verdict',
      {
        needs: ['scenario'],
        scenarios: [{ key: 'k', storyIds: ['S'] }],
        verdicts: [{ storyId: 'S' }],
      },
      'validated',
    ],
    ['a scenario that passed where that is all it needs', played({}), 'passing'],
    ['a scenario that passed for an earlier text', played({ old: true }), 'stale'],
    ['a scenario that was skipped', played({ status: 'skipped' }), 'unexecuted'],
    [
      'a scenario that passed and a verdict',
      { ...played({}), verdicts: [{ storyId: 'S' }] },
      'validated',
    ],
    [
      'a scenario that passed beside a test that has not run',
      { ...played({}), needs: ['scenario', 'test'], traces: [TEST] },
      'unexecuted',
    ],
    ['no need and nothing at all', { needs: [] }, 'unexecuted'],
  ];
  for (const [what, made, status] of cases) {
    test(`of one with ${what} is ${status}`, () => {
      expect(statusOf(made)).toBe(status as never);
    });
  }
});

describe('the coverage of a story [PQRS-29]', () => {
  const state = makeCovered({
    nodes: [{ id: 'S', tags: ['pay'] }],
    needs: ['scenario', 'test'],
    commands: [{ id: 'cmd_b' }],
    scenarios: [
      { key: 'F / a', storyIds: ['S', 'S'] },
      { key: 'F / b', storyIds: ['S', 'other'] },
    ],
    routes: [{ method: 'GET', template: '/x', storyIds: ['S'] }],
    traces: [
      { storyId: 'S', to: 'scenario F / a' },
      TEST,
      SECOND,
      { storyId: 'S', to: 'route GET /x', type: 'implements' },
      { storyId: 'S', to: 'route GET /y', type: 'implements' },
      { storyId: 'S', to: 'issue iss_2', type: 'affects' },
      { storyId: 'S', to: 'issue iss_1', type: 'affects' },
    ],
    issues: [
      {
        ...{ id: 'iss_1', number: 7, title: 'Oh', severity: 'major', status: 'triaged' },
        ...{ storyId: 'S', untrusted: false },
      },
    ],
    results: {
      'test t1:a': { status: 'passed', at: 2 },
      'command cmd_b': { status: 'passed', at: 1, old: true },
    },
    verdicts: [{ storyId: 'S', on: 'deep then' }],
  });
  const story = state.coverage().of('S');

  test('holds each link once, those of the sources without an id', () => {
    expect(story?.traces.map(({ id, target }) => [id, target.id])).toEqual([
      [null, 'F / b'],
      ['trc_0', 'F / a'],
      ['trc_1', 't1:a'],
      ['trc_2', 'cmd_b'],
      ['trc_3', 'GET /x'],
      ['trc_4', 'GET /y'],
      ['trc_5', 'iss_2'],
      ['trc_6', 'iss_1'],
    ]);
    expect(story?.scenarios).toEqual(['F / b', 'F / a']);
    expect(story?.routes).toEqual(['GET /x', 'GET /y']);
  });

  test('survives a change of what is normative: today is fingerprinted as then', () => {
    const { effective } = state;
    const inAnotherProfile = effective.under('S', 'f1.kt:whatever') ?? '';
    expect(inAnotherProfile).toStartWith('f1.kt:');
    const { S } = Object.fromEntries(state.tracesOf);
    const rows = (S ?? []).map((row) => ({ ...row, fingerprint: inAnotherProfile }));
    const moved = { ...state, traces: rows, tracesOf: new Map([['S', rows]]) };
    const states = new Set(
      coverStories(moved)
        .of('S')
        ?.traces.map((one) => one.state),
    );
    expect([...states]).toEqual(['valid']);
  });
});

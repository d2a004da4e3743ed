// Our own report: what it holds, and that each fault is named where it is.
import { describe, expect, test } from 'bun:test';
import { fixture, lineOf, readAll } from './read-all.ts';

const faultsOf = async (report: unknown) =>
  (await readAll(JSON.stringify(report), { format: 'pqrs' })).summary.problems.map(
    ({ pointer }) => pointer,
  );

const result = (more: object = {}) => ({ results: [{ name: 't', status: 'passed', ...more }] });

test('a report', async () => {
  const { results, summary, codes } = await readAll(fixture('pqrs.json'), {
    root: '/home/ci/project/',
  });
  expect(results.map(lineOf)).toEqual([
    'src/math.test.ts | math | adds [US-1] = passed',
    'src/math.test.ts | math | divides = failed',
    '- | skips = skipped',
  ]);
  expect(results[0]?.storyIds).toEqual(['US-9', 'US-1']);
  expect(results[1]).toMatchObject({ flaky: true, parameters: { by: '0' }, trace: 'at divide' });
  expect(summary).toMatchObject({
    format: 'pqrs',
    head: { durationMs: 1500 },
    totals: { tests: 3, passed: 1, failed: 1, skipped: 1, flaky: 1 },
  });
  expect(codes).toEqual([]);
});

describe('faults', () => {
  test.each([
    [{}, ['/results']],
    [{ results: {} }, ['/results']],
    [{ results: null }, ['/results']],
    [[], ['']],
    [{ results: [7] }, ['/results/0']],
    [{ results: [{}] }, ['/results/0/status', '/results/0/name']],
    [result({ stauts: 1 }), ['/results/0/stauts']],
    [{ ...result(), 'a/b~': 1 }, ['/a~1b~0']],
    [result({ status: 'ok' }), ['/results/0/status']],
    [result({ durationMs: 1.5 }), ['/results/0/durationMs']],
    [result({ line: -1 }), ['/results/0/line']],
    [result({ path: 'a' }), ['/results/0/path']],
    [result({ storyIds: [1] }), ['/results/0/storyIds/0']],
    [result({ contentSha256: 'x' }), ['/results/0/contentSha256']],
    [result({ parameters: [] }), ['/results/0/parameters']],
    [result({ attempts: [{}] }), ['/results/0/attempts/0/status']],
    [result({ name: ' ' }), ['/results/0/name']],
    [result({ file: null, path: null, message: null, line: null }), []],
  ])('%j', async (report, faults) => {
    expect(await faultsOf(report)).toEqual(faults);
  });

  test('a result with a fault is left out, the others stay', async () => {
    const report = {
      results: [
        { name: 'a', status: 'x' },
        { name: 'b', status: 'passed' },
      ],
    };
    const { results } = await readAll(JSON.stringify(report));
    expect(results.map(({ name }) => name)).toEqual(['b']);
  });

  test('many faults are counted, not kept', async () => {
    const { summary } = await readAll(JSON.stringify({ results: Array(5000).fill(0) }));
    expect(summary.problems).toHaveLength(21);
    expect(summary.problems.at(-1)?.detail).toBe('and 4980 more like these');
  });
});

test('fields of the run are handed out and not read', async () => {
  const given: unknown[] = [];
  const report = { ...result(), execution: { exitCode: 0 }, commandId: 7 };
  const { codes } = await readAll(JSON.stringify(report), {
    onRunFields: async (fields) => void given.push(fields),
  });
  expect(given).toEqual([{ execution: { exitCode: 0 }, commandId: 7 }]);
  expect(codes).toEqual([]);
});

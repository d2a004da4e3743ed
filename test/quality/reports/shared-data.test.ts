// Reports that other projects wrote: each holds what it states, or the table says why not.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { judgeRun } from '../../../src/quality/runs/verdict.ts';
import { sharedData } from '../../support/shared-data.ts';
import { SHARED_REPORTS, totalsOf } from '../../support/shared-reports.ts';
import { readAll } from './read-all.ts';

test.each(Object.entries(SHARED_REPORTS))('%s', async (name, expected) => {
  const path = sharedData(...name.split('/'));
  if (path === undefined) return;
  const { results, summary, codes } = await readAll(new Uint8Array(readFileSync(path)));
  const totals = totalsOf(expected);
  const { tests, failed, broken, skipped } = totals;
  expect(summary.totals).toEqual(totals);
  expect(results).toHaveLength(tests);
  expect(codes).toEqual(expected.codes ?? []);
  expect(judgeRun({ report: summary }).status).toBe(expected.status);
  expect(new Set(results.map(({ testKey }) => testKey)).size).toBe(tests);

  const { stated } = summary.head;
  if (expected.because !== undefined && expected.codes?.includes('not_to_schema') !== true) return;
  expect(stated?.tests).toBe(tests);
  expect((stated?.failed ?? 0) + (stated?.broken ?? 0)).toBe(failed + broken);
  // Some state nothing of what was skipped.
  if (stated?.skipped != null) expect(stated.skipped).toBe(skipped);
});

test('names, files and stories of real reports', async () => {
  const path = sharedData('junit', 'jest.xml');
  if (path === undefined) return;
  const { results } = await readAll(new Uint8Array(readFileSync(path)));
  const { file, path: suites, name, message } = results[1]!;
  expect({ file, suites, name, message }).toEqual({
    ...{ file: '__tests__/main.test.js', suites: ['Test 1 › Test 1.1'], name: 'Failing test' },
    message: 'Error: expect(received).toBeTruthy()',
  });
});

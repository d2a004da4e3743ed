// The status of a run from its report and its execution together.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  emptyHead,
  noTotals,
  type ReportHead,
  type ReportProblem,
  type ResultTotals,
} from '../../src/quality/reports/model.ts';
import { type Execution, judgeRun, type VerdictInput } from '../../src/quality/runs/verdict.ts';

type Report = NonNullable<VerdictInput['report']>;

function report(counts: Partial<ResultTotals>, more: Partial<Report> = {}): Report {
  const totals = { ...noTotals(), ...counts };
  const { passed, failed, broken, skipped, unknown } = totals;
  totals.tests = passed + failed + broken + skipped + unknown;
  return { totals, head: emptyHead(), files: new Set(), problems: [], ...more };
}

const judge = (given: Report | null, execution?: Execution, more: Partial<VerdictInput> = {}) => {
  const { status, harnessErrors } = judgeRun({ report: given, execution, ...more });
  return [status, ...harnessErrors.map(({ code }) => code)];
};

const problem = (): ReportProblem => ({
  code: 'not_well_formed',
  detail: 'x',
  line: 3,
  pointer: null,
});

describe('by the report', () => {
  test.each([
    ['all passed', report({ passed: 2, skipped: 1 }), ['passed']],
    ['one failed', report({ passed: 2, failed: 1 }), ['failed']],
    ['one broke', report({ passed: 2, broken: 1 }), ['failed']],
    ['none', report({}), ['broken', 'no_results']],
    ['all skipped', report({ skipped: 3 }), ['broken', 'nothing_ran']],
    ['skipped and unknown', report({ skipped: 1, unknown: 1 }), ['broken', 'nothing_ran']],
    ['an error', report({ passed: 1 }, { problems: [problem()] }), ['broken', 'not_well_formed']],
    [
      'a failure and an error',
      report({ failed: 1 }, { problems: [problem()] }),
      ['broken', 'not_well_formed'],
    ],
    ['no report', null, ['broken', 'no_report']],
  ])('%s', (_, given, expected) => {
    expect(judge(given)).toEqual(expected);
  });
});

describe('exit codes', () => {
  const [green, red] = [report({ passed: 3 }), report({ passed: 1, failed: 1, broken: 1 })];
  test.each([
    [green, { exitCode: 0 }, ['passed']],
    [red, { exitCode: 1 }, ['failed']],
    [red, { exitCode: 2 }, ['failed']],
    [green, { exitCode: 1 }, ['broken', 'exit_code_disagrees']],
    [red, { exitCode: 0 }, ['broken', 'exit_code_disagrees']],
    [green, { exitCode: 137 }, ['broken', 'killed']],
    [red, { exitCode: 143 }, ['broken', 'killed']],
    [report({ failed: 137 }), { exitCode: 137 }, ['failed']],
    [green, { signal: 'SIGKILL', exitCode: 0 }, ['broken', 'killed']],
    [green, { signal: '', exitCode: 0 }, ['passed']],
    [green, { exitCode: null, signal: null }, ['passed']],
    [null, { exitCode: 1 }, ['broken', 'no_report']],
    [null, { exitCode: 137 }, ['broken', 'no_report', 'killed']],
    [green, {}, ['passed']],
  ] as [Report | null, Execution, string[]][])('%#', (given, execution, expected) => {
    expect(judge(given, execution)).toEqual(expected);
  });
});

describe('age', () => {
  const startedAt = '2026-03-01T10:00:00.500Z';
  const head = (more: Partial<ReportHead>) =>
    report({ passed: 1 }, { head: { ...emptyHead(), ...more } });
  test.each([
    ['written later', '2026-03-01T10:00:01.250Z', []],
    ['written before', '2026-03-01T10:00:00.449Z', ['report_stale']],
    ['dated by the tick before', '2026-03-01T10:00:00.450Z', []],
    ['yesterday', '2026-02-28T10:00:00.000Z', ['report_stale']],
    ['in whole seconds, in the same one', '2026-03-01T10:00:00Z', []],
    ['in whole seconds, before', '2026-03-01T09:59:59Z', ['report_stale']],
    ['in another zone', '2026-03-01T11:00:01.1+01:00', []],
    ['unreadable', 'noon', []],
  ])('the file: %s', (_, reportModifiedAt, codes) => {
    const [status, ...found] = judge(report({ passed: 1 }), { startedAt, reportModifiedAt });
    expect(found).toEqual(codes);
    expect(status).toBe(codes.length > 0 ? 'broken' : 'passed');
  });

  test.each([
    [
      'begun before, ended within',
      { zoned: true, startedAt: '2026-03-01T09:59:00.100Z', durationMs: 90_000 },
      [],
    ],
    [
      'ended before',
      { zoned: true, startedAt: '2026-03-01T09:00:00.100Z', durationMs: 1000 },
      ['report_stale'],
    ],
    ['stopped before', { zoned: true, finishedAt: '2026-03-01T09:00:00.100Z' }, ['report_stale']],
    ['no zone: nobody knows', { zoned: false, startedAt: '2026-03-01T09:00:00.100Z' }, []],
    ['no time', { zoned: true }, []],
  ] as [string, Partial<ReportHead>, string[]][])('the report itself: %s', (_, more, codes) => {
    expect(judge(head(more), { startedAt }).slice(1)).toEqual(codes);
    expect(judge(head(more), {}).slice(1)).toEqual([]);
  });
});

describe('files', () => {
  const of = (...files: string[]) => report({ passed: 1 }, { files: new Set(files) });
  test.each([
    [of('a.ts', 'b.ts'), ['a.ts'], []],
    [of('a.ts'), ['a.ts', 'b.ts'], ['files_missing']],
    [of('a.ts'), ['./a.ts'], []],
    [of('/ci/src/a.ts'), ['src/a.ts'], []],
    [of('/ci/src/a.ts'), ['a.tsx'], ['files_missing']],
    [of('x/a.ts'), ['a.ts'], ['files_missing']],
    [of('src/a.ts'), ['/builds/src/a.ts'], []],
    [of('src/a.ts'), ['/elsewhere/src/a.ts'], []],
    [of('src\\a.ts'), ['src/a.ts'], []],
    [of(), ['a.ts'], []],
    [of('a.ts'), [], []],
  ])('%#', (given, expectedFiles, codes) => {
    expect(judge(given, { expectedFiles }, { root: '/root' }).slice(1)).toEqual(codes);
  });
});

describe('the console', () => {
  const tail = (errors: string, ran: number) =>
    ` 3 pass\n 0 fail\n${errors} 4 expect() calls\nRan ${ran} tests across 2 files. [16.00ms]\n`;
  test.each([
    [tail('', 3), []],
    [tail(' 1 error\n', 3), ['console_disagrees']],
    [tail('', 4), ['console_disagrees']],
    [tail('', 2), []],
    ['anything', []],
  ])('%j', (consoleTail, codes) => {
    expect(judge(report({ passed: 3 }), { consoleTail }).slice(1)).toEqual(codes);
  });
});

test('broken comes first, passed needs that something passed, and every error says why', () => {
  const count = fc.nat(3);
  const counts = fc.record({
    passed: count,
    failed: count,
    broken: count,
    skipped: count,
    unknown: count,
  });
  const executions = fc.record({
    exitCode: fc.option(fc.nat(3)),
    signal: fc.option(fc.constant('SIGTERM')),
  });
  fc.assert(
    fc.property(counts, fc.option(executions), (given, execution) => {
      const { status, harnessErrors, totals } = judgeRun({ report: report(given), execution });
      const failing = given.failed + given.broken;
      if (harnessErrors.length > 0) expect(status).toBe('broken');
      else expect(status).toBe(failing > 0 ? 'failed' : 'passed');
      if (status === 'passed') expect(totals.passed).toBeGreaterThan(0);
      if (execution?.exitCode && failing === 0) expect(status).toBe('broken');
      expect(harnessErrors.every(({ code, detail }) => code !== '' && detail !== '')).toBe(true);
    }),
  );
});

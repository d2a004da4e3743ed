// The rules of test commands that need no server: fingerprints, states, what is learned of runs.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  COMMAND_STATES,
  type CommandReport,
  commandFingerprint,
  stateOf,
} from '../../src/quality/commands/model.ts';
import {
  type LearnedRun,
  percentile,
  REMEMBERED_RUNS,
  remember,
  statsView,
  withRun,
} from '../../src/quality/commands/stats.ts';
import type { CommandStatsRow } from '../../src/store/tables/quality.ts';

const COMMAND = {
  kind: 'shell',
  argv: ['npm', 'test'],
  cwd: null,
  report: { format: 'junit', path: 'junit.xml' } as CommandReport,
};

describe('the fingerprint of a command [PQRS-38]', () => {
  test('is the same for the same, whatever else is with it', () => {
    const print = commandFingerprint(COMMAND);
    expect(print).toMatch(/^c1:[0-9a-f]{64}$/);
    const more = { ...COMMAND, env: { A: '1' }, key: 'x', timeoutMs: 5 };
    expect(commandFingerprint(more)).toBe(print);
    const turned = { ...COMMAND, report: { path: 'junit.xml', format: 'junit' } as CommandReport };
    expect(commandFingerprint(turned)).toBe(print);
  });

  test('is another for another kind, argv, cwd or report', () => {
    const others = [
      COMMAND,
      { ...COMMAND, kind: 'bun-test' },
      { ...COMMAND, argv: ['npm test'] },
      { ...COMMAND, argv: ['npm', 'test', ''] },
      { ...COMMAND, cwd: 'web' },
      { ...COMMAND, report: { format: 'junit', path: 'other.xml' } as CommandReport },
      { ...COMMAND, report: { format: 'tap', path: 'junit.xml' } as CommandReport },
    ];
    expect(new Set(others.map(commandFingerprint)).size).toBe(others.length);
  });
});

describe('the state in effect [PQRS-39]', () => {
  const until = 1_000_000;
  const quarantine = { owner: 'Ada', reason: 'flaky', until };

  test('of a quarantined command is active from the end of its time on', () => {
    const row = { state: 'quarantined', quarantine };
    expect(stateOf(row, until - 1)).toBe('quarantined');
    expect(stateOf(row, until)).toBe('active');
    expect(stateOf(row, until + 1)).toBe('active');
  });

  test('is else the one that is stored', () => {
    for (const state of COMMAND_STATES.filter((one) => one !== 'quarantined'))
      expect(stateOf({ state, quarantine: null }, until)).toBe(state);
  });
});

const run = (over: Partial<LearnedRun> = {}): LearnedRun => ({
  ...{ projectId: 'prj_1', commandId: 'cmd_1', flaky: false, lastFingerprint: 'c1:x' },
  ...{ lastRunId: 'run_1', lastBatch: 1, lastOrdinal: 1, lastStatus: 'passed' },
  ...{ lastAt: 1000, lastDurationMs: 10 },
  ...over,
});

function learned(...runs: Partial<LearnedRun>[]): CommandStatsRow {
  return runs.reduce<CommandStatsRow | undefined>(
    (row, over) => withRun(row, run(over)),
    undefined,
  ) as CommandStatsRow;
}

describe('what is learned of runs [PQRS-38]', () => {
  test('is nothing before the first', () => {
    expect(statsView(undefined)).toEqual({
      ...{ runs: 0, passRate: null, flakeRate: null, p50Ms: null, p95Ms: null },
      ...{ lastStatus: null, lastRunId: null, lastAt: null },
    });
  });

  test('tells shares, percentiles and the newest run', () => {
    const row = learned(
      { lastDurationMs: 10 },
      { lastDurationMs: 30, lastStatus: 'failed' },
      { lastDurationMs: 20, flaky: true, lastRunId: 'run_3', lastAt: 5000 },
    );
    expect(row.outcomes).toBe('Pfp');
    expect(row.durations).toEqual([20, 30, 10]);
    expect(statsView(row)).toEqual({
      ...{ runs: 3, passRate: 0.6666, flakeRate: 0.3333, p50Ms: 20, p95Ms: 30 },
      ...{ lastStatus: 'passed', lastRunId: 'run_3', lastAt: '1970-01-01T00:00:05.000Z' },
    });
  });

  test('is never a share of 1 while one run is left', () => {
    let row = learned({ lastStatus: 'broken' });
    for (let runs = 2; runs <= 20_000; runs += 1) row = withRun(row, run());
    expect(statsView(row).passRate).toBe(0.9999);
  });

  test('keeps the newest runs, and durations of those that have one', () => {
    const row = learned(
      ...Array.from({ length: 250 }, (_, at) => ({
        lastDurationMs: at % 2 ? at : null,
        lastStatus: at < 249 ? 'passed' : 'broken',
      })),
    );
    expect(row.runs).toBe(250);
    expect(row.outcomes).toBe(`b${'p'.repeat(REMEMBERED_RUNS - 1)}`);
    expect(row.durations).toHaveLength(100);
    expect(row.durations[0]).toBe(249);
    expect(statsView(learned({ lastDurationMs: null }))).toMatchObject({
      p50Ms: null,
      p95Ms: null,
    });
  });

  test('a percentile is a duration that there was, that so many did not exceed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: 1 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (durations, share) => {
          const found = percentile(durations, share) as number;
          expect(durations).toContain(found);
          const within = durations.filter((one) => one <= found).length;
          expect(within).toBeGreaterThanOrEqual(Math.floor(durations.length * share));
          const below = durations.filter((one) => one < found).length;
          expect(below).toBeLessThan(Math.max(1, durations.length * share));
        },
      ),
    );
  });
});

describe('the letters of a history', () => {
  test('stand newest first, in capitals where a run was flaky, and do not grow without end', () => {
    expect(remember('ppf', { outcome: 'failed', flaky: true })).toBe('Fppf');
    expect(remember('p'.repeat(99), { outcome: 'broken', flaky: false })).toHaveLength(
      REMEMBERED_RUNS,
    );
  });
});

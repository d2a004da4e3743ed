// The rules of test commands that need no server: fingerprints, and what is learned of runs.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type CommandReport, commandFingerprint } from '../../src/quality/commands/model.ts';
import {
  percentile,
  REMEMBERED_RUNS,
  remember,
  statsView,
} from '../../src/quality/commands/rows.ts';

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

describe('what is learned of runs [PQRS-38]', () => {
  test('is nothing before the first', () => {
    expect(statsView(undefined)).toEqual({
      ...{ runs: 0, passRate: null, flakeRate: null, p50Ms: null, p95Ms: null },
      ...{ lastStatus: null, lastRunId: null, lastAt: null },
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

// The replay of the past: it knows nothing of what was to come, and on real runs it does well.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readIofrol } from '../../../scripts/bench/iofrol.ts';
import {
  apfd,
  apfdc,
  type Executed,
  optimalOrder,
  type PastRun,
  replay,
} from '../../../src/agents/plan/replay.ts';
import { DEFAULT_SETTINGS } from '../../../src/agents/plan/score.ts';
import { sharedData } from '../../support/shared-data.ts';

const run = (cycle: string, commandId: string, over: Partial<PastRun> = {}): PastRun => ({
  cycle,
  commandId,
  outcome: 'passed',
  durationMs: 1000,
  flaky: false,
  ...over,
});

const failed = { outcome: 'failed' } as const;
const past = (runs: readonly PastRun[]) => ({ commands: [], stories: [], runs });

/** The figures of every cycle that says something. */
function figuresOf(runs: readonly PastRun[], stories: readonly string[] = []) {
  const found = new Map<string, { apfd: number; apfdc: number }>();
  const commands = stories.map((id) => ({ id, key: id, storyIds: [id] }));
  const known = stories.map((id) => ({ id, priority: 0.8 }));
  replay(
    { commands, stories: known, runs },
    { onCycle: (cycle, own) => void found.set(cycle, own) },
  );
  return found;
}

const anyRuns = fc.array(
  fc.record({
    cycle: fc.constantFrom('1', '2', '3', '4'),
    commandId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    outcome: fc.constantFrom('passed', 'failed', 'broken', 'skipped'),
    durationMs: fc.integer({ min: 0, max: 1000 }),
    flaky: fc.boolean(),
  }),
  { maxLength: 40 },
) satisfies fc.Arbitrary<PastRun[]>;

describe('a replay [PQRS-49]', () => {
  test('learns from cycle to cycle', () => {
    const runs = ['1', '2', '3'].flatMap((cycle) => [
      run(cycle, 'a'),
      run(cycle, 'b'),
      run(cycle, 'c', failed),
    ]);
    const figures = figuresOf(runs);
    expect(figures.get('1')?.apfd).toBeCloseTo(1 - 3 / 3 + 1 / 6, 10);
    expect(figures.get('2')?.apfd).toBeCloseTo(1 - 1 / 3 + 1 / 6, 10);
    const { raw } = replay(past(runs));
    expect(raw.cycles).toBe(3);
    expect(raw.apfd.random).toBe(0.5);
    expect(raw.apfd.optimal).toBeCloseTo(5 / 6, 10);
  });

  test('knows nothing of what comes later', () => {
    fc.assert(
      fc.property(anyRuns, anyRuns, (runs, later) => {
        const after = later.map((one) => ({ ...one, cycle: `later ${one.cycle}` }));
        const before = figuresOf(runs);
        const both = figuresOf([...runs, ...after]);
        for (const [cycle, own] of before) expect(both.get(cycle)).toEqual(own);
      }),
    );
  });

  test('knows nothing of the outcomes of the cycle itself', () => {
    fc.assert(
      fc.property(anyRuns, (runs) => {
        // In one order, what fails and what does not share the places: so do the measures.
        const turned = runs.map((one): PastRun => {
          if (one.cycle !== '4' || one.outcome === 'skipped') return one;
          return { ...one, outcome: one.outcome === 'passed' ? 'failed' : 'passed' };
        });
        const [own, other] = [figuresOf(runs).get('4'), figuresOf(turned).get('4')];
        expect(own === undefined).toBe(other === undefined);
        if (!own || !other) return;
        const counted = runs.filter(({ cycle, outcome }) => cycle === '4' && outcome !== 'skipped');
        const faults = counted.filter(({ outcome }) => outcome !== 'passed').length;
        const all = counted.length;
        const together = own.apfd * faults + other.apfd * (all - faults);
        expect(together).toBeCloseTo(all / 2, 8);
      }),
    );
  });

  test('leaves the flaky out of the second figures: received, or passed and failed in a cycle', () => {
    const runs = [
      run('1', 'a', failed),
      run('1', 'b'),
      run('1', 'c', { ...failed, flaky: true }),
      run('1', 'd', failed),
      run('1', 'd'),
      run('2', 'c', { ...failed, flaky: true }),
      run('2', 'b'),
    ];
    const { raw, withoutFlaky } = replay(past(runs));
    expect(raw.cycles).toBe(2);
    expect(withoutFlaky.cycles).toBe(1);
    expect(withoutFlaky.apfd.optimal).toBeCloseTo(1 - 1 / 2 + 1 / 4, 10);
  });

  test('of nothing that says something has no figures', () => {
    const nothing = { planned: null, random: null, optimal: null };
    const none = { cycles: 0, apfd: nothing, apfdc: nothing };
    for (const runs of [[], [run('1', 'a')], [run('1', 'a', failed)]]) {
      expect(replay(past(runs))).toEqual({ raw: none, withoutFlaky: none });
    }
  });
});

describe('on the robot tests of IOF/ROL', () => {
  const path = sharedData('plan', 'iofrol.csv');

  test.skipIf(path === undefined)('failures are found early, and early for their cost', () => {
    const runs = readIofrol(path as string);
    const { raw } = replay(past(runs));
    expect(raw.cycles).toBe(206);
    expect(raw.apfd.planned).toBeGreaterThanOrEqual(0.655);
    expect(raw.apfdc.planned).toBeGreaterThanOrEqual(0.665);
    expect(raw.apfd.optimal).toBeCloseTo(0.804, 3);
    const blind = { ...DEFAULT_SETTINGS, latest: 0, prior: 0, fade: 0, costPower: 0 };
    const { raw: other } = replay(past(runs), { settings: blind });
    expect(raw.apfd.planned).toBeGreaterThan(other.apfd.planned as number);
  });
});

const anyTest = fc.record({ failed: fc.boolean(), durationMs: fc.integer({ min: 0, max: 1000 }) });
const anyOrder = fc
  .array(anyTest, { minLength: 1, maxLength: 6 })
  .filter((order) => order.some(({ failed }) => failed));

const order = (...tests: [failed: 0 | 1, durationMs: number][]): Executed[] =>
  tests.map(([failed, durationMs]) => ({ failed: failed === 1, durationMs }));

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length <= 1) return [[...values]];
  return values.flatMap((value, at) =>
    permutations([...values.slice(0, at), ...values.slice(at + 1)]).map((rest) => [value, ...rest]),
  );
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('APFD and APFDc', () => {
  test('are what their formulas say', () => {
    // 1 - (1 + 4) / (5 * 2) + 1 / (2 * 5)
    expect(apfd(order([1, 9], [0, 1], [0, 1], [1, 1], [0, 1]))).toBeCloseTo(0.6, 10);
    // ((4 + 1 + 5 - 4/2) + (5 - 5/2)) / (10 * 2)
    expect(apfdc(order([1, 4], [0, 1], [1, 5]))).toBeCloseTo((8 + 2.5) / 20, 10);
    expect(apfd(order([0, 1]))).toBeNull();
    expect(apfdc(order([0, 1]))).toBeNull();
  });

  test('of an order and its reverse add up to one, so chance reaches one half', () => {
    fc.assert(
      fc.property(anyOrder, (tests) => {
        for (const measure of [apfd, apfdc]) {
          const both = (measure(tests) ?? 0) + (measure(tests.toReversed()) ?? 0);
          expect(both).toBeCloseTo(1, 10);
        }
      }),
    );
    const tests = order([1, 3], [0, 10], [1, 200], [0, 7], [0, 1]);
    for (const measure of [apfd, apfdc]) {
      const all = permutations(tests).map((one) => measure(one) as number);
      expect(mean(all)).toBeCloseTo(0.5, 10);
    }
  });

  test('of the best order are what no other exceeds', () => {
    fc.assert(
      fc.property(anyOrder, (tests) => {
        const all = permutations(tests);
        const best = optimalOrder(tests);
        for (const measure of [apfd, apfdc]) {
          const most = Math.max(...all.map((one) => measure(one) as number));
          expect(measure(best)).toBeCloseTo(most, 10);
        }
      }),
      { numRuns: 30 },
    );
  });
});

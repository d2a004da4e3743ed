// The slice of a plan for what has not run for long: nothing that fits waits for ever.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type PlanCommand, type PlanRequest, STRATEGIES } from '../../../src/agents/plan/model.ts';
import { makePlan } from '../../../src/agents/plan/plan.ts';
import { DEFAULT_SETTINGS, RECENT_RUNS } from '../../../src/agents/plan/score.ts';
import { remember } from '../../../src/quality/commands/rows.ts';
import { command, input } from './made-input.ts';

const WHY = 'not_run_for_long';

const sliced = (commands: readonly PlanCommand[], request: Partial<PlanRequest>, ordinal: number) =>
  makePlan(input(commands, [], request, ordinal)).items.flatMap(
    ({ position, reasons, commandId }) =>
      reasons.some(({ code }) => code === WHY) ? `${position} ${commandId.slice(4)}` : [],
  );

/** Commands of which the first ones fail and just ran, and the others passed long ago. */
const made = (failing: number, waiting: number) => [
  ...Array.from({ length: failing }, (_, at) =>
    command(`f${at}`, { outcomes: 'ffff', lastOrdinal: 1000 }),
  ),
  ...Array.from({ length: waiting }, (_, at) => command(`w${at}`, { lastOrdinal: 100 - at })),
];

describe('the slice', () => {
  test('is one place in twenty, whichever these are as runs go on', () => {
    const commands = made(60, 3);
    const places = Array.from({ length: 5000 }, (_, at) =>
      sliced(commands, { maxItems: 1 }, 1000 + at),
    ).flat();
    expect(places.length / 5000).toBeCloseTo(1 / 20, 2);
    expect(new Set(places)).toEqual(new Set(['1 w2']));
    expect(sliced(commands, {}, 1000).map((one) => one.split(' ')[1])).toEqual(['w2', 'w1', 'w0']);
  });

  test('is only for what has missed its turns, be it that it never ran', () => {
    const commands = [
      ...made(30, 0),
      command('new', { outcomes: '', state: 'active' }),
      command('quarantined', { lastOrdinal: 1, state: 'quarantined' }),
    ];
    const long = DEFAULT_SETTINGS.missedTurns * commands.length;
    expect(sliced(commands, { strategy: 'failures' }, long)).toEqual([]);
    expect(sliced(commands, { strategy: 'failures' }, long + 1)).toEqual([
      expect.stringMatching(/ new$/),
    ]);
  });
});

interface World {
  estimates: number[];
  failing: boolean[];
  request: PlanRequest;
  /** Runs of others between the cycles, over and over. */
  rhythm: number[];
}

const anyWorld: fc.Arbitrary<World> = fc.integer({ min: 1, max: 10 }).chain((count) =>
  fc.record({
    estimates: fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: count, maxLength: count }),
    failing: fc.array(fc.boolean(), { minLength: count, maxLength: count }),
    request: fc.record({
      strategy: fc.constantFrom(...STRATEGIES),
      maxItems: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
      budgetMs: fc.option(fc.integer({ min: 1000, max: 4000 }), { nil: undefined }),
    }),
    rhythm: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
  }),
);

test('every active command that fits is planned again and again, whatever runs beside [PQRS-49]', () => {
  fc.assert(
    fc.property(anyWorld, (world) => {
      const { longest, bound } = live(world);
      expect(longest).toBeLessThanOrEqual(bound);
    }),
    { numRuns: 60 },
  );
});

/** Plans and runs cycle by cycle; gives the most cycles that a command was not planned in. */
function live({ estimates, failing, request, rhythm }: World): { longest: number; bound: number } {
  let commands = estimates.map((estimateMs, at) => command(`c${at}`, { estimateMs, outcomes: '' }));
  const planned = commands.map(() => 0);
  const turn = Math.max(commands.length, RECENT_RUNS);
  // A wait until a command has missed its turns, and then, for each before it, one until the first
  // place of a plan is given to the slice: of 200 plans with one in twenty, one in 30,000 times none.
  const bound = DEFAULT_SETTINGS.missedTurns * turn + (commands.length + 1) * 200;
  let [ordinal, longest] = [0, 0];
  for (let cycle = 1; cycle <= 2 * bound; cycle += 1) {
    const { items } = makePlan({ commands, stories: [], ordinal, request });
    const places = new Map(items.map(({ commandId }, at) => [commandId, at]));
    commands = commands.map((own, at) => {
      const place = places.get(own.id);
      longest = Math.max(longest, cycle - (planned[at] as number));
      if (place === undefined) return own;
      planned[at] = cycle;
      const run = { outcome: failing[at] ? 'failed' : 'passed', flaky: false } as const;
      const outcomes = remember(own.history.outcomes, run);
      return { ...own, history: { outcomes, lastOrdinal: ordinal + place + 1 } };
    });
    ordinal += items.length + (rhythm[cycle % rhythm.length] as number);
  }
  return { longest, bound };
}

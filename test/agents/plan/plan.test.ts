// Plans as a whole: what holds of each of them, whatever there is to plan.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { UNCOVERED_WHYS } from '../../../src/agents/plan/model.ts';
import { filterOf, isPlannable, makePlan } from '../../../src/agents/plan/plan.ts';
import { anyInput, command, input, story } from './made-input.ts';

describe('every plan [PQRS-49]', () => {
  test('is the same for the same state and request, in whatever order they come', () => {
    fc.assert(
      fc.property(
        anyInput.chain((one) =>
          fc.record({
            one: fc.constant(one),
            commands: fc.shuffledSubarray([...one.commands], { minLength: one.commands.length }),
            stories: fc.shuffledSubarray([...one.stories], { minLength: one.stories.length }),
          }),
        ),
        ({ one, commands, stories }) => {
          expect(makePlan({ ...one, commands, stories })).toEqual(makePlan(one));
        },
      ),
    );
  });

  test('fits its budget, holds no command twice and none that is not asked for', () => {
    fc.assert(
      fc.property(anyInput, (one) => {
        const { items, estimateMs } = makePlan(one);
        const { budgetMs, maxItems } = one.request;
        expect(estimateMs).toBeLessThanOrEqual(budgetMs ?? Number.POSITIVE_INFINITY);
        expect(items.length).toBeLessThanOrEqual(maxItems ?? Number.POSITIVE_INFINITY);
        expect(items.reduce((sum, item) => sum + item.estimateMs, 0)).toBe(estimateMs);
        expect(items.map(({ position }) => position)).toEqual(items.map((_, at) => at + 1));
        const ids = items.map(({ commandId }) => commandId);
        expect(new Set(ids).size).toBe(ids.length);
        const passes = filterOf(one.request);
        const wanted = one.commands.filter((own) => isPlannable(own) && passes(own));
        expect(wanted.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
      }),
    );
  });

  test('leaves out no command of `risk` and `full` that it has room for', () => {
    fc.assert(
      fc.property(anyInput, fc.constantFrom('risk', 'full'), (one, strategy) => {
        const request = { ...one.request, strategy, budgetMs: undefined, maxItems: undefined };
        const passes = filterOf(request);
        const wanted = one.commands.filter((own) => isPlannable(own) && passes(own));
        const { items } = makePlan({ ...one, request });
        expect(items.map(({ commandId }) => commandId).sort()).toEqual(
          wanted.map(({ id }) => id).sort(),
        );
      }),
    );
  });

  test('says of each story in question that it is covered, or why not', () => {
    fc.assert(
      fc.property(anyInput, (one) => {
        const { items, covered, uncovered } = makePlan(one);
        const out = uncovered.map(({ storyId }) => storyId);
        expect([...covered, ...out].length).toBe(new Set([...covered, ...out]).size);
        expect(covered).toEqual(covered.toSorted());
        expect(out).toEqual(out.toSorted());
        for (const { why } of uncovered) expect(UNCOVERED_WHYS).toContain(why);
        const stateOf = new Map(one.commands.map(({ id, state }) => [id, state]));
        const counted = items.filter(({ commandId }) => stateOf.get(commandId) === 'active');
        const byPlan = new Set(counted.flatMap(({ storyIds }) => storyIds));
        for (const id of covered) expect(byPlan).toContain(id);
        for (const id of out) expect(byPlan).not.toContain(id);
        if (one.request.storyIds) {
          expect([...covered, ...out].sort()).toEqual(one.request.storyIds.toSorted());
        }
      }),
    );
  });

  test('puts first covers before second ones, and the quarantined behind all', () => {
    fc.assert(
      fc.property(anyInput, (one) => {
        const { items } = makePlan(one);
        const byId = new Map(one.commands.map((own) => [own.id, own]));
        const parts = items.map(({ commandId, storyIds, reasons }) => {
          if (byId.get(commandId)?.state === 'quarantined') return 3;
          const codes = reasons.map(({ code }) => code);
          if (codes.includes('not_run_for_long')) return 0;
          return storyIds.length === 0 || codes.includes('first_cover') ? 1 : 2;
        });
        const ordered = parts.filter((part) => part > 0);
        expect(ordered).toEqual(ordered.toSorted());
        if (parts.includes(3)) expect(parts.slice(parts.indexOf(3))).not.toContain(0);
      }),
    );
  });
});

test('no commands make an empty plan', () => {
  const stories = [
    story('A'),
    story('B', { status: 'justified' }),
    story('C', { inherited: true }),
  ];
  expect(makePlan(input([], stories))).toEqual({
    items: [],
    covered: [],
    estimateMs: 0,
    uncovered: [
      { storyId: 'A', why: 'no_command' },
      { storyId: 'B', why: 'justified' },
    ],
  });
});

test('a command without an estimate is taken to last as long as most', () => {
  const commands = [
    command('a', { estimateMs: 100 }),
    command('b', { estimateMs: 300 }),
    command('c', { estimateMs: 9000 }),
    command('d', { estimateMs: null }),
  ];
  const { items, estimateMs } = makePlan(input(commands));
  expect(items.find(({ commandId }) => commandId === 'cmd_d')?.estimateMs).toBe(300);
  expect(estimateMs).toBe(9700);
  const [lone] = makePlan(input([command('d', { estimateMs: null })])).items;
  expect(lone?.estimateMs).toBe(10_000);
});

// The order of plans: what weighs more than what, and why an item is where it is.
import { describe, expect, test } from 'bun:test';
import type { PlanCommand, PlanRequest, PlanStory } from '../../../src/agents/plan/model.ts';
import { makePlan } from '../../../src/agents/plan/plan.ts';
import { command, input, story } from './made-input.ts';

const order = (
  commands: readonly PlanCommand[],
  stories: readonly PlanStory[] = [],
  request: Partial<PlanRequest> = {},
) => makePlan(input(commands, stories, request)).items.map(({ commandId }) => commandId.slice(4));

const OLD = 'p'.repeat(40);

describe('what comes first [PQRS-49]', () => {
  test('are recent failures, then what is new or changed, then risk', () => {
    const stories = [
      story('LOW', { priority: 0.3 }),
      story('HIGH', { priority: 0.8 }),
      story('BUGGY', { priority: 0.3, openIssues: ['iss_1', 'iss_2'] }),
    ];
    const commands = [
      command('a-sound', { outcomes: OLD, storyIds: ['LOW'] }),
      command('b-flaky', { outcomes: `PpPpP${OLD}`, storyIds: [] }),
      command('c-buggy', { outcomes: OLD, storyIds: ['BUGGY'] }),
      command('d-high', { outcomes: OLD, storyIds: ['HIGH'] }),
      command('e-changed', { outcomes: OLD, changedSince: true }),
      command('f-new', { outcomes: '' }),
      command('g-failed-before', { outcomes: `pppff${OLD}` }),
      command('h-just-failed', { outcomes: `f${OLD}` }),
      command('i-failing', { outcomes: 'ffffffff' }),
    ];
    for (const strategy of ['full', 'failures'] as const) {
      const [first, second] = order(commands, stories, { strategy });
      expect([first, second]).toEqual(['i-failing', 'h-just-failed']);
    }
    const all = order(commands, stories);
    expect(all.indexOf('f-new')).toBe(2);
    expect(all.slice(3, 5).sort()).toEqual(['e-changed', 'g-failed-before']);
    expect(all.slice(5, 8).sort()).toEqual(['b-flaky', 'c-buggy', 'd-high']);
    expect(all[8]).toBe('a-sound');
    expect(order(commands, stories, { strategy: 'risk' }).slice(0, 2)).toEqual([
      'i-failing',
      'h-just-failed',
    ]);
  });

  test('is by strategy what is changed, or what closes a gap', () => {
    const stories = [story('GAP', { status: 'stale' }), story('NEW', { changed: true })];
    const commands = [
      command('a', { outcomes: `f${OLD}`, changedSince: true }),
      command('b', { outcomes: OLD, storyIds: ['GAP'] }),
      command('c', { outcomes: OLD, storyIds: ['NEW'] }),
    ];
    expect(order(commands, stories, { strategy: 'changed' })).toEqual(['a', 'c']);
    expect(order(commands, stories, { strategy: 'gaps' })).toEqual(['b']);
    expect(order(commands, stories)).toEqual(['a', 'c', 'b']);
  });

  test('of equals is what takes less time, and then the lesser key', () => {
    const commands = [
      command('a', { estimateMs: 9000 }),
      command('c', { estimateMs: 100 }),
      command('d', { estimateMs: 1000 }),
      command('b', { estimateMs: 1000 }),
    ];
    expect(order(commands)).toEqual(['c', 'b', 'd', 'a']);
  });

  test('is more often what takes less time where time is short', () => {
    const commands = [
      command('slow', { outcomes: `ppf${OLD}`, estimateMs: 9000 }),
      command('quick', { outcomes: OLD, estimateMs: 1000 }),
      command('other', { outcomes: OLD, estimateMs: 1000, state: 'disabled' }),
    ];
    expect(order(commands)).toEqual(['slow', 'quick']);
    expect(order(commands, [], { budgetMs: 10_000 })).toEqual(['quick', 'slow']);
    expect(order(commands, [], { budgetMs: 9999 })).toEqual(['quick']);
  });

  test('is the first cover of each story, then the second', () => {
    const stories = [story('A'), story('B')];
    const commands = [
      command('one', { storyIds: ['A'], outcomes: 'ffff' }),
      command('two', { storyIds: ['A'], outcomes: 'ffff' }),
      command('three', { storyIds: ['B'], outcomes: OLD }),
      command('both', { storyIds: ['A', 'B'], outcomes: 'pppf' }),
      command('none', { outcomes: OLD }),
    ];
    expect(order(commands, stories)).toEqual(['one', 'both', 'none', 'two', 'three']);
    // What has no room covers nothing: its story's next command takes its place.
    const tight = [
      command('one', { storyIds: ['A'], outcomes: 'ffff', estimateMs: 9000 }),
      ...commands.slice(1),
    ];
    expect(order(tight, stories, { budgetMs: 2000 })).toEqual(['two', 'both']);
  });
});

test('every item has the reasons for its place', () => {
  const stories = [
    story('A', { priority: 0.8, openIssues: ['iss_1'], status: 'suspect', changed: true }),
    story('B', { priority: 0.3, openIssues: ['iss_1', 'iss_2'] }),
    story('C'),
    story('D'),
    story('E'),
  ];
  const commands = [
    command('a', { storyIds: ['A', 'B'], outcomes: 'fPbp', changedSince: true }),
    command('b', { storyIds: ['A', 'B', 'C', 'D', 'E'], outcomes: '' }),
    command('c', { outcomes: 'p' }),
  ];
  const { items } = makePlan(input(commands, stories));
  const codes = Object.fromEntries(
    items.map((item) => [item.commandId.slice(4), item.reasons.map(({ code }) => code)]),
  );
  expect(codes).toEqual({
    a: [
      'failed_last',
      'failed_recently',
      'changed',
      'story_changed',
      'gap',
      'priority',
      'open_issues',
      'flaky',
      'first_cover',
    ],
    b: ['never_ran', 'story_changed', 'gap', 'priority', 'open_issues', 'first_cover'],
    c: [],
  });
});

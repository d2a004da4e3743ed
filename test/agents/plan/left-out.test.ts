// Why plans leave stories out, what strategies and filters select.
import { describe, expect, test } from 'bun:test';
import type { PlanRequest } from '../../../src/agents/plan/model.ts';
import { makePlan } from '../../../src/agents/plan/plan.ts';
import { command, input, story } from './made-input.ts';

const whys = (...[commands, stories, request]: Parameters<typeof input>) =>
  Object.fromEntries(
    makePlan(input(commands, stories, request)).uncovered.map(({ storyId, why }) => [storyId, why]),
  );

describe('a story is left out [PQRS-49]', () => {
  test('for nothing of it is quarantined, disabled, filtered or not selected', () => {
    const commands = [
      command('q', { storyIds: ['Q'], state: 'quarantined', tags: ['smoke'] }),
      command('d', { storyIds: ['D'], state: 'disabled', tags: ['smoke'] }),
      command('x', { storyIds: ['X'], state: 'archived', tags: ['smoke'] }),
      command('f', { storyIds: ['F', 'Q', 'N'] }),
      command('n', { storyIds: ['N'], tags: ['smoke'] }),
      command('p', { storyIds: ['P'], tags: ['smoke'], outcomes: 'f' }),
    ];
    const stories = ['D', 'F', 'N', 'P', 'Q', 'X', 'Z'].map((id) => story(id));
    const request: Partial<PlanRequest> = { strategy: 'failures', tags: ['smoke'] };
    const storyIds = [...stories.map(({ id }) => id), 'gone'];
    const asked = { ...request, storyIds };
    expect(whys(commands, stories, asked)).toEqual({
      D: 'disabled',
      F: 'filtered',
      N: 'not_selected',
      Q: 'filtered',
      X: 'disabled',
      Z: 'no_command',
      gone: 'unknown_story',
    });
    // Of the stories alone that commands with the tag verify.
    expect(whys(commands, stories, request)).toEqual({
      D: 'disabled',
      N: 'not_selected',
      Q: 'filtered',
      X: 'disabled',
    });
  });

  test('for it is verified through those that refine it', () => {
    const stories = [story('A', { inherited: true }), story('B', { inherited: true })];
    const commands = [command('a', { storyIds: ['A'] })];
    expect(whys(commands, stories)).toEqual({});
    expect(makePlan(input(commands, stories)).covered).toEqual(['A']);
    expect(whys(commands, stories, { storyIds: ['B'] })).toEqual({ B: 'inherited' });
  });

  test('for only a quarantined command runs for it', () => {
    const commands = [command('q', { storyIds: ['Q'], state: 'quarantined' })];
    const plan = makePlan(input(commands, [story('Q')]));
    expect(plan.items.map(({ commandId }) => commandId)).toEqual(['cmd_q']);
    expect(plan.items[0]?.reasons.map(({ code }) => code)).toContain('quarantined');
    expect(plan).toMatchObject({ covered: [], uncovered: [{ storyId: 'Q', why: 'quarantined' }] });
  });
});

describe('what is selected', () => {
  const stories = [
    story('U', { status: 'uncovered' }),
    story('S', { status: 'suspect' }),
    story('F', { status: 'failing' }),
    story('C', { changed: true }),
  ];
  const commands = [
    command('failed', { outcomes: `ppppppppp${'f'}`, storyIds: ['F'] }),
    command('failed-before', { outcomes: `pppppppppp${'f'}` }),
    command('broke', { outcomes: 'b' }),
    command('uncovered', { storyIds: ['U'] }),
    command('suspect', { storyIds: ['S'] }),
    command('changed', { changedSince: true }),
    command('story-changed', { storyIds: ['C'] }),
    command('new', { outcomes: '' }),
    command('skipped', { outcomes: 'ss' }),
  ];
  const selected = (strategy: PlanRequest['strategy']) =>
    makePlan(input(commands, stories, { strategy }))
      .items.map(({ commandId }) => commandId.slice(4))
      .sort();

  test.each([
    ['failures', ['broke', 'failed']],
    ['gaps', ['suspect', 'uncovered']],
    ['changed', ['changed', 'new', 'skipped', 'story-changed']],
    ['risk', commands.map(({ key }) => key).sort()],
    ['full', commands.map(({ key }) => key).sort()],
  ] as const)('by %s', (strategy, expected) => {
    expect(selected(strategy)).toEqual([...expected]);
  });
});

describe('a request for routes', () => {
  const commands = [
    command('get', { routes: ['GET /orders/{id}'] }),
    command('post', { routes: ['POST /orders/:key'] }),
    command('any', { routes: ['/orders/{id}'] }),
    command('other', { routes: ['GET /orders'] }),
    command('odd', { routes: ['the orders'] }),
  ];
  const found = (...routes: string[]) =>
    makePlan(input(commands, [], { routes })).items.map(({ commandId }) => commandId.slice(4));

  test.each([
    [['GET /orders/{orderId}'], ['any', 'get']],
    [['get /orders/{id}'], ['any', 'get']],
    [['/orders/{x}'], ['any', 'get', 'post']],
    [
      ['GET /orders/', 'POST /orders/{id}'],
      ['any', 'other', 'post'],
    ],
    [['the orders'], ['odd']],
    [['DELETE /orders'], []],
  ])('%j', (routes, expected) => {
    expect(found(...routes).sort()).toEqual(expected);
  });
});

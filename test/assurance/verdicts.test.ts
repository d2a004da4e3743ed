// Verdicts that others follow or go back to: what supersedes one, and who gave it first.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { whySuperseded } from '../../src/assurance/validation/carry.ts';
import { originalJudge } from '../../src/assurance/validation/current.ts';
import { periodsOf } from '../../src/assurance/validation/gone.ts';
import type { GraphNode } from '../../src/requirements/graph/model.ts';

interface Said {
  content: string;
  upstream?: string;
  /** Of the fingerprints; `t` by default. */
  profile?: string;
}

const deepOf = ({ content, upstream = 'u' }: Said) => `${content} ${upstream}`;

/** Asks of the first of some verdicts on a story, which may be called otherwise today. */
function ask(today: Said, said: readonly Said[], called = 'A') {
  const effective = {
    node: (id: string) =>
      id === called
        ? ({ fingerprint: `f1.t:${today.content}`, deepFingerprint: 'd1.t:?' } as GraphNode)
        : undefined,
    under(id: string, stored: string) {
      if (id !== called) return undefined;
      const own = stored.startsWith('d') ? deepOf(today) : today.content;
      return stored.slice(0, stored.indexOf(':') + 1) + own;
    },
  };
  const verdicts = said.map((one, at) => ({
    ...{ id: `val_${at + 1}`, seq: at + 1, storyId: 'A' },
    fingerprint: `f1.${one.profile ?? 't'}:${one.content}`,
    deepFingerprint: `d1.${one.profile ?? 't'}:${deepOf(one)}`,
  }));
  const [carried] = verdicts;
  if (!carried) throw new Error('no verdict was made');
  return whySuperseded(effective, carried, verdicts, called);
}

const TEXT = { content: 'a' };
const RESTING = (upstream: string): Said => ({ content: 'a', upstream });

describe('a verdict is not said again [PQRS-35]', () => {
  test('where a newer one judged what the story says today, under whatever id and profile', () => {
    const why = /^val_2, .* today/;
    expect(ask(TEXT, [TEXT, TEXT])).toMatch(why);
    expect(ask(TEXT, [TEXT, TEXT], 'RENAMED')).toMatch(why);
    expect(ask(TEXT, [TEXT, { ...TEXT, profile: 'k' }])).toMatch(why);
    expect(ask(RESTING('v'), [RESTING('u'), RESTING('v'), RESTING('w')])).toMatch(why);
  });

  test('where a newer one judged the same text, and neither is of all that it rests on', () => {
    const said = [RESTING('u'), RESTING('v')];
    const why = /^val_2, .* same text/;
    expect(ask(RESTING('w'), said)).toMatch(why);
    expect(ask(RESTING('w'), said, 'RENAMED')).toMatch(why);
  });

  test('but where it is the newest of the text, or the only one that holds again', () => {
    expect(ask(TEXT, [TEXT])).toBeUndefined();
    expect(ask(TEXT, [TEXT, { content: 'b' }])).toBeUndefined();
    expect(ask(RESTING('w'), [RESTING('u'), { content: 'b' }])).toBeUndefined();
    expect(ask(RESTING('u'), [RESTING('u'), RESTING('v')])).toBeUndefined();
    expect(ask(RESTING('u'), [RESTING('u'), RESTING('v')], 'RENAMED')).toBeUndefined();
  });
});

test('of any history, what is said again is the newest on the text, or alone holds [PQRS-35]', () => {
  const content = fc.constantFrom('a', 'b');
  const upstream = fc.constantFrom('u', 'v', 'w');
  const profile = fc.constantFrom('t', 'k');
  const said = fc.record({ content, upstream, profile });
  const rests = fc.record({ upstream, profile });
  fc.assert(
    fc.property(rests, upstream, fc.array(said, { maxLength: 6 }), (first, today, later) => {
      // Only what is of the text of today is ever carried.
      const carried = { ...first, content: 'a' };
      const why = ask(RESTING(today), [carried, ...later]);
      const onText = later.filter((one) => one.content === 'a');
      const holding = onText.filter((one) => one.upstream === today);
      const alone = carried.upstream === today && holding.length === 0;
      expect(why === undefined).toBe(onText.length === 0 || alone);
      const named = (holding.length > 0 ? holding : onText).at(-1);
      if (why !== undefined && named) {
        expect(later[Number(/^val_(\d+),/.exec(why)?.[1]) - 2]).toBe(named);
      }
    }),
  );
});

describe('a carried verdict goes back [PQRS-37]', () => {
  const said = (seq: number, byKind: string, from: string | null = null) => ({
    id: `val_${seq}`,
    seq,
    byKind,
    transferredFrom: from,
  });

  test('to the service, whoever carried it and whatever the story is called', () => {
    const [first, carried] = [said(1, 'system'), said(2, 'person', 'val_1')];
    const again = said(3, 'person', 'val_2');
    const verdictsOf = new Map([
      ['RENAMED', [again]],
      ['A', [first, carried]],
    ]);
    for (const one of [first, carried, again])
      expect(originalJudge(verdictsOf, one)).toBe('system');
  });

  test('to a person who said it, or took it from another instance', () => {
    const verdicts = [
      said(1, 'person'),
      said(2, 'person', 'val_1'),
      said(3, 'person', 'val_of_another_instance'),
      // An instance's own numbers rise: one that names a later one is from elsewhere too.
      said(4, 'person', 'val_5'),
    ];
    const verdictsOf = new Map([['A', [...verdicts, said(5, 'system', 'val_4')]]]);
    for (const one of verdicts) expect(originalJudge(verdictsOf, one)).toBe('person');
  });
});

test('an addition was in force until it was absorbed or deleted, whatever came after [PQRS-34]', () => {
  const periods = (...moves: [at: number, toState: string][]) =>
    periodsOf(moves.map(([at, toState]) => ({ storyId: 'A', at, toState }))).get('A');
  expect(periods([2, 'active'])).toEqual([{ from: 2, until: Infinity }]);
  const [first, second] = [
    { from: 2, until: 5 },
    { from: 9, until: 11 },
  ];
  expect(periods([2, 'active'], [5, 'absorbed'])).toEqual([first]);
  expect(periods([2, 'active'], [5, 'absorbed'], [9, 'active'], [11, 'deleted'])).toEqual([
    first,
    second,
  ]);
  // The clocks of requests are not in the order of their writes.
  expect(periods([5, 'active'], [4, 'deleted'], [3, 'active'])).toEqual([
    { from: 5, until: 5 },
    { from: 5, until: Infinity },
  ]);
});

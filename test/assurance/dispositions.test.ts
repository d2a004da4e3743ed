// What becomes of verdicts: each disposition by an example, and the counts of any of them.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  countDispositions,
  dispositionsOf,
  type TransferQuestion,
} from '../../src/assurance/validation/dispositions.ts';
import type { Disposition } from '../../src/assurance/validation/model.ts';
import type { GraphNode } from '../../src/requirements/graph/model.ts';
import type { ValidationRow } from '../../src/store/tables/assurance.ts';
import type { JudgedTest } from '../../src/store/tables/json.ts';

interface Judged {
  storyId: string;
  /** What the story said, and what it rested on. */
  content: string;
  upstream?: string;
  revision?: number;
  tests?: JudgedTest[];
  /** The place of the verdict that it was carried from, from 1. */
  from?: number;
  /** Of the fingerprint; `t` by default. */
  profile?: string;
}

interface Case {
  /** What each story says today, and what it rests on. */
  today: Record<string, string | [string, string]>;
  judged: Judged[];
  /** Those of today that are no stories. */
  sections?: string[];
  /** Those of today that their sources have retired. */
  inactive?: string[];
  from?: number;
  tests?: Record<string, string | null>;
}

function questionOf({
  today,
  judged,
  sections = [],
  inactive = [],
  from,
  tests = {},
}: Case): TransferQuestion {
  const prints = new Map(
    Object.entries(today).map(([id, said]) => {
      const [content, upstream] = typeof said === 'string' ? [said, 'u'] : said;
      return [id, { f: content, d: `${content} ${upstream}` }];
    }),
  );
  const node = (id: string) =>
    prints.has(id)
      ? ({
          ...{ id, kind: sections.includes(id) ? 'section' : 'story' },
          ...{ active: !inactive.includes(id), status: null },
        } as unknown as GraphNode)
      : undefined;
  const rows = judged.map(
    (
      {
        storyId,
        content,
        upstream = 'u',
        revision = 1,
        tests: own = [],
        from: source,
        profile = 't',
      },
      at,
    ) =>
      ({
        ...{ seq: at + 1, id: `val_${at + 1}`, storyId, revision, tests: own },
        transferredFrom: source === undefined ? null : `val_${source}`,
        fingerprint: `f1.${profile}:${content}`,
        deepFingerprint: `d1.${profile}:${content} ${upstream}`,
      }) as ValidationRow,
  );
  return {
    target: {
      stories: Object.keys(today)
        .filter((id) => !sections.includes(id))
        .map((id) => node(id) as GraphNode),
      node,
      under(id, stored) {
        const said = prints.get(id)?.[stored.startsWith('d') ? 'd' : 'f'];
        return said && stored.slice(0, stored.indexOf(':') + 1) + said;
      },
    },
    verdictsOf: Map.groupBy(rows, ({ storyId }) => storyId),
    from,
    testFingerprint: ({ id }) => tests[id],
  };
}

const ask = (given: Case) => dispositionsOf(questionOf(given));

const dispositions = (given: Case) =>
  ask(given).map(({ storyId, disposition }) => `${storyId} ${disposition}`);

describe('a story that is still there [PQRS-34]', () => {
  test('whose test changed or went is suspect_test, but not for a test that nothing is known of', () => {
    const judgedWith = (id: string) => [
      { storyId: 'A', content: 'a', tests: [{ kind: 'scenario', id, fingerprint: 's1:1' }] },
    ];
    const tests = { same: 's1:1', changed: 's1:2', gone: null };
    const by = (id: string) =>
      dispositions({ today: { A: 'a' }, judged: judgedWith(id), tests })[0];
    expect(by('same')).toBe('A transferable');
    expect(by('changed')).toBe('A suspect_test');
    expect(by('gone')).toBe('A suspect_test');
    expect(by('unknown')).toBe('A transferable');
  });

  test('and is back at what an earlier verdict judged, is restored by that one', () => {
    const judged = [
      { storyId: 'A', content: 'a' },
      { storyId: 'A', content: 'b', revision: 2 },
    ];
    const [item] = ask({ today: { A: 'a' }, judged });
    expect(item).toMatchObject({ disposition: 'restored', validation: { id: 'val_1' } });
    expect(dispositions({ today: { A: 'b' }, judged })).toEqual(['A transferable']);
    expect(dispositions({ today: { A: 'c' }, judged })).toEqual(['A invalidated']);
    expect(dispositions({ today: { A: ['a', 'other'] }, judged })).toEqual(['A invalidated']);
  });

  test('is restored by none that was not made on the revision asked for', () => {
    const judged = [
      { storyId: 'A', content: 'a', revision: 1 },
      { storyId: 'A', content: 'a', revision: 2 },
      { storyId: 'A', content: 'b', revision: 2 },
    ];
    const [item] = ask({ today: { A: 'a' }, judged, from: 2 });
    expect(item).toMatchObject({ disposition: 'restored', validation: { id: 'val_2' } });
    const [, ...others] = judged;
    const first = [judged[0], others[1]] as Judged[];
    expect(dispositions({ today: { A: 'a' }, judged: first })).toEqual(['A restored']);
    expect(dispositions({ today: { A: 'a' }, judged: first, from: 2 })).toEqual(['A invalidated']);
  });
});

test('a story that is a section by now is gone, as are others with its text [PQRS-34]', () => {
  const judged = [{ storyId: 'OLD', content: 'a' }];
  const sections = ['OLD', 'B'];
  const today = { OLD: 'see below', NEW: 'a' };
  expect(dispositions({ today, sections, judged })).toEqual(['OLD renamed']);
  expect(dispositions({ today: { OLD: 'a' }, sections, judged })).toEqual(['OLD orphaned']);
});

test('a story that was renamed, and carried, may be renamed again [PQRS-34]', () => {
  const judged = [
    { storyId: 'OLD', content: 'a' },
    { storyId: 'NEW', content: 'a', revision: 2, from: 1 },
  ];
  expect(dispositions({ today: { NEWER: 'a' }, judged })).toEqual(['OLD orphaned', 'NEW renamed']);
  expect(ask({ today: { NEWER: 'a' }, judged })[0]?.why).toContain('carried to NEW');
  expect(dispositions({ today: { N1: 'a', N2: 'a' }, judged }).slice(0, 2)).toEqual([
    'OLD orphaned',
    'NEW ambiguous',
  ]);
});

test('the counts add up, whatever was judged', () => {
  const id = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F');
  const content = fc.constantFrom('x', 'y', 'z');
  const arbitrary = fc.record({
    today: fc.dictionary(id, fc.tuple(content, fc.constantFrom('u', 'v'))),
    judged: fc.array(
      fc.record({
        ...{ storyId: id, content, revision: fc.integer({ min: 1, max: 3 }) },
        profile: fc.constantFrom('t', 'k'),
      }),
      { maxLength: 12 },
    ),
    from: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(arbitrary, ({ today, judged, from }) => {
      const items = ask({
        today: today as Case['today'],
        judged,
        ...(from === undefined ? {} : { from }),
      });
      const counts = countDispositions(items);
      for (const { validation } of from === undefined ? [] : items)
        expect(validation?.revision ?? from).toBe(from as number);
      const asked = new Set(
        judged
          .filter((one) => from === undefined || one.revision === from)
          .map((one) => one.storyId),
      );
      expect(counts.total - counts.missing).toBe(asked.size);
      expect(counts.total - counts.orphaned - counts.ambiguous).toBe(Object.keys(today).length);
      expect(new Set(items.map(({ storyId }) => storyId)).size).toBe(items.length);
    }),
    { numRuns: 200 },
  );
});

/** What gone stories become as the contract says it, each looked at beside each other one. */
function plainly({ target, verdictsOf, from }: TransferQuestion) {
  const isThere = (id: string) => target.stories.some((story) => story.id === id);
  const gone = [...verdictsOf].filter(([id]) => !isThere(id));
  const all = gone.flatMap(([, verdicts]) => {
    const asked = verdicts.filter((one) => from === undefined || one.revision === from);
    const one = asked.at(-1) ?? verdicts.at(-1);
    return one ? [{ one, isAsked: asked.length > 0 }] : [];
  });
  const candidatesOf = (verdict: ValidationRow) =>
    target.stories
      .map(({ id }) => id)
      .filter(
        (id) =>
          !verdictsOf.has(id) && target.under(id, verdict.fingerprint) === verdict.fingerprint,
      );
  return all.flatMap(({ one, isAsked }) => {
    if (!isAsked) return [];
    const candidates = candidatesOf(one);
    const [first = ''] = candidates;
    const isShared = all.some(
      ({ one: other }) =>
        other !== one &&
        (other.fingerprint === one.fingerprint ||
          target.under(first, other.fingerprint) === other.fingerprint),
    );
    const isSure = candidates.length === 1 && !isShared;
    const disposition = candidates.length === 0 ? 'orphaned' : isSure ? 'renamed' : 'ambiguous';
    const renamedTo = isSure ? first : null;
    return [{ storyId: one.storyId, disposition: disposition as Disposition, renamedTo }];
  });
}

test('gone stories become what a plain look at each beside each other one gives [PQRS-34]', () => {
  const gone = fc.constantFrom('A', 'B', 'C', 'D');
  const fresh = fc.constantFrom('N1', 'N2', 'N3', 'N4', 'N5');
  const content = fc.constantFrom('x', 'y');
  const number = fc.integer({ min: 1, max: 3 });
  const arbitrary = fc.record({
    today: fc.dictionary(fc.oneof(fresh, fresh, gone), content, { maxKeys: 6 }),
    judged: fc.array(
      fc.record({
        ...{ storyId: gone, content, revision: number },
        profile: fc.constantFrom('t', 't', 'k'),
      }),
      { maxLength: 6 },
    ),
    from: fc.option(number, { nil: undefined }),
  });
  const met = new Set<string>();
  fc.assert(
    fc.property(arbitrary, ({ from, ...given }) => {
      const { today, judged } = given as unknown as Case;
      const question = questionOf({
        ...{ today, judged },
        ...(from === undefined ? {} : { from }),
      });
      const expected = plainly(question);
      const ids = new Set(expected.map(({ storyId }) => storyId));
      const items = dispositionsOf(question);
      const found = items.filter(({ storyId }) => ids.has(storyId));
      expect(
        found.map(({ storyId, disposition, renamedTo }) => ({ storyId, disposition, renamedTo })),
      ).toEqual(expected);
      const renamed = found.flatMap(({ renamedTo }) => renamedTo ?? []);
      const missing = items.filter(({ disposition }) => disposition === 'missing');
      for (const { storyId } of missing) expect(renamed).not.toContain(storyId);
      for (const { disposition } of found) met.add(disposition);
    }),
    { numRuns: 1000 },
  );
  expect([...met].sort()).toEqual(['ambiguous', 'orphaned', 'renamed']);
});

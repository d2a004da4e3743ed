// What is newer than edits, and what a new revision does to them.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { superseded } from '../../../src/requirements/overlay/edits.ts';
import { EDIT_FIELDS, sameValue, valuesOf } from '../../../src/requirements/overlay/model.ts';
import { reconcileEdit } from '../../../src/requirements/overlay/settle.ts';

describe('an accepted edit [PQRS-23]', () => {
  const field = fc.uniqueArray(fc.constantFrom(...EDIT_FIELDS), { minLength: 1 });

  test('is superseded once later ones set all its fields, together', () => {
    expect(
      superseded([
        { id: 'a', setFields: { title: 'A', tags: [] } },
        { id: 'b', setFields: { title: 'B' } },
        { id: 'c', setFields: { tags: [], statement: 'C' } },
      ]),
    ).toEqual(['a']);
  });

  test('is superseded where, and only where, nothing of it shows any more', () => {
    fc.assert(
      fc.property(fc.array(field, { maxLength: 8 }), (lists) => {
        const edits = lists.map((fields, at) => ({ id: String(at), fields }));
        const shown = new Map<string, string>();
        for (const { id, fields } of edits) for (const one of fields) shown.set(one, id);
        const visible = new Set(shown.values());
        const gone = edits.filter(({ id }) => !visible.has(id)).map(({ id }) => id);
        const rows = edits.map(({ id, fields }) => ({
          id,
          setFields: Object.fromEntries(fields.map((name) => [name, ''])),
        }));
        expect(superseded(rows).sort()).toEqual(gone.sort());
      }),
    );
  });
});

describe('under a new revision an edit [PQRS-25]', () => {
  const set = { title: 'New', tags: ['a', 'b'] };
  const base = { title: 'Old', tags: ['a'] };
  const cases: [string, Parameters<typeof reconcileEdit>, string][] = [
    ['stays where the sources say what they said', ['accepted', set, base, base], 'accepted'],
    ['stays proposed likewise', ['proposed', set, base, base], 'proposed'],
    ['stays in conflict likewise', ['conflicted', set, base, base], 'conflicted'],
    ['is absorbed where they say what it sets', ['accepted', set, base, set], 'absorbed'],
    ['is absorbed even in conflict', ['conflicted', set, base, set], 'absorbed'],
    [
      'is absorbed where white space alone differs',
      ['accepted', set, base, { ...set, title: ' New\n' }],
      'absorbed',
    ],
    [
      'conflicts where a field says a third thing',
      ['accepted', set, base, { ...base, title: 'Other' }],
      'conflicted',
    ],
    [
      'conflicts where the sources took up a part of it',
      ['proposed', set, base, { ...base, title: 'New' }],
      'conflicted',
    ],
    [
      'stays where the addition that it edits says what it said',
      ['accepted', set, base, base, 'addition'],
      'accepted',
    ],
    [
      'is not absorbed by an addition: that is no source',
      ['conflicted', set, base, set, 'addition'],
      'conflicted',
    ],
    ['conflicts where its story is gone', ['accepted', set, base, undefined], 'conflicted'],
    ['stays withdrawn', ['withdrawn', set, base, set], 'withdrawn'],
    ['stays rejected', ['rejected', set, base, undefined], 'rejected'],
    ['stays superseded', ['superseded', set, base, set], 'superseded'],
    ['stays absorbed', ['absorbed', set, base, base], 'absorbed'],
  ];
  for (const [name, args, state] of cases) {
    test(name, () => expect<string>(reconcileEdit(...args)).toBe(state));
  }
});

test('values are the same but for white space, and their order counts', () => {
  expect(sameValue('a  b', ' a b')).toBe(true);
  expect(sameValue(['a', 'b'], ['b', 'a'])).toBe(false);
  expect(sameValue(null, undefined)).toBe(true);
  expect(sameValue('', null)).toBe(false);
  expect(valuesOf({ title: 'T' }, { title: 'x', priority: 'y' })).toEqual({
    title: 'T',
    priority: null,
  });
});

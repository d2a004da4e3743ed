// Edits that newer ones of the same fields have overtaken.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { EDIT_FIELDS } from '../../../src/requirements/overlay/model.ts';
import { type OpenEdit, overtaking } from '../../../src/requirements/overlay/reconcile.ts';

function edit(
  id: string,
  state: string,
  fields: readonly string[],
  createdAt: number,
  decidedAt: number | null = null,
  storyId = 'US-1',
): OpenEdit {
  const setFields = Object.fromEntries(fields.map((field) => [field, id]));
  return { id, storyId, state, setFields, createdAt, decidedAt };
}

describe('an edit that waits [PQRS-24] [PQRS-81]', () => {
  const waiting = edit('w', 'proposed', ['title', 'tags'], 10);
  const cases: [string, OpenEdit[], ReturnType<ReturnType<typeof overtaking>>][] = [
    [
      'is overtaken by one accepted later that sets a field of it',
      [edit('a', 'accepted', ['title'], 20, 20)],
      { edits: ['a'], fields: ['title'] },
    ],
    [
      'is overtaken by one made before it and accepted later',
      [edit('a', 'accepted', ['tags'], 5, 11)],
      { edits: ['a'], fields: ['tags'] },
    ],
    [
      'is overtaken where nobody knows which was first',
      [edit('a', 'accepted', ['tags'], 10, 10)],
      { edits: ['a'], fields: ['tags'] },
    ],
    ['is not by one accepted before', [edit('a', 'accepted', ['title'], 9, 9)], undefined],
    ['is not by one of other fields', [edit('a', 'accepted', ['priority'], 20, 20)], undefined],
    ['is not by one that waits too', [edit('a', 'proposed', ['title'], 20)], undefined],
    [
      'is not by one of another story',
      [edit('a', 'accepted', ['title'], 20, 20, 'US-2')],
      undefined,
    ],
  ];
  for (const [name, others, found] of cases) {
    test(name, () => expect(overtaking([waiting, ...others])(waiting)).toEqual(found));
  }

  test('and is in conflict is as old as its acceptance', () => {
    const conflicted = edit('c', 'conflicted', ['title'], 1, 15);
    const find = (since: number) =>
      overtaking([conflicted, edit('a', 'accepted', ['title'], since, since)])(conflicted);
    expect(find(14)).toBeUndefined();
    expect(find(16)).toEqual({ edits: ['a'], fields: ['title'] });
  });

  test('is overtaken where, and only where, what shows since it was made would be another', () => {
    const accepted = fc.record({
      fields: fc.uniqueArray(fc.constantFrom(...EDIT_FIELDS), { minLength: 1 }),
      at: fc.integer({ min: 0, max: 20 }),
    });
    const fields = fc.uniqueArray(fc.constantFrom(...EDIT_FIELDS), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(accepted, { maxLength: 6 }), fields, (many, own) => {
        const sorted = many.toSorted((a, b) => a.at - b.at);
        const rows = sorted.map((one, at) => edit(`${at}`, 'accepted', one.fields, one.at, one.at));
        const mine = edit('w', 'proposed', own, 10);
        const overwritten = own.filter((field) => {
          const last = sorted.findLast((one) => one.fields.includes(field));
          return last !== undefined && last.at >= 10;
        });
        expect(overtaking([mine, ...rows])(mine)?.fields ?? []).toEqual(overwritten);
      }),
    );
  });
});

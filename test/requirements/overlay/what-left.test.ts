// What an addition that waits is linked to, or stands below, and that has left.
import { expect, test } from 'bun:test';
import { whatLeft } from '../../../src/requirements/overlay/additions.ts';
import type { StoryAdditionRow } from '../../../src/store/tables/assurance.ts';

test('an addition tells each thing that it hung on and that is gone [PQRS-25]', () => {
  const links = [
    { type: 'depends', to: 'B' },
    { type: 'refines', to: 'C' },
  ];
  const row = { parentId: 'A', links: JSON.stringify(links), acceptance: '[]' } as StoryAdditionRow;
  const among = (...ids: string[]) =>
    ({ node: (id) => (ids.includes(id) ? { id } : undefined) }) as Parameters<typeof whatLeft>[0];
  expect(whatLeft(among('A', 'B', 'C'), row)).toEqual([]);
  expect(whatLeft(among('B'), row)).toEqual(['stands below A', 'refines C']);
  expect(whatLeft(among(), { ...row, parentId: null })).toEqual(['depends B', 'refines C']);
});

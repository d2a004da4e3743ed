// What segments are by their form, and what parameters are called.
import { expect, test } from 'bun:test';
import { nameParams } from '../../../src/quality/routes/fold-templates.ts';
import { singular } from '../../../src/quality/routes/fold-values.ts';
import { segmentOf } from '../../../src/quality/routes/segment.ts';

test.each([
  ['17', 'integer'],
  ['-3', 'integer'],
  ['1.5', 'number'],
  ['0190163d-8694-739b-aea5-966c26f8ad91', 'uuid'],
  ['{6BA7B810-9DAD-11D1-80B4-00C04FD430C8}', 'uuid'],
  ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ulid'],
  ['2026-01-31', 'date'],
  ['2026-01', 'date'],
  ['2026-01-31T10:20:30.5Z', 'date'],
  ['9fceb02', 'hash'],
  ['d41d8cd98f00b204e9800998ecf8427e', 'hash'],
  ['me@example.com', 'email'],
  ['order-17', 'slug'],
  ['1.2.3', 'slug'],
  ['US-12', 'slug'],
  ['item 5', 'string'],
  ['{id}', 'string'],
  [':id', 'string'],
  ['a'.repeat(65), 'string'],
  ['users', null],
  ['v1', null],
  ['v2.1', null],
  ['v1beta1', null],
  ['oauth2', null],
  ['step3', null],
  ['rbac.authorization.k8s.io', null],
  ['facade', null],
  ['deadbeef', null],
  ['added', null],
] as const)('the form of %s', (text, type) => {
  expect(segmentOf(text).type).toBe(type);
});

test('words of the field look less like values than others', () => {
  const weights = ['search', 'banana', 'blue-banana', 'a banana'].map(
    (text) => segmentOf(text).weight,
  );
  expect(weights).toEqual([...weights].sort((a, b) => a - b));
  expect(new Set(weights).size).toBe(4);
});

test.each([
  ['users', 'user'],
  ['categories', 'category'],
  ['addresses', 'address'],
  ['statuses', 'status'],
  ['boxes', 'box'],
  ['people', 'person'],
  ['status', 'status'],
  ['class', 'class'],
  ['settings', 'settings'],
  ['news', 'news'],
  ['data', 'data'],
  ['movies', 'movie'],
])('the singular of %s', (plural, one) => {
  expect(singular(plural)).toBe(one);
});

test('names of parameters', () => {
  const param = (parent: string | null, type = 'integer', given: string | null = null) =>
    ({ parent, type, given }) as const as Parameters<typeof nameParams>[0][number];
  const names = (...params: Parameters<typeof param>[]) =>
    nameParams(params.map((one) => param(...one)));
  expect(names(['users'])).toEqual(['id']);
  expect(names(['logs', 'date'])).toEqual(['date']);
  expect(names(['users'], ['posts'])).toEqual(['userId', 'postId']);
  expect(names(['repos'], [null])).toEqual(['repoId', 'id']);
  expect(names([null], [null], [null])).toEqual(['id', 'id2', 'id3']);
  expect(names(['users'], ['users'])).toEqual(['userId', 'userId2']);
  expect(names(['users'], ['logs', 'date'])).toEqual(['userId', 'logDate']);
  expect(names(['users', 'integer', 'name'], ['line-items'])).toEqual(['name', 'lineItemId']);
  expect(names(['2024'], ['---'])).toEqual(['id', 'id2']);
});

// Imports into one project, one after the other: none is written on a revision that it was not
// prepared on.
import { afterAll, expect, test } from 'bun:test';
import { importRevision } from '../../../src/cli/administration/import-revision.ts';
import {
  type ImportInput,
  prepareImport,
} from '../../../src/requirements/import/import-sources.ts';
import { revisions } from '../../../src/store/tables/requirements.ts';
import { type Instance, openInstance } from '../../support/instance.ts';

const opened: Instance[] = [];

afterAll(async () => {
  for (const instance of opened) await instance.close();
});

async function open() {
  const instance = await openInstance();
  opened.push(instance);
  const { id } = await instance.makeProject('turns');
  const wish = (path: string, over: Partial<ImportInput> = {}): ImportInput => ({
    projectId: id,
    files: [{ path, bytes: Buffer.from(`## US-1: ${path}\n\nIt shall be.\n`), format: null }],
    mode: 'merge',
    baseRevision: undefined,
    actor: { tokenId: 'tok', label: null },
    now: 0,
    ...over,
  });
  return { context: instance.evidence, wish };
}

test('each is made on the one before, and one that fails holds up no other', async () => {
  const { context, wish } = await open();
  const bad = wish('bad.reqif', { mode: 'replace' });
  const wishes = [wish('a.md'), bad, wish('b.md'), wish('b.md'), wish('c.md', { baseRevision: 1 })];
  const ended = await Promise.allSettled(wishes.map((one) => importRevision(context, one)));
  expect(
    ended.map((one) =>
      one.status === 'fulfilled'
        ? [one.value.revision.number, one.value.created]
        : (one.reason as { code: string }).code,
    ),
  ).toEqual([[1, true], 'invalid', [2, true], [2, false], 'conflict']);
});

test('the same sources make a revision where older readers have read them', async () => {
  const { context, wish } = await open();
  const bring = async () => (await importRevision(context, wish('a.md'))).revision.number;
  expect([await bring(), await bring()]).toEqual([1, 1]);
  await context.database.write((db) => db.update(revisions).set({ readersVersion: 0 }));
  expect([await bring(), await bring()]).toEqual([2, 2]);
});

test.each([
  [undefined, 'unavailable', { 'Retry-After': '1' }],
  [0, 'conflict', {}],
])('one on %p that was prepared out of turn is %s', async (baseRevision, code, headers) => {
  const { context, wish } = await open();
  const late = await prepareImport(context, wish('late.md', { baseRevision }));
  await importRevision(context, wish('first.md'));
  const write = late.write;
  if (!write) throw new Error('there is nothing to write');
  const refused = context.database.write((db) => write(db));
  await expect(refused).rejects.toMatchObject({ code, headers });
  await late.end();
});

// Imports into one project, one after the other: none is written on a revision that it was not
// prepared on.
import { afterAll, expect, test } from 'bun:test';
import { importRevision } from '../../../src/cli/administration/administration.ts';
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
  const inputOf = (path: string, over: Partial<ImportInput> = {}): ImportInput => ({
    projectId: id,
    files: [{ path, bytes: Buffer.from(`## US-1: ${path}\n\nIt shall be.\n`), format: null }],
    mode: 'merge',
    baseRevision: undefined,
    actor: { tokenId: 'tok', label: null },
    now: 0,
    ...over,
  });
  return { context: instance.evidence, inputOf };
}

test('each is made on the one before, and one that fails holds up no other', async () => {
  const { context, inputOf } = await open();
  const bad = inputOf('bad.reqif', { mode: 'replace' });
  const inputs = [
    inputOf('a.md'),
    bad,
    inputOf('b.md'),
    inputOf('b.md'),
    inputOf('c.md', { baseRevision: 1 }),
  ];
  const ended = await Promise.allSettled(inputs.map((one) => importRevision(context, one)));
  expect(
    ended.map((one) =>
      one.status === 'fulfilled'
        ? [one.value.revision.number, one.value.created]
        : (one.reason as { code: string }).code,
    ),
  ).toEqual([[1, true], 'invalid', [2, true], [2, false], 'conflict']);
});

test('the same sources make a revision where older readers have read them', async () => {
  const { context, inputOf } = await open();
  const bring = async () => (await importRevision(context, inputOf('a.md'))).revision.number;
  expect([await bring(), await bring()]).toEqual([1, 1]);
  await context.database.write((db) => db.update(revisions).set({ readersVersion: 0 }));
  expect([await bring(), await bring()]).toEqual([2, 2]);
});

test('one that was prepared out of turn is not written', async () => {
  const { context, inputOf } = await open();
  const late = await prepareImport(context, inputOf('late.md'));
  await importRevision(context, inputOf('first.md'));
  const write = late.write;
  if (!write) throw new Error('there is nothing to write');
  const refused = context.database.write((db) => write(db));
  await expect(refused).rejects.toThrow();
  await late.end();
});

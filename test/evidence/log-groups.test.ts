// Groups of system log entries, page by page, while further entries come.
import { afterAll, expect, test } from 'bun:test';
import { decodeAnchored, encodeCursor, filterHash } from '../../src/model/pages.ts';
import { logEntries, logGroups } from '../../src/store/tables/evidence.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import type { LogGroup, Page } from '../support/shapes.ts';

const opened: Instance[] = [];
afterAll(async () => {
  for (const one of opened) await one.close();
});

async function openLogs() {
  const instance = await openInstance();
  opened.push(instance);
  const { token } = await instance.makeProject('lab');
  // A project begins with entries of the audit.
  await instance.evidence.database.write(async (db) => {
    await db.delete(logEntries);
    await db.delete(logGroups);
  });
  async function write(...words: string[]): Promise<void> {
    const answer = await instance.fetch('/api/system-logs', {
      ...{ token, method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(words.map((message) => ({ message }))),
    });
    expect(answer.status).toBe(201);
  }
  async function page(limit: number, cursor: string | null) {
    const query = `view=groups&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`;
    const answer = await instance.fetch(`/api/system-logs?${query}`, { token });
    expect(answer.status).toBe(200);
    const { items, nextCursor } = (await answer.json()) as Page<LogGroup>;
    return { words: items.map(({ message }) => message), nextCursor };
  }
  return { write, page };
}

test('a group that gets an entry during a walk stays in its place, and a new one waits for the next [PQRS-64]', async () => {
  const { write, page } = await openLogs();
  await write('aaa', 'bbb', 'ccc', 'ddd', 'eee', 'fff');
  const first = await page(3, null);
  expect(first.words).toEqual(['fff', 'eee', 'ddd']);
  await write('aaa', 'fff', 'ggg');
  const second = await page(2, first.nextCursor);
  expect(second.words).toEqual(['ccc', 'bbb']);
  await write('bbb', 'aaa');
  const third = await page(2, second.nextCursor);
  expect(third).toEqual({ words: ['aaa'], nextCursor: null });
  expect((await page(9, null)).words).toEqual(['aaa', 'bbb', 'ggg', 'fff', 'eee', 'ddd', 'ccc']);
});

test('each group comes once, newest first, whatever is written between the pages [PQRS-64]', async () => {
  const { write, page } = await openLogs();
  const words = [...'abcdefghijklmnopqrstuvwxyz'];
  const started = [...words, ...'qanzbyq'];
  await write(...started);
  const seen: string[] = [];
  let cursor: string | null = null;
  for (let at = 0; at === 0 || cursor !== null; at += 1) {
    const next = await page(1 + (at % 4), cursor);
    seen.push(...next.words);
    cursor = next.nextCursor;
    await write(...words.filter((_, index) => (index * 7 + at) % 3 === 0), `new ${'x'.repeat(at)}`);
  }
  expect(seen).toEqual([...new Set(started.toReversed())]);
});

test('a cursor that does not say when its walk began goes on as far as is known', async () => {
  const { write, page } = await openLogs();
  await write('aaa', 'bbb', 'ccc');
  const { nextCursor } = await page(1, null);
  const hash = filterHash('listSystemLogs', { view: 'groups' });
  const key = decodeAnchored(hash, nextCursor as string)?.key as number;
  expect((await page(5, encodeCursor(hash, key))).words).toEqual(['bbb', 'aaa']);
  expect((await page(5, encodeCursor(hash, key, 'nonsense'))).words).toEqual(['bbb', 'aaa']);
});

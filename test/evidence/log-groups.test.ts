// Groups of system log entries, page by page, while further entries come.
import { afterAll, expect, test } from 'bun:test';
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

test('a group comes at most once in a walk, newest first, whatever is written between the pages [PQRS-64]', async () => {
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
  expect(new Set(seen).size).toBe(seen.length);
  const inOrder = [...new Set(started.toReversed())];
  expect(seen).toEqual(inOrder.filter((word) => seen.includes(word)));
  const { words: after } = await page(100, null);
  expect(after).toEqual(expect.arrayContaining(words));
});

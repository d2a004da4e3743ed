// What the audit records outlives the retention, and comes or fails with the write that it is of.
import { afterAll, expect, test } from 'bun:test';
import { expireLogs } from '../../src/evidence/evidence.ts';
import { recordAudit, SERVICE } from '../../src/evidence/logs/entries.ts';
import { openInstance } from '../support/instance.ts';
import type { LogEntry, Page } from '../support/shapes.ts';

const DAY_MS = 24 * 3600 * 1000;

const instance = await openInstance();
afterAll(() => instance.close());
const { evidence } = instance;

async function logged(token: string): Promise<LogEntry[]> {
  const answer = await instance.fetch('/api/system-logs', { token });
  return ((await answer.json()) as Page<LogEntry>).items;
}

test('retention removes refusals and the entries of callers, and no event of the audit', async () => {
  const { id, token } = await instance.makeProject('default', { retentionDays: 1 });
  const widget = await instance.makeToken(id, ['widget:write']);
  await instance.fetch('/api/system-logs', { token: widget.text });
  await instance.fetch('/api/system-logs', {
    ...{ token, method: 'POST', headers: { 'content-type': 'application/json' } },
    // A caller's field of the same name keeps nothing.
    body: JSON.stringify({ message: 'mine', fields: { action: 'token.created' } }),
  });
  expect(await logged(token)).toHaveLength(4);
  instance.pass(2 * DAY_MS);
  expect(await expireLogs(evidence)).toBe(2);
  expect((await logged(token)).map(({ message }) => message)).toEqual([
    'token.created',
    'project.created',
  ]);
});

test('an event is not there when its write fails', async () => {
  const { id, token } = await instance.makeProject('failing');
  const before = (await logged(token)).length;
  const failing = evidence.database.write(async (db) => {
    await recordAudit(db, { projectId: id, action: 'backup.made', actor: SERVICE, now: 0 });
    throw new Error('fails');
  });
  await expect(failing).rejects.toThrow('fails');
  expect(await logged(token)).toHaveLength(before);
});

test('what concerns the instance is in the log of its first project', async () => {
  const event = { action: 'keys.rotated', actor: SERVICE, now: 0 } as const;
  await evidence.database.write((db) => recordAudit(db, { ...event, projectId: null }));
  const first = evidence.tokens.projects()[0]?.id ?? '';
  const { text } = await instance.makeToken(first, ['project:owner']);
  expect((await logged(text))[0]?.message).toBe('keys.rotated');
});

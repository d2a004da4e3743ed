// The executable over a libSQL server that goes away and comes back, and beside another process
// that wants the same database.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  openWorkplace,
  type Served,
  type Workplace,
  workplaceAt,
} from '../support/running-executable.ts';
import { type Sqld, sqldMissing, startPrimary, startReplica } from '../support/sqld.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const missing = sqldMissing();
if (missing) console.log(`Skipped: ${missing}.`);

const TIMEOUT_MS = 60_000;
let primary: Sqld;
let replica: Sqld;
let place: Workplace;

beforeAll(async () => {
  if (missing) return;
  primary = await startPrimary();
  replica = await startReplica(primary);
  place = await openWorkplace('sqld-service');
}, 180_000);

const started: Served[] = [];

/** Starts a server that ends with these tests, whatever becomes of them. */
async function serve(at: Workplace, server: Sqld): Promise<Served> {
  const served = await at.serve([], over(server));
  started.push(served);
  return served;
}

afterAll(async () => {
  for (const { stop } of started) await stop('SIGKILL');
  await replica?.stop();
  await primary?.stop();
});

const over = (server: Sqld) => ({ PQRS_DATABASE_URL: server.url, PQRS_FREE_DISK_BYTES: '0' });

/** A folder of its own with the same executable. */
const elsewhere = () => workplaceAt(temporaryFolder('elsewhere'), join(place.folder, 'pqrs'));

function callerOf({ address }: Served, { folder }: Workplace) {
  const token = readFileSync(join(folder, 'pqrs-data', 'owner.token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (method: string, path: string, body?: object) =>
    fetch(`${address}/api${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
}

async function execute(server: Sqld, sql: string): Promise<void> {
  const requests = [{ type: 'execute', stmt: { sql } }, { type: 'close' }];
  const answer = await fetch(`${server.url}/v3/pipeline`, {
    method: 'POST',
    body: JSON.stringify({ requests }),
  });
  expect(await answer.text()).not.toContain('"error"');
}

describe.skipIf(missing !== undefined)('the executable over a libSQL server [PQRS-89]', () => {
  test(
    'answers 503 while the server is away, goes on when it is back, and has lost nothing',
    async () => {
      const served = await serve(place, primary);
      const call = callerOf(served, place);
      const answered = new Map<number, number>();
      const acknowledged: string[] = [];
      let running = true;
      const write = async (of: number) => {
        for (let n = 0; running; n += 1) {
          const title = `${of} ${n}`;
          const answer = await call('POST', '/issues', { title });
          answered.set(answer.status, (answered.get(answer.status) ?? 0) + 1);
          if (answer.status === 201) acknowledged.push(title);
          else expect(answer.headers.get('retry-after')).toBe('5');
          await answer.text();
          if (answer.status !== 201) await Bun.sleep(30);
        }
      };
      const writing = Promise.all([1, 2, 3, 4].map(write));
      await Bun.sleep(300);
      await primary.stop();
      const ready = await call('GET', '/ready');
      expect(ready.status).toBe(503);
      expect((await call('GET', '/health')).status).toBe(200);
      await Bun.sleep(300);
      await primary.start();
      const before = acknowledged.length;
      while (acknowledged.length < before + 10) await Bun.sleep(20);
      running = false;
      await writing;
      expect((await call('GET', '/ready')).status).toBe(200);
      expect([...answered.keys()].sort()).toEqual([201, 503]);

      const kept: { number: number; title: string }[] = [];
      for (let path: string | null = '/issues?limit=200'; path; ) {
        const page = (await (await call('GET', path)).json()) as {
          items: typeof kept;
          nextCursor: string | null;
        };
        kept.push(...page.items);
        path = page.nextCursor && `/issues?limit=200&cursor=${page.nextCursor}`;
      }
      const titles = new Set(kept.map((issue) => issue.title));
      expect(acknowledged.filter((title) => !titles.has(title))).toEqual([]);
      expect(titles.size).toBe(kept.length);
      // What failed may have cost a number, but none is given twice.
      const numbers = kept.map((issue) => issue.number);
      expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => other - one));
      expect((await served.stop()).code).toBe(0);
    },
    TIMEOUT_MS,
  );

  test(
    'refuses a database that another process serves, and is not held up by its own crash',
    async () => {
      const served = await serve(place, primary);
      const refused = await elsewhere().run(['serve', '--port', '0'], over(primary));
      expect(refused.code).toBe(1);
      expect(refused.err).toMatch(
        new RegExp(
          `^pqrs: another pqrs process \\(${served.pid} on \\S+\\) serves this database; `,
        ),
      );
      expect(refused.err.trimEnd().split('\n')).toHaveLength(1);
      await served.stop('SIGKILL');
      // Another folder has to wait until the lease ends; this one knows that its process is gone.
      expect((await elsewhere().run(['serve'], over(primary))).code).toBe(1);
      const again = await serve(place, primary);
      expect((await callerOf(again, place)('GET', '/ready')).status).toBe(200);
      expect((await again.stop()).code).toBe(0);
      // Given back, it is free at once.
      const other = elsewhere();
      const third = await serve(other, primary);
      await third.stop();
    },
    TIMEOUT_MS,
  );

  test(
    'ends when another process has taken the database over',
    async () => {
      const served = await serve(place, primary);
      const call = callerOf(served, place);
      await execute(primary, "update lease set holder = 'another', folder = 'another'");
      await call('POST', '/issues', { title: 'too late' }).catch(() => {});
      const ended = await served.stop('SIGCONT');
      expect(ended.code).toBe(1);
      expect(ended.err).toContain('another process has taken over the database');
      await execute(primary, 'delete from lease');
      const again = await serve(place, primary);
      const list = (await (await callerOf(again, place)('GET', '/issues?limit=1')).json()) as {
        items: { title: string }[];
      };
      expect(list.items[0]?.title).not.toBe('too late');
      await again.stop();
    },
    TIMEOUT_MS,
  );

  test(
    'ends in order while the server is away, and says so when it is away at the start',
    async () => {
      const served = await serve(place, primary);
      await primary.stop();
      const ended = await served.stop();
      expect(ended.code).toBe(0);
      const refused = await place.run(['serve'], over(primary));
      expect(refused.code).toBe(1);
      expect(refused.err).toMatch(/^pqrs: the libSQL server at 127\.0\.0\.1:\d+ cannot be used: /);
      expect(refused.err.trimEnd().split('\n')).toHaveLength(1);
      await primary.start();
    },
    TIMEOUT_MS,
  );

  test('takes a bad address for a bad setting', async () => {
    const refused = await place.run(['serve'], { PQRS_DATABASE_URL: 'postgres://localhost' });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('PQRS_DATABASE_URL') });
  });
});

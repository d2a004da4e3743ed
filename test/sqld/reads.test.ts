// Reads from a libSQL server: they see every write that was acknowledged before they were asked
// for, also from a replica, also when its primary starts anew.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { isUnavailable, StoreUnavailable } from '../../src/store/errors.ts';
import { startHranaProxy } from '../support/hrana-proxy.ts';
import { insertNote, openServerStore, type ServerStore } from '../support/server-store.ts';
import { type Sqld, sqldMissing, startPrimary, startReplica } from '../support/sqld.ts';

const missing = sqldMissing();
if (missing) console.log(`Skipped: ${missing}.`);

const TIMEOUT_MS = 60_000;
let servers: { primary: Sqld; replica: Sqld };

beforeAll(async () => {
  if (missing) return;
  const primary = await startPrimary();
  servers = { primary, replica: await startReplica(primary) };
});

afterAll(async () => {
  await servers?.replica.stop();
  await servers?.primary.stop();
});

async function withStore(url: string, run: (store: ServerStore) => Promise<void>): Promise<void> {
  const store = await openServerStore(url);
  try {
    await store.write((db) => db.run(sql`delete from notes`));
    await run(store);
  } finally {
    await store.close();
  }
}

async function count(store: ServerStore): Promise<number> {
  const rows = await store.read.all<unknown[]>(sql`select count(*) from notes`);
  return Number(rows[0]?.[0]);
}

describe.skipIf(missing !== undefined)('reads [PQRS-89]', () => {
  test('from a replica see each write as soon as it is acknowledged', async () => {
    await withStore(servers.replica.url, async (store) => {
      const seen: number[] = [];
      for (let n = 1; n <= 100; n += 1) {
        await store.add(`n${n}`);
        seen.push(await count(store));
      }
      expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    });
  });

  test('from a replica see those of others that run at the same time', async () => {
    await withStore(servers.replica.url, async (store) => {
      let acknowledged = 0;
      const stale: string[] = [];
      const write = async (of: number) => {
        for (let n = 0; n < 30; n += 1) {
          await store.add(`${of} ${n}`);
          acknowledged += 1;
        }
      };
      const read = async () => {
        for (let n = 0; n < 60; n += 1) {
          const wanted = acknowledged;
          const found = await count(store);
          if (found < wanted) stale.push(`${found} of ${wanted}`);
        }
      };
      await Promise.all([write(1), write(2), write(3), read(), read()]);
      expect(stale).toEqual([]);
      expect(await count(store)).toBe(90);
    });
  });

  test('that stand alone are answered by the replica itself', async () => {
    await withStore(servers.replica.url, async (store) => {
      await store.add('a');
      await Bun.sleep(500);
      servers.primary.freeze(true);
      try {
        expect(await store.names()).toEqual(['a']);
      } finally {
        servers.primary.freeze(false);
      }
    });
  });

  test('that are asked for together share requests, and fail alone', async () => {
    const proxy = startHranaProxy(servers.primary.url);
    await withStore(proxy.url, async (store) => {
      await store.add('a');
      const before = proxy.requests;
      const all = await Promise.allSettled(
        Array.from({ length: 24 }, (_, n) =>
          n === 5
            ? store.read.all(sql`select a from nowhere`)
            : store.read.all<unknown[]>(sql`select ${n}`).then((rows) => rows[0]?.[0]),
        ),
      );
      expect(proxy.requests - before).toBe(3);
      const failed = all[5] as PromiseRejectedResult;
      expect(failed.status).toBe('rejected');
      expect(isUnavailable(failed.reason)).toBe(false);
      const others = all.filter((_, n) => n !== 5).map((one) => 'value' in one && one.value);
      expect(others).toEqual(Array.from({ length: 24 }, (_, n) => n).filter((n) => n !== 5));
    });
    proxy.stop();
  });

  test('that are no SQL are refused alone', async () => {
    await withStore(servers.primary.url, async (store) => {
      await store.add('a');
      const [bad, good] = await Promise.allSettled([store.read.all(sql`selec 1`), store.names()]);
      expect(bad?.status).toBe('rejected');
      expect(good).toEqual({ status: 'fulfilled', value: ['a'] });
    });
  });

  test('that are too large together are read one by one', async () => {
    await withStore(servers.primary.url, async (store) => {
      await store.write((db) => db.run(insertNote('large', 'x'.repeat(4_000_000))));
      const read = () => store.read.all<unknown[]>(sql`select value from notes`);
      const all = await Promise.all([read(), read(), read(), read()]);
      expect(all.map((rows) => String(rows[0]?.[0]).length)).toEqual(Array(4).fill(4_000_000));
    });
  });

  test('fail while the server is away, and are answered once it is back', async () => {
    await withStore(servers.primary.url, async (store) => {
      await store.add('a');
      await servers.primary.stop();
      const [read, write] = await Promise.all([
        store.names().catch((error) => error.cause),
        store.add('lost').catch((error) => error),
      ]);
      expect(read).toBeInstanceOf(StoreUnavailable);
      expect(write).toBeInstanceOf(StoreUnavailable);
      await servers.primary.start();
      expect(await store.names()).toEqual(['a']);
      await store.add('b');
      expect(await store.names()).toEqual(['a', 'b']);
    });
  });

  test(
    'from a replica see all that was acknowledged, however often the primary dies',
    async () => {
      await withStore(servers.replica.url, async (store) => {
        const acknowledged: string[] = [];
        const stale: string[] = [];
        let running = true;
        const write = async (of: number) => {
          for (let n = 0; running; n += 1) {
            await store.add(`${of} ${n}`).then(
              () => acknowledged.push(`${of} ${n}`),
              () => Bun.sleep(20),
            );
          }
        };
        const read = async () => {
          while (running) {
            const wanted = acknowledged.length;
            const found = await count(store).catch(() => Number.POSITIVE_INFINITY);
            if (found < wanted) stale.push(`${found} of ${wanted}`);
          }
        };
        const working = Promise.all([write(1), write(2), read(), read()]);
        for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
          await Bun.sleep(400);
          await servers.primary.stop(signal);
          await servers.primary.start();
          const before = acknowledged.length;
          const end = performance.now() + 40_000;
          while (acknowledged.length === before && performance.now() < end) await Bun.sleep(20);
          expect(acknowledged.length).toBeGreaterThan(before);
        }
        running = false;
        await working;
        expect(stale).toEqual([]);
        const kept = new Set(await store.names());
        expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
        // What failed was not written either, but for commits whose server died before it answered.
        expect(kept.size - acknowledged.length).toBeLessThanOrEqual(3);
      });
    },
    TIMEOUT_MS,
  );
});

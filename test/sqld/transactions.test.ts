// Write transactions on a libSQL server: what is together is together, nothing is executed outside
// of a transaction, and what became of a commit is known even when its answer was lost.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { isTooLarge, isUnavailable, StoreUnavailable } from '../../src/store/errors.ts';
import { type HranaProxy, startHranaProxy } from '../support/hrana-proxy.ts';
import { insertNote, openServerStore, type ServerStore } from '../support/server-store.ts';
import { type Sqld, sqldMissing, startPrimary, startReplica } from '../support/sqld.ts';

const missing = sqldMissing();
if (missing) console.log(`Skipped: ${missing}.`);

const TIMEOUT_MS = 30_000;
let servers: { primary: Sqld; replica: Sqld };

beforeAll(async () => {
  if (missing) return;
  const primary = await startPrimary();
  servers = { primary, replica: await startReplica(primary) };
});

/** Runs a test over a proxy with a store of its own, which is closed after it. */
async function withStore(
  server: Sqld,
  options: Parameters<typeof openServerStore>[1],
  run: (store: ServerStore, proxy: HranaProxy) => Promise<void>,
): Promise<void> {
  const proxy = startHranaProxy(server.url);
  const store = await openServerStore(proxy.url, options);
  try {
    await store.write((db) => db.run(sql`delete from notes`));
    await run(store, proxy);
  } finally {
    proxy.fate = () => 'pass';
    await store.close();
    proxy.stop();
  }
}

const holds = (text: string) => (body: string) => body.includes(text);

for (const kind of ['primary', 'replica'] as const) {
  describe.skipIf(missing !== undefined)(`writes on a ${kind}`, () => {
    const server = () => servers[kind];

    test('keep the type of every value', async () => {
      await withStore(server(), {}, async (store) => {
        const bytes = Buffer.from([0, 255, 1, 254]);
        const values = [
          [null, 'null', null],
          [7, 'integer', 7],
          [-9007199254740991, 'integer', -9007199254740991],
          [2n ** 62n, 'integer', 2n ** 62n],
          [1.5, 'real', 1.5],
          [1e300, 'real', 1e300],
          [true, 'integer', 1],
          ['', 'text', ''],
          ['"quoted"\n\u0001 é 🙂', 'text', '"quoted"\n\u0001 é 🙂'],
          [bytes, 'blob', bytes],
          [Buffer.alloc(0), 'blob', Buffer.alloc(0)],
        ] as const;
        for (const [index, [value]] of values.entries()) await store.add(`v${index}`, value);
        const rows = await store.read.all<unknown[]>(
          sql`select value, typeof(value) from notes order by seq`,
        );
        expect(rows.map((row) => [row[0], row[1]])).toEqual(
          values.map(([, type, read]) => [read, type]) as unknown[][],
        );
      });
    });

    test('tell the row they made', async () => {
      await withStore(server(), {}, async (store) => {
        const result = await store.write((db) => db.run(insertNote('a')));
        expect(result).toMatchObject({ rowsAffected: 1, lastInsertRowid: expect.any(BigInt) });
      });
    });

    test('of one turn share a commit; one that fails takes back its own alone', async () => {
      await withStore(server(), {}, async (store) => {
        const all = await Promise.allSettled([
          store.add('a'),
          store.write(async (db) => {
            await db.run(insertNote('half'));
            throw new Error('changed my mind');
          }),
          store.write((db) => db.run(insertNote('a'))),
          store.write(async (db) => {
            // A statement that fails and is caught leaves the rest of its write in force.
            await db.run(insertNote('a')).catch(() => {});
            await db.run(insertNote('c'));
          }),
          store.add('d'),
        ]);
        expect(all.map((one) => one.status)).toEqual([
          'fulfilled',
          'rejected',
          'rejected',
          'fulfilled',
          'fulfilled',
        ]);
        const violation = (all[2] as PromiseRejectedResult).reason;
        expect(String(violation.cause)).toContain('UNIQUE');
        expect(isUnavailable(violation)).toBe(false);
        expect(await store.names()).toEqual(['a', 'c', 'd']);
      });
    });

    test('read what they have written, which nobody else sees before the commit', async () => {
      await withStore(server(), {}, async (store) => {
        await store.write(async (db) => {
          await db.run(insertNote('a'));
          expect(await db.all(sql`select name from notes`)).toHaveLength(1);
          expect(await store.names()).toEqual([]);
        });
        expect(await store.names()).toEqual(['a']);
      });
    });

    test('asked for together travel together, in their order', async () => {
      await withStore(server(), {}, async (store, proxy) => {
        const before = proxy.requests;
        await store.write(async (db) => {
          await Promise.all(Array.from({ length: 400 }, (_, n) => db.run(insertNote(`n${n}`))));
        });
        expect(proxy.requests - before).toBe(2);
        expect(await store.names()).toEqual(Array.from({ length: 400 }, (_, n) => `n${n}`));
      });
    });

    test('asked for together fail together', async () => {
      await withStore(server(), {}, async (store) => {
        const names = Array.from({ length: 1200 }, (_, n) => `n${n % 700}`);
        const write = store.write((db) =>
          Promise.all(names.map((name) => db.run(insertNote(name)))),
        );
        const error = (await write.catch((error) => error)) as Error;
        expect(String(error.cause)).toContain('UNIQUE');
        await store.add('after');
        expect(await store.names()).toEqual(['after']);
      });
    });

    test('that change nothing send nothing', async () => {
      await withStore(server(), {}, async (store, proxy) => {
        const before = proxy.requests;
        expect(await store.write(async () => 'nothing')).toBe('nothing');
        expect(proxy.requests).toBe(before);
      });
    });

    test('whose request is lost fail, and the next one succeeds', async () => {
      await withStore(server(), {}, async (store, proxy) => {
        proxy.fate = (body) => (holds('insert into notes')(body) ? 'lose request' : 'pass');
        const failure = await store.add('a').catch((error) => error);
        expect(failure).toBeInstanceOf(StoreUnavailable);
        proxy.fate = () => 'pass';
        await store.add('b');
        expect(await store.names()).toEqual(['b']);
      });
    });

    test('whose commit lost its answer have succeeded [PQRS-89]', async () => {
      await withStore(server(), {}, async (store, proxy) => {
        let lost = 0;
        proxy.fate = (body) => {
          if (!holds('"release one"')(body) || lost > 0) return 'pass';
          lost += 1;
          return 'lose answer';
        };
        await store.add('a');
        expect(lost).toBe(1);
        await store.add('b');
        expect(await store.names()).toEqual(['a', 'b']);
      });
    });

    test('whose outcome is learnt too late are told of', async () => {
      await withStore(server(), { lookUpMs: 300 }, async (store, proxy) => {
        let told = 0;
        store.onRecovered(() => {
          told += 1;
        });
        let away = false;
        proxy.fate = (body) => {
          if (away) return 'lose request';
          away = holds('"release one"')(body);
          return away ? 'lose answer' : 'pass';
        };
        const failure = await store.add('a').catch((error) => error);
        expect(failure).toBeInstanceOf(StoreUnavailable);
        proxy.fate = () => 'pass';
        expect(told).toBe(0);
        await store.add('b');
        expect(told).toBe(1);
        await store.add('c');
        expect(told).toBe(1);
        expect(await store.names()).toEqual(['a', 'b', 'c']);
      });
    });

    test('that take long do not share their commit with all that wait', async () => {
      await withStore(server(), {}, async (store) => {
        const seen: string[][] = [];
        const slow = store.write(async (db) => {
          await db.run(insertNote('slow'));
          await Bun.sleep(1100);
        });
        const next = store.write(async (db) => {
          seen.push(await store.names());
          await db.run(insertNote('next'));
        });
        await Promise.all([slow, next]);
        expect(seen).toEqual([['slow']]);
      });
    });
  });
}

// Each of these waits the 5 s that a server keeps a transaction: both at once, on servers of their
// own.
describe.skipIf(missing !== undefined)('writes', () => {
  test.concurrent(
    'whose commit never arrived have failed',
    async () => {
      await withStore(servers.replica, {}, async (store, proxy) => {
        let lost = 0;
        proxy.fate = (body) => {
          if (!holds('"release one"')(body) || lost > 0) return 'pass';
          lost += 1;
          return 'lose request';
        };
        const failure = await store.add('a').catch((error) => error);
        expect(lost).toBe(1);
        expect(failure).toBeInstanceOf(StoreUnavailable);
        await store.add('b');
        expect(await store.names()).toEqual(['b']);
      });
    },
    TIMEOUT_MS,
  );

  test.concurrent(
    'that the server has ended, because another one waited, are over',
    async () => {
      const primary = await startPrimary();
      await withStore(primary, {}, async (store) => {
        let late: unknown;
        const write = store.write(async (db) => {
          await db.run(insertNote('first'));
          await lockFor(primary.url);
          late = await db.run(insertNote('late')).catch((error) => error);
          await db.run(insertNote('later')).catch(() => {});
          return 'well';
        });
        const failure = await write.catch((error) => error);
        expect(isUnavailable(late)).toBe(true);
        expect(failure).toBeInstanceOf(StoreUnavailable);
        expect(await store.names()).toEqual([]);
        await store.add('next');
        expect(await store.names()).toEqual(['next']);
      });
      await primary.stop();
    },
    TIMEOUT_MS,
  );
});

describe.skipIf(missing !== undefined)('values that are too large', () => {
  test('for the server are told apart', async () => {
    await withStore(servers.primary, {}, async (store) => {
      const failure = await store.add('a', 'x'.repeat(6_000_000)).catch((error) => error);
      expect(isTooLarge(failure)).toBe(true);
      expect(isUnavailable(failure)).toBe(false);
      await store.add('b', 'x'.repeat(4_500_000));
      expect(await store.names()).toEqual(['b']);
    });
  });

  test('for a replica to hand on, which says nothing of it, are not taken for written', async () => {
    await withStore(servers.replica, {}, async (store) => {
      const failure = await store.add('a', 'x'.repeat(4_900_000)).catch((error) => error);
      expect(isUnavailable(failure)).toBe(true);
      await store.add('b', 'x'.repeat(3_000_000));
      expect(await store.names()).toEqual(['b']);
    });
  });
});

/** Takes the write lock from whoever has it, which takes the server 5 s, and lets it go. */
async function lockFor(url: string): Promise<void> {
  const steps = ['begin immediate', 'rollback'].map((text) => ({ stmt: { sql: text } }));
  const requests = [{ type: 'batch', batch: { steps } }, { type: 'close' }];
  const body = JSON.stringify({ requests });
  expect((await fetch(`${url}/v3/pipeline`, { method: 'POST', body })).status).toBe(200);
}

afterAll(async () => {
  await servers?.replica.stop();
  await servers?.primary.stop();
});

// The lease of a database on a libSQL server: one process at a time, by the server's clock.
import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { ConfigError } from '../../src/config.ts';
import { openRemote } from '../../src/store/client/remote.ts';
import { StoreRefused, StoreUnavailable } from '../../src/store/errors.ts';
import { startHranaProxy } from '../support/hrana-proxy.ts';
import { openServerStore } from '../support/server-store.ts';
import { type Sqld, sqldMissing, startPrimary, startReplica } from '../support/sqld.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const missing = sqldMissing();
if (missing) console.log(`Skipped: ${missing}.`);

let primary: Sqld;
let replica: Sqld;

beforeAll(async () => {
  if (missing) return;
  primary = await startPrimary();
  replica = await startReplica(primary);
});

afterEach(async () => {
  setSystemTime();
  // A test that failed leaves its lease behind.
  const requests = [{ type: 'execute', stmt: { sql: 'delete from lease' } }, { type: 'close' }];
  const body = JSON.stringify({ requests });
  if (primary) await fetch(`${primary.url}/v3/pipeline`, { method: 'POST', body });
});

afterAll(async () => {
  await replica?.stop();
  await primary?.stop();
});

/** A holder that never renews its lease by itself. */
async function take(leaseMs: number, dataDir = temporaryFolder('holder'), url = primary.url) {
  let lost = 0;
  const remote = await openRemote({
    url,
    token: undefined,
    dataDir,
    check: async () => 'id',
    leaseMs,
    onLost() {
      lost += 1;
    },
    onRecovered: () => {},
  });
  return { ...remote, dataDir, lost: () => lost };
}

type Holder = Awaited<ReturnType<typeof take>>;

async function write({ control, writer }: Holder): Promise<void> {
  await control.begin();
  try {
    await writer.execute('select 1');
    await control.commit();
  } catch (error) {
    if (control.inTransaction()) await control.rollback();
    throw error;
  }
}

/** Losses are told a moment later, when the server has been told. */
async function losses(holder: { lost(): number }): Promise<number> {
  for (let wait = 0; wait < 100 && holder.lost() === 0; wait += 1) await Bun.sleep(5);
  return holder.lost();
}

const refusal = (opening: Promise<unknown>) =>
  opening.then(
    () => 'not refused',
    (error) => (error instanceof StoreRefused ? error.message : error),
  );

describe.skipIf(missing !== undefined)('the lease [PQRS-89]', () => {
  test('refuses a second process, by name, of a copied folder, on the primary and on a replica', async () => {
    const first = await take(60_000);
    const said = new RegExp(
      `^another pqrs process \\(${process.pid} on \\S+\\) serves this database; its lease ends in (60|59) s unless it is renewed$`,
    );
    expect(await refusal(take(60_000))).toMatch(said);
    expect(await refusal(take(60_000, undefined, replica.url))).toMatch(said);
    await write(first);
    expect(first.lost()).toBe(0);
    await first.close();
    await (await take(60_000)).close();
  });

  test('is given to one of many that come at once', async () => {
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => take(60_000)));
    const taken = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(taken).toHaveLength(1);
    await taken[0]?.close();
  });

  test('is not waited for after a crash on the same data folder, which was locked', async () => {
    const first = await take(60_000);
    const second = await take(60_000, first.dataDir);
    const failure = await write(first).catch((error) => error);
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(await losses(first)).toBe(1);
    await write(second);
    expect(second.lost()).toBe(0);
    await second.close();
  });

  test('ends by itself, and whoever had it can neither write nor read', async () => {
    const first = await take(300);
    expect(await refusal(take(60_000))).toContain('its lease ends in 1 s');
    await Bun.sleep(350);
    const second = await take(60_000);
    const read = await first.reader.execute('select 1').catch((error) => error);
    expect(read).toBeInstanceOf(StoreUnavailable);
    expect(first.lost()).toBe(1);
    await expect(write(first)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(first.lost()).toBe(1);
    // Nor does it take the lease along when it goes.
    await first.close();
    await write(second);
    expect(second.lost()).toBe(0);
    await second.close();
  });

  test('that has ended and was not taken goes on', async () => {
    const first = await take(200);
    await Bun.sleep(300);
    await write(first);
    expect(first.lost()).toBe(0);
    await first.close();
  });

  test('is renewed by every write', async () => {
    const first = await take(600);
    for (let n = 0; n < 4; n += 1) {
      await Bun.sleep(250);
      await write(first);
    }
    expect(await refusal(take(600))).toContain('another pqrs process');
    await first.close();
  });

  test('is renewed by a store in which nothing is written', async () => {
    const store = await openServerStore(primary.url, { leaseMs: 400 });
    await Bun.sleep(1000);
    expect(await refusal(take(400))).toContain('another pqrs process');
    expect(store.lost()).toBe(0);
    await store.close();
  });

  test('does not ask the clock of this machine', async () => {
    setSystemTime(new Date(Date.now() + 3_600_000));
    const ahead = await take(60_000);
    setSystemTime(new Date(Date.now() - 7_200_000));
    expect(await refusal(take(60_000))).toMatch(/its lease ends in (60|59) s/);
    await write(ahead);
    await ahead.close();
  });

  test('is taken by the process whose request was answered to nobody', async () => {
    const proxy = startHranaProxy(primary.url);
    let lost = 0;
    proxy.fate = () => (lost++ === 0 ? 'lose answer' : 'pass');
    const holder = await take(60_000, undefined, proxy.url);
    expect(lost).toBe(2);
    await write(holder);
    await holder.close();
    proxy.stop();
  });

  test('comes before the migrations: a second process changes no schema', async () => {
    const first = await take(60_000);
    const migrations = [{ name: '9999_newer', sql: 'create table newer (a)' }];
    const refused = refusal(openServerStore(primary.url, { migrations }));
    expect(await refused).toContain('another pqrs process');
    const { rows } = await first.reader.execute(
      "select count(*) from sqlite_schema where name = 'newer'",
    );
    expect(Number(rows[0]?.[0])).toBe(0);
    await first.close();
  });

  test('taken again by its data folder ends the first holder, and nothing is written twice', async () => {
    const dataDir = temporaryFolder('original');
    const first = await openServerStore(primary.url, { dataDir, leaseMs: 400 });
    const second = await openServerStore(primary.url, { dataDir, leaseMs: 400 });
    await second.write((db) => db.run(sql`delete from notes`));
    await second.add('second');
    await expect(first.add('first')).rejects.toBeInstanceOf(StoreUnavailable);
    expect([await losses(first), second.lost()]).toEqual([1, 0]);
    expect(await second.names()).toEqual(['second']);
    await first.close();
    await second.close();
  });
});

describe('an address', () => {
  test('that cannot be one is a bad setting', async () => {
    for (const url of ['', 'file:pqrs.db', 'localhost:8080', 'http://', 'ftp://host', 'libsql:x']) {
      const failure = await take(1000, undefined, url).catch((error) => error);
      expect(failure).toBeInstanceOf(ConfigError);
    }
  });

  test('at which nobody answers is refused, without the token', async () => {
    const failure = await openRemote({
      url: 'http://127.0.0.1:1',
      token: 'secret-token',
      dataDir: temporaryFolder('holder'),
      check: async () => 'id',
      leaseMs: 1000,
      onLost: () => {},
      onRecovered: () => {},
    }).catch((error) => error);
    expect(failure).toBeInstanceOf(StoreRefused);
    expect(failure.message).toStartWith('the libSQL server at 127.0.0.1:1 cannot be used: ');
    expect(JSON.stringify(failure) + failure.stack).not.toContain('secret-token');
  });
});

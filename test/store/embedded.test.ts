// The client of the embedded database: what it does while the event loop goes on.
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { openEmbeddedClient } from '../../src/store/client/embedded.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LONG =
  'with recursive c(n) as (select 1 union all select n + 1 from c limit 500000) select n from c';

test('the event loop goes on while a statement runs apart, and the transaction is as it was', async () => {
  const client = openEmbeddedClient(join(temporaryFolder('embedded'), 'a.db'), [
    'pragma journal_mode = wal',
  ]);
  client.exec('create table t (n integer)');
  client.exec('begin immediate');
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  });
  await client.execApart(`insert into t ${LONG}`);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  expect(client.inTransaction).toBe(true);
  await client.execApart('commit');
  expect(client.inTransaction).toBe(false);
  const { rows } = await client.execute('select count(*) from t');
  expect(rows[0]?.[0]).toBe(500_000);
  client.close();
});

test('what fails apart is told as what fails at once', async () => {
  const told: unknown[] = [];
  const path = join(temporaryFolder('embedded'), 'a.db');
  const client = openEmbeddedClient(path, [], { onError: (error) => told.push(error) });
  const apart = await client.execApart('commit').catch((error) => error);
  expect(() => client.exec('commit')).toThrow(apart.message);
  expect(told).toEqual([apart, expect.objectContaining({ code: apart.code })]);
  client.close();
});

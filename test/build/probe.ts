// A small program for test/build: compiled as pqrs is, it tells what such an executable sees and
// can do: `env <name>` prints a variable, `database <data folder> [folder for the addon]` uses
// libsql directly and through Drizzle, `remote <url>` asks a remote database, `elysia` answers one
// request.
import { createClient } from '@libsql/client';
import { createClient as createRemoteClient } from '@libsql/client/http';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/libsql';
import { Elysia, t } from 'elysia';
import Database from 'libsql';
import { prepareNative } from '../../src/runtime/native.ts';

const [command, argument = '', nativeFolder] = process.argv.slice(2);

if (command === 'env') console.log(process.env[argument] ?? 'unset');
if (command === 'database') await useDatabase(argument, nativeFolder ?? argument);
if (command === 'remote') await useRemote(argument);
if (command === 'elysia') await answer();

async function useDatabase(folder: string, addonFolder: string) {
  if (addonFolder !== 'none') prepareNative(addonFolder);
  const database = new Database(`${folder}/probe.db`);
  database.exec('create table if not exists probe (n integer)');
  database.prepare('insert into probe values (?)').run([1n]);
  database.close();
  const client = createClient({ url: `file:${folder}/probe.db` });
  const rows = await drizzle(client).all<{ n: number }>(sql`select sum(n) as n from probe`);
  console.log(`rows ${rows[0]?.n}`);
}

async function useRemote(url: string) {
  try {
    await createRemoteClient({ url }).execute('select 1');
  } catch (error) {
    console.log(error instanceof Error ? error.name : 'other');
  }
}

async function answer() {
  // This shape goes wrong when the build renames identifiers: Elysia reads the handler's text.
  const app = new Elysia().get(
    '/issues/:id',
    (context) => {
      const {
        query: { limit },
        headers,
      } = context;
      return { id: context.params.id, limit, accept: headers.accept };
    },
    { params: t.Object({ id: t.String() }), query: t.Object({ limit: t.Numeric() }) },
  );
  const headers = { accept: 'text/x' };
  const response = await app.handle(new Request('http://localhost/issues/7?limit=3', { headers }));
  console.log(response.status, await response.text());
}

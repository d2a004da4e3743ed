// Issues at random among many, which no cache holds: against bare Elysia, against cached ones, and with two
// attachments against none.

import { Database } from 'bun:sqlite';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, type Row, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { grownFolder, MANY } from './grown.ts';
import { measure } from './reads.ts';
import { requestBytes } from './requests.ts';
import { type RunningPqrs, startPqrs, startProgram, temporaryFolder } from './running.ts';
import { median } from './statistics.ts';

const ROUNDS = 7;
const IDS = 50_000;
const CACHED = 1000;

export const random: Bench = async ({ pqrs, bare, say }) => {
  const folder = await grownFolder(pqrs, say);
  const copy = join(temporaryFolder(), 'data');
  cpSync(folder, copy, { recursive: true });
  const ids = attachToAll(copy);
  const [plain, attached] = [await startPqrs(pqrs, {}, folder), await startPqrs(pqrs, {}, copy)];
  const client = await openClient(plain.port);
  const path = `/api/issues?id=${ids[0]}`;
  const { body } = await client.ask({ method: 'GET', path, token: plain.token });
  client.close();
  const base = await startProgram([bare], { BARE_BODY: body.toString() });
  const requests = {
    random: readsOf(plain, ids),
    cached: readsOf(plain, ids.slice(0, CACHED)),
    attached: readsOf(attached, ids),
    bare: [requestBytes({ method: 'GET', path: '/item' })],
  };
  const rates = { bare: [], cached: [], attached: [] } as Record<
    'bare' | 'cached' | 'attached',
    number[]
  >;
  for (let round = 0; round < ROUNDS; round++) {
    const { perSecond } = await measureOn(plain, requests.random);
    const [cached, other, bareElysia] = [
      await measure(plain, requests.cached),
      await measureOn(attached, requests.attached),
      await measure(base, requests.bare),
    ];
    rates.bare.push(perSecond / bareElysia.perSecond);
    rates.cached.push(perSecond / cached.perSecond);
    rates.attached.push(other.perSecond / perSecond);
    say(`random ${whole(perSecond)}/s, with attachments ${whole(other.perSecond)}/s`);
    say(`cached ${whole(cached.perSecond)}/s, bare ${whole(bareElysia.perSecond)}/s`);
  }
  await Promise.all([plain.stop(), attached.stop(), base.stop()]);
  const row = (work: string, ratios: number[], limit: number): Row => {
    const ratio = median(ratios);
    return { work, measured: short(ratio), limit: `at least ${limit}`, ok: ratio >= limit };
  };
  return [
    row(
      `GET /api/issues?id= at random among ${whole(MANY)}, against bare Elysia`,
      rates.bare,
      0.12,
    ),
    row('the same against cached ones', rates.cached, 0.2),
    row('the same with two attachments, against none', rates.attached, 0.7),
  ];
};

/** Gives each issue of a folder two attachments, whose files nobody reads; ids of some in no order. */
function attachToAll(folder: string): string[] {
  const database = new Database(join(folder, 'pqrs.db'));
  database.exec(`insert into attachments (id, key, project_id, issue_id, issue_seq, name, kind, media_type, bytes, sha256, author_token, created_at)
    select 'att_' || lower(hex(randomblob(12))), lower(hex(randomblob(32))), project_id, issues.id, issues.seq, 'page.png', 'screenshot', 'image/png', 70, '0', author_token, created_at
    from issues, (values (1), (2))`);
  const rows = database.query(`select id from issues order by random() limit ${IDS}`).all();
  database.close(true);
  return (rows as { id: string }[]).map(({ id }) => id);
}

/** Goes on where the last round has ended: what that one has read is cached. */
async function measureOn(server: RunningPqrs, requests: Buffer[]) {
  const measured = await measure(server, requests);
  requests.push(...requests.splice(0, measured.requests % requests.length));
  return measured;
}

function readsOf({ token }: RunningPqrs, ids: readonly string[]): Buffer[] {
  return ids.map((id) => requestBytes({ method: 'GET', path: `/api/issues?id=${id}`, token }));
}

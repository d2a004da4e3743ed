// The handoff of a project in which nothing has changed since: whole and as 304, against a bare Elysia
// route that answers the same.
import { type Bench, type Row, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { measure } from './reads.ts';
import { requestBytes } from './requests.ts';
import { startPqrs, startProgram } from './running.ts';
import { seedIssues } from './seed.ts';
import { median } from './statistics.ts';

const ISSUES = 1000;
const ROUNDS = 5;
const AT_LEAST = 0.3;

export const handoff: Bench = async ({ pqrs, bare, say }) => {
  const server = await startPqrs(pqrs);
  await seedIssues(server, ISSUES);
  const { token } = server;
  const client = await openClient(server.port);
  const ours = { method: 'GET', path: '/api/project-handoff', token };
  const { head, body } = await client.ask(ours);
  client.close();
  const etag = /\r\netag: *(\S+)/i.exec(head)?.[1] ?? '';
  const base = await startProgram([bare], { BARE_BODY: body.toString(), BARE_ETAG: etag });
  const headers = { 'If-None-Match': etag };
  const rows: Row[] = [];
  for (const [name, status, path] of [
    ['as 304', 304, '/tagged'],
    [`whole (${body.byteLength} bytes)`, 200, '/item'],
  ] as const) {
    const tagged = status === 304 ? headers : {};
    const rates: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const own = [requestBytes({ ...ours, headers: tagged })];
      const theirs = [requestBytes({ method: 'GET', path, headers: tagged })];
      const [a, b] = [await measure(server, own, status), await measure(base, theirs, status)];
      rates.push([a.perSecond, b.perSecond]);
      say(`handoff ${name} ${whole(a.perSecond)}/s, bare ${whole(b.perSecond)}/s`);
    }
    const ratio = median(rates.map(([a, b]) => a / b));
    rows.push({
      work: `GET /api/project-handoff, unchanged since, ${name}, 32 connections`,
      measured: `${short(ratio)} of bare Elysia: ${whole(median(rates.map(([a]) => a)))}/s`,
      limit: `at least ${AT_LEAST}`,
      ok: ratio >= AT_LEAST,
    });
  }
  await Promise.all([server.stop(), base.stop()]);
  return rows;
};

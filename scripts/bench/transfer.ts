// The transfer of verdicts where all that was judged is gone, and as many new stories say the same: each
// of the old may be each of the new.
import { type Bench, type Row, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import type { RequestParts } from './requests.ts';
import { type RunningPqrs, startPqrs } from './running.ts';
import { median } from './statistics.ts';
import { timeOf } from './time-of.ts';

const [MANY, FEW] = [20_000, 2000];
const ROUNDS = 5;
/** Ten times as many, and as much again for what is not of the work itself. */
const AT_MOST = 20;

const TRANSFER = { method: 'GET', path: '/api/validation-transfer?limit=50' } as const;
const dryRun = (round: number) =>
  ({
    ...{ method: 'POST', path: '/api/story-edits' },
    json: { storyId: `NEW-${round}`, set: { statement: `Another ${round}.` }, dryRun: true },
  }) as const;

export const transfer: Bench = async ({ pqrs, say }) => {
  const [many, few] = [await startPqrs(pqrs), await startPqrs(pqrs)];
  await rename(many, MANY);
  await rename(few, FEW);
  const rows = [
    await compare('GET /validation-transfer', () => TRANSFER),
    await compare('POST /story-edits with dryRun on one of the new', dryRun),
  ];
  await Promise.all([many.stop(), few.stop()]);
  return rows;

  /** Something is written before each, so that nothing of it is kept. */
  async function compare(
    work: string,
    request: (round: number) => typeof TRANSFER | ReturnType<typeof dryRun>,
  ): Promise<Row> {
    const times: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      times.push([
        await timeAfterChange(many, request(round)),
        await timeAfterChange(few, request(round)),
      ]);
    const [a, b] = [median(times.map(([ms]) => ms)), median(times.map(([, ms]) => ms))];
    say(`${work}: ${short(a)} ms among many, ${short(b)} ms among few`);
    return {
      work: `${work}, ${whole(MANY)} stories with one text that are gone, and as many new ones`,
      measured: `${short(a / b)} times: median ${short(a)} ms against ${short(b)} ms with ${whole(FEW)}`,
      limit: `under ${AT_MOST} times`,
      ok: a / b < AT_MOST,
    };
  }
};

/** The time of a request that comes after a change, so that nothing of the answer is kept. */
async function timeAfterChange(server: RunningPqrs, request: RequestParts): Promise<number> {
  const client = await openClient(server.port);
  const json = { storyId: `NEW-${Math.random()}`, title: 'Added', statement: 'It is new.' };
  const addition = { method: 'POST', path: '/api/story-additions', token: server.token, json };
  await client.askJson(addition, 201);
  client.close();
  return timeOf(server, request);
}

/** Stories that all say the same are judged, then all have other ids. */
async function rename({ port, token }: RunningPqrs, count: number): Promise<void> {
  const client = await openClient(port);
  const ids = (name: string) => Array.from({ length: count }, (_, at) => `${name}-${at}`);
  const bring = (name: string) => {
    const content = ids(name)
      .map((id) => `## ${id}: The same\n\nIt does the same.\n`)
      .join('\n');
    const json = { slug: 'default', sources: [{ path: 'all.md', content }], confirm: true };
    return client.askJson({ method: 'POST', path: '/api/projects', token, json }, 200);
  };
  await bring('OLD');
  const results = ids('OLD').map((storyId) => ({ storyId, verdict: 'passed' }));
  const json = { mode: 'record', results };
  const path = '/api/validation-transfer';
  await client.askJson({ method: 'POST', path, token, json }, 200);
  await bring('NEW');
  client.close();
}

// The first page of each filter of each list among a million rows, against the same among ten thousand.
// The million is made once a machine: it takes minutes to index.
import { existsSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from '../../src/store/migrations.ts';
import { type Bench, type Row, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { measure } from './lists.ts';
import { type RunningPqrs, startPqrs, temporaryFolder } from './running.ts';
import { FIRST_AT, STEP_MS, seedLists } from './seed-lists.ts';

const MANY = 1_000_000;
const FEW = 10_000;
const ROUNDS = 3;
const REQUESTS = 40;
const AT_MOST_MS = 10;
const AT_MOST_TIMES = 1.5;
/** What a page of 50 takes by itself: below it nothing is compared. */
const NOTHING_MS = 2;

const time = (row: number) => new Date(FIRST_AT + row * STEP_MS).toISOString();
const ago = (rows: number, count: number) => time(count - rows);

const RANGES = (count: number) => [
  `since=${ago(1000, count)}`,
  `since=${ago(20, count)}`,
  `until=${time(1000)}`,
  `since=${time(4000)}&until=${time(4100)}`,
  `until=${time(-1)}`,
];
const PAGES: Record<string, (count: number) => string[]> = {
  issues: (count) => [
    ...['', 'status=open', 'status=resolved', 'severity=blocker', 'severity=major'],
    ...['resolution=fixed', 'resolution=invalid', 'priority=p0', 'assignee=few', 'assignee=none'],
    ...['reporter=few', 'url=https://shop.example/7', 'route=GET%20/r/7', 'build=2026.3'],
    ...['build=none', 'environment=few', 'fixedInBuild=2026.1', 'runId=run_7', 'fingerprint=f7'],
    ...['storyIds=US-7', 'labels=few', 'labels=web', 'duplicateOf=issues7', 'duplicateOf=none'],
    ...['possibleRegression=true', 'possibleRegression=false', 'duplicates=true'],
    ...['assignee=few&severity=blocker', 'q=zirconium', 'q=checkout', 'q=zirconium&labels=few'],
    ...['q=zir*', 'q=%22page%207%20of%22', ...RANGES(count)],
  ],
  'system-logs': (count) => [
    ...['', 'level=fatal', 'level=debug', 'minLevel=warn', 'source=app3', 'source=none'],
    ...['route=POST%20/r/7', 'runId=run_7', 'issueId=issues7', 'fingerprint=f7', 'state=resolved'],
    ...['state=open', 'state=acknowledged', 'q=zirconium', 'q=taken', ...RANGES(count)],
  ],
  'test-runs': (count) => [
    ...['', 'status=broken', 'status=passed', 'branch=few', 'branch=none', 'environment=few'],
    ...['commit=c7', 'agent=few', 'agent=none', 'externalId=ci-7', 'planId=pln_3', 'suiteId=ste_7'],
    ...['late=true', 'commandId=none', ...RANGES(count)],
  ],
};

export const filters: Bench = async ({ pqrs, say }) => {
  const many = await startPqrs(pqrs, {}, await manyFolder(pqrs, say));
  const few = await startPqrs(pqrs, {}, await seededFolder(pqrs, FEW, say));
  // Another version may index otherwise.
  await indexed(many);
  const rows = await filtersOf(many, few, say);
  await Promise.all([many.stop(), few.stop()]);
  return rows;
};

export async function filtersOf(many: RunningPqrs, few: RunningPqrs, say: (text: string) => void) {
  const rows: Row[] = [];
  for (const [list, pages] of Object.entries(PAGES)) {
    const found: { name: string; ms: number; times: number }[] = [];
    for (const [at, query] of pages(MANY).entries()) {
      const times: [number, number][] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const other = pages(FEW)[at];
        times.push([
          (await measure(many, `/api/${list}?${query}`, REQUESTS)).p50,
          (await measure(few, `/api/${list}?${other}`, REQUESTS)).p50,
        ]);
      }
      // Of the quietest round.
      const [a, b] = [0, 1].map((side) => Math.min(...times.map((pair) => pair[side] ?? 0))) as [
        number,
        number,
      ];
      found.push({ name: query || 'no filter', ms: a, times: a / Math.max(b, NOTHING_MS) });
      say(`${list}?${query}: ${short(a)} ms among many, ${short(b)} ms among few`);
    }
    const slowest = found.reduce((one, other) => (other.ms > one.ms ? other : one));
    const worst = found.reduce((one, other) => (other.times > one.times ? other : one));
    rows.push({
      work: `GET /api/${list}, first page of each of ${found.length} filters, ${whole(MANY)} rows against ${whole(FEW)}`,
      measured: `${short(slowest.ms)} ms at most (${slowest.name}), ${short(worst.times)} times (${worst.name})`,
      limit: `under ${AT_MOST_MS} ms, within ${AT_MOST_TIMES} times (of ${NOTHING_MS} ms at least)`,
      ok: slowest.ms < AT_MOST_MS && worst.times <= AT_MOST_TIMES,
    });
  }
  return rows;
}

/** One folder a machine and schema, left for the next run. */
async function manyFolder(pqrs: string, say: (text: string) => void): Promise<string> {
  const made = join(tmpdir(), `pqrs-bench-many-${MIGRATIONS.length}`);
  if (!existsSync(made)) renameSync(await seededFolder(pqrs, MANY, say), made);
  return made;
}

async function seededFolder(
  pqrs: string,
  count: number,
  say: (text: string) => void,
): Promise<string> {
  const folder = join(temporaryFolder(), 'data');
  await (await startPqrs(pqrs, {}, folder)).stop();
  const began = performance.now();
  const seconds = () => `${((performance.now() - began) / 1000).toFixed(0)} s`;
  seedLists(folder, count);
  say(`${whole(count)} of each written in ${seconds()}`);
  const server = await startPqrs(pqrs, {}, folder);
  await indexed(server);
  await server.stop();
  say(`indexed after ${seconds()}`);
  return folder;
}

async function indexed({ port, token }: RunningPqrs): Promise<void> {
  const client = await openClient(port);
  for (const list of ['issues', 'system-logs']) {
    const path = `/api/${list}?q=zirconium&limit=1`;
    const ask = () => client.askJson<{ indexedTo?: string }>({ method: 'GET', path, token });
    while ((await ask()).indexedTo !== undefined) await Bun.sleep(500);
  }
  client.close();
}

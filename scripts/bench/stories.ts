// Reads of single stories and pages of the traceability among many stories against the same among
// few, all of them with results of their tests, also right after each run; and the impact of an edit
// by how much rests on its story.
import { type Bench, type Row, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { type LoadResult, runLoad } from './load.ts';
import { type RequestParts, requestBytes } from './requests.ts';
import { type RunningPqrs, startPqrs } from './running.ts';
import { median } from './statistics.ts';
import { timeOf } from './time-of.ts';

const MANY = 25_000;
const FEW = 1000;
const ROUNDS = 21;
const REQUESTS = 150;
const AT_MOST = 1.5;
const [WIDE, NARROW] = [10_000, 10];
const DRY_RUN_AT_MOST = 20;
/** Stories that a command names; it has run. */
const BY_COMMAND = 100;
const RUNS = 25;
/** More stories on which as many rest as on the two, each for one dry run that nobody asked before. */
const FRESH = 15;

const dryRun = (storyId: string) =>
  ({
    ...{ method: 'POST', path: '/api/story-edits' },
    json: { storyId, set: { statement: 'Another.' }, dryRun: true },
  }) as const;

const READS = [
  ['GET /srs-story/:id', '/api/srs-story/US-500'],
  ['GET /srs-workflow/:id', '/api/srs-workflow/US-500'],
  ['GET /project-traceability?limit=50', '/api/project-traceability?limit=50'],
] as const;

export const stories: Bench = async ({ pqrs, say }) => {
  const [many, few] = [await startPqrs(pqrs), await startPqrs(pqrs)];
  await importStories(many, MANY);
  await importStories(few, FEW);
  const rows: Row[] = [];
  const { wide, narrow } = await dryRuns(many, say);
  rows.push({
    work: `POST /story-edits with dryRun, ${whole(WIDE)} dependents, asked again with nothing changed`,
    measured: `${short(wide / narrow)} times: median ${short(wide)} ms against ${short(narrow)} ms with ${NARROW}`,
    limit: `under ${DRY_RUN_AT_MOST} times`,
    ok: wide / narrow < DRY_RUN_AT_MOST,
  });
  await reportResults(many, MANY);
  await reportResults(few, FEW);
  for (const [work, path] of READS) {
    const read = { method: 'GET', path } as const;
    const [a, b] = await compare([many, read], [few, read]);
    say(`${path}: ${short(a)} ms among many, ${short(b)} ms among few`);
    rows.push({
      work: `${work}, ${whole(MANY)} stories`,
      measured: `${short(a / b)} times: median ${short(a)} ms against ${short(b)} ms with ${whole(FEW)}`,
      limit: `within ${AT_MOST} times`,
      ok: a / b <= AT_MOST,
    });
  }
  rows.push(...(await gates(many, say)), await afterRuns(many, few, say));
  const later = await dryRuns(many, say);
  rows.push({
    work: `the same with a result for each: it names ${whole(WIDE)} tests to run again`,
    measured: `${short(later.wide / later.narrow)} times: median ${short(later.wide)} ms against ${short(later.narrow)} ms`,
    limit: `under ${DRY_RUN_AT_MOST} times`,
    ok: later.wide / later.narrow < DRY_RUN_AT_MOST,
  });
  rows.push(await freshDryRuns(many, say), await dryRunsAfterRuns(many, say));
  await judge(many);
  const judged = await freshDryRuns(many, say);
  rows.push({
    ...judged,
    work: `the first of these with a verdict on each of ${whole(MANY)} stories`,
  });
  await Promise.all([many.stop(), few.stop()]);
  return rows;
};

async function dryRuns(
  server: RunningPqrs,
  say: (text: string) => void,
): Promise<{ wide: number; narrow: number }> {
  const [wide, narrow] = await compare([server, dryRun('HUB-1')], [server, dryRun('HUB-2')]);
  say(`dryRun: ${short(wide)} ms with ${WIDE} dependents, ${short(narrow)} ms with ${NARROW}`);
  return { wide, narrow };
}

const GATE = { method: 'GET', path: '/api/project-traceability?view=gate' } as const;
const SUMMARY = { method: 'GET', path: '/api/project-traceability?limit=1' } as const;

/** A gate that is open for nearly all, against the figures of the same stories. */
async function gates(server: RunningPqrs, say: (text: string) => void): Promise<Row[]> {
  const again = await compare([server, GATE], [server, SUMMARY]);
  const times: [number, number][] = [];
  for (let run = 0; run < RUNS; run++)
    times.push([await readAfterRun(server, run, GATE), await readAfterRun(server, run, SUMMARY)]);
  const first = [median(times.map(([ms]) => ms)), median(times.map(([, ms]) => ms))] as const;
  return [['asked again', again] as const, ['right after a run', first] as const].map(
    ([when, [gate, summary]]) => {
      say(`view=gate ${when}: ${short(gate)} ms, a summary ${short(summary)} ms`);
      return {
        work: `GET /project-traceability?view=gate ${when}, ${whole(MANY)} stories with results`,
        measured: `${short(gate / summary)} times a summary: ${short(gate)} ms against ${short(summary)} ms`,
        limit: `within ${AT_MOST} times`,
        ok: gate / summary <= AT_MOST,
      };
    },
  );
}

/** A story is read right after each of some runs: what they mean for it has yet to be found out. */
async function afterRuns(
  many: RunningPqrs,
  few: RunningPqrs,
  say: (text: string) => void,
): Promise<Row> {
  const times: [number, number][] = [];
  for (let run = 0; run < RUNS; run++)
    times.push([await readAfterRun(many, run), await readAfterRun(few, run)]);
  const [a, b] = [median(times.map(([ms]) => ms)), median(times.map(([, ms]) => ms))];
  say(`a story after a run: ${short(a)} ms among many, ${short(b)} ms among few`);
  return {
    work: `GET /srs-story/:id right after a run of one test, ${whole(MANY)} stories`,
    measured: `${short(a)} ms against ${short(b)} ms with ${whole(FEW)}`,
    limit: 'told',
    ok: true,
  };
}

/** What the first dry run on a story costs while nothing changes. */
async function freshDryRuns(server: RunningPqrs, say: (text: string) => void): Promise<Row> {
  const times: [number, number][] = [];
  for (let at = 0; at < FRESH; at++) {
    times.push([
      await timeOf(server, dryRun(`WIDE-${at}`)),
      await timeOf(server, dryRun(`NARROW-${at}`)),
    ]);
  }
  const [wide, narrow] = [median(times.map(([ms]) => ms)), median(times.map(([, ms]) => ms))];
  say(`a first dryRun: ${short(wide)} ms, ${short(narrow)} ms`);
  return {
    work: `the same on ${FRESH} stories that nobody has asked of, with nothing changed`,
    measured: `${short(wide / narrow)} times: ${short(wide)} ms against ${short(narrow)} ms`,
    limit: `under ${DRY_RUN_AT_MOST} times`,
    ok: wide / narrow < DRY_RUN_AT_MOST,
  };
}

/** What a dry run costs when something has changed since the last one: nothing of it is kept. */
async function dryRunsAfterRuns(server: RunningPqrs, say: (text: string) => void): Promise<Row> {
  const times: [number, number, number][] = [];
  for (let run = 0; run < RUNS; run++) {
    times.push([
      await readAfterRun(server, run, dryRun('HUB-1')),
      await readAfterRun(server, run, dryRun('HUB-2')),
      await readAfterRun(server, run),
    ]);
  }
  const medianOf = (at: 0 | 1 | 2) => median(times.map((one) => one[at]));
  const [wide, narrow, story] = [medianOf(0), medianOf(1), medianOf(2)];
  const ratio = wide / narrow;
  say(`a dryRun after a run: ${short(wide)} ms, ${short(narrow)} ms`);
  return {
    work: 'the same right after a run of one test, when nothing of it is kept',
    measured: `${short(ratio)} times: ${short(wide)} ms against ${short(narrow)} ms; a story then ${short(story)} ms`,
    limit: `under ${DRY_RUN_AT_MOST} times`,
    ok: ratio < DRY_RUN_AT_MOST,
  };
}

const STORY = { method: 'GET', path: '/api/srs-story/US-500' } as const;

async function readAfterRun(
  { port, token }: RunningPqrs,
  run: number,
  request: RequestParts = STORY,
): Promise<number> {
  const client = await openClient(port);
  const json = { results: [{ ...resultOf('US-500'), durationMs: run }] };
  await client.askJson({ method: 'POST', path: '/api/test-runs', token, json }, 201);
  client.close();
  return timeOf({ port, token }, request);
}

/**
 * The medians of two requests, measured in turns, each of its quietest round: where the machine puts
 * client and server, the way between them takes as long as such a request, or twice that.
 */
async function compare(
  one: [RunningPqrs, RequestParts],
  other: [RunningPqrs, RequestParts],
): Promise<[number, number]> {
  const times: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push([(await measure(...one)).p50, (await measure(...other)).p50]);
  }
  return [Math.min(...times.map(([ms]) => ms)), Math.min(...times.map(([, ms]) => ms))];
}

function measure({ port, token }: RunningPqrs, request: RequestParts): Promise<LoadResult> {
  return runLoad({
    ...{ port, connections: 1, seconds: 60, most: REQUESTS, warmupSeconds: 0, status: 200 },
    requests: [requestBytes({ ...request, token }).toString('base64')],
  });
}

/** Stories that rest on each other in twos, and among many two that many and few others rest on. */
async function importStories({ port, token }: RunningPqrs, count: number): Promise<void> {
  const client = await openClient(port);
  const hubs = count > WIDE ? [...WIDE_HUBS, ...NARROW_HUBS].map((id) => story(id, [])) : [];
  const content = [
    ...hubs,
    ...Array.from({ length: count - hubs.length }, (_, at) =>
      story(`US-${at}`, restingOn(at, count)),
    ),
  ].join('\n');
  const json = { slug: 'default', sources: [{ path: 'all.md', content }] };
  await client.askJson({ method: 'POST', path: '/api/projects', token, json }, 200);
  const add = Array.from({ length: FEW / 2 }, (_, at) => ({
    ...{ storyId: `US-${at * 2}`, type: 'verifies' },
    target: { kind: 'test', id: `t1:${at}` },
  }));
  const links = {
    ...{ method: 'POST', path: '/api/project-traceability', token },
    json: { add },
  } as const;
  await client.askJson(links, 200);
  client.close();
}

/** A verdict on each of many stories, of what it says. */
async function judge({ port, token }: RunningPqrs): Promise<void> {
  const client = await openClient(port);
  const hubs = [...WIDE_HUBS, ...NARROW_HUBS];
  const others = Array.from({ length: MANY - hubs.length }, (_, at) => `US-${at}`);
  const results = [...hubs, ...others].map((storyId) => ({ storyId, verdict: 'passed' }));
  const json = { mode: 'record', results };
  const path = '/api/validation-transfer';
  await client.askJson({ method: 'POST', path, token, json }, 200);
  client.close();
}

/** A test of each story, and commands that name some each; all have run. */
async function reportResults({ port, token }: RunningPqrs, count: number): Promise<void> {
  const client = await openClient(port);
  const post = (path: string, json: object) =>
    client.askJson({ method: 'POST', path, token, json }, 201);
  const ids = Array.from({ length: count }, (_, at) => `US-${at}`);
  await post('/api/test-runs', { results: ids.map(resultOf) });
  for (let at = 0; at < ids.length; at += BY_COMMAND) {
    const key = `command ${at}`;
    const storyIds = ids.slice(at, at + BY_COMMAND);
    await post('/api/test-commands', { key, kind: 'manual', storyIds });
    const results = [{ name: key, status: 'passed', durationMs: at }];
    await post('/api/test-runs', { commandId: key, results });
  }
  client.close();
}

function resultOf(id: string): { name: string; status: string; durationMs: number } {
  return { name: `holds [${id}]`, status: 'passed', durationMs: 5 };
}

const hubsOf = (first: string, others: string) => [
  first,
  ...Array.from({ length: FRESH }, (_, at) => `${others}-${at}`),
];
const [WIDE_HUBS, NARROW_HUBS] = [hubsOf('HUB-1', 'WIDE'), hubsOf('HUB-2', 'NARROW')];

function restingOn(at: number, count: number): readonly string[] {
  if (count > WIDE && at >= FEW && at < FEW + WIDE) return WIDE_HUBS;
  if (count > WIDE && at >= FEW + WIDE && at < FEW + WIDE + NARROW) return NARROW_HUBS;
  return at % 2 === 1 ? [`US-${at - 1}`] : [];
}

function story(id: string, on: readonly string[]): string {
  const rests = on.length > 0 ? `\nDepends on: ${on.join(', ')}\n` : '';
  return `## ${id}: Story ${id}\n\nAs a user I have ${id}.\n${rests}`;
}

// Heartbeats of agents, which are durable writes, against the filing of issues on the same server;
// and the same with many who listen to the changes of runs.
import { type Bench, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { startListeners } from './listeners.ts';
import { type LoadResult, runLoad } from './load.ts';
import { processorMs, residentBytes } from './process-figures.ts';
import { requestBytes } from './requests.ts';
import { type RunningPqrs, startPqrs } from './running.ts';
import { issueRequests } from './seed.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const AT_LEAST = 0.8;
const LISTENERS = 500;
const COMMANDS = 64;
const SUITES = 8;
/** Far more than a round sends. */
const BEATS_A_ROUND = 60_000;
const SECONDS = 2.3;
/** News of runs in a project with very many agents. */
const NEWS_A_SECOND = 100;

interface Measurement extends LoadResult {
  /** Processor time of the server for each request, microseconds. */
  cost: number;
}

interface Run {
  runId: string;
  lease: { id: string; token: string };
  seq: number;
}

export const heartbeats: Bench = async ({ pqrs, say }) => {
  const server = await startPqrs(pqrs, { PQRS_EVENT_STREAMS_PER_TOKEN: String(LISTENERS) });
  const runs = await claimRuns(server);
  const results: Record<'bare' | 'progress' | 'issues', Measurement>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await beat(server, runs, false);
    const progress = await beat(server, runs, true);
    const issues = await measured(server, issueRequests(server.token, 1000), 201);
    await settle(server);
    results.push({ bare, progress, issues });
    say(
      `heartbeats ${whole(bare.perSecond)}/s (p99 ${short(bare.p99)} ms, ${short(bare.cost)} µs), with progress ${whole(progress.perSecond)}/s (${short(progress.cost)} µs), issues ${whole(issues.perSecond)}/s (p99 ${short(issues.p99)} ms, ${short(issues.cost)} µs)`,
    );
  }
  const listened = await withListeners(server, runs, say);
  await server.stop();
  const of = (name: 'bare' | 'progress' | 'issues', figure: 'perSecond' | 'cost' = 'perSecond') =>
    median(results.map((result) => result[name][figure]));
  const ratio = (name: 'bare' | 'progress') =>
    median(results.map((result) => result[name].perSecond / result.issues.perSecond));
  const row = (work: string, name: 'bare' | 'progress') => ({
    work,
    measured: `${short(ratio(name))} times: ${whole(of(name))}/s against ${whole(of('issues'))}/s (processor ${short(of(name, 'cost'))} µs against ${short(of('issues', 'cost'))} µs)`,
    limit: `at least ${AT_LEAST} of POST /api/issues`,
    ok: ratio(name) >= AT_LEAST,
  });
  return [
    row('POST /api/run-state, heartbeats, durable, 64 connections', 'bare'),
    row('the same, each with progress', 'progress'),
    told(
      `${LISTENERS} listeners, ${NEWS_A_SECOND} changes a second`,
      `processor ${percent(listened.news)}, ${percent(listened.alone)} without listeners; ${short(listened.megabytes)} MB a second told; memory ${short(listened.memory)} MiB more`,
    ),
    told(
      `heartbeats without news, ${LISTENERS} listeners`,
      `${whole(listened.bare)}/s, ${short(listened.bareRatio)} of the rate right before, without`,
    ),
    told(
      `heartbeats with news of all ${SUITES * COMMANDS} runs all the time, ${LISTENERS} listeners`,
      `${whole(listened.progress)}/s, ${short(listened.progressRatio)} of the rate right before, without`,
    ),
  ];
};

/** Claims runs in some suites, so that no two heartbeats of one run are under way at once. */
async function claimRuns({ port, token }: RunningPqrs): Promise<Run[]> {
  const client = await openClient(port);
  const ask = <T>(path: string, json: unknown) =>
    client.askJson<T>({ method: 'POST', path, token, json }, 201);
  const commandIds: string[] = [];
  for (let number = 0; number < COMMANDS; number++) {
    const command = { key: `unit-${number}`, argv: ['bun', 'test', `unit-${number}`] };
    commandIds.push((await ask<{ id: string }>('/api/test-commands', command)).id);
  }
  const runs: Run[] = [];
  for (let number = 0; number < SUITES; number++) {
    const suite = await ask<{ items: { runId: string }[]; lease: Run['lease'] }>(
      '/api/agent/suite',
      { commandIds, agent: { name: `agent-${number}`, version: '1.0.0' } },
    );
    const { id, token: secret } = suite.lease;
    for (const { runId } of suite.items) runs.push({ runId, lease: { id, token: secret }, seq: 0 });
  }
  client.close();
  return runs;
}

async function beat(server: RunningPqrs, runs: Run[], withProgress: boolean): Promise<Measurement> {
  const { token } = server;
  const requests = Array.from({ length: BEATS_A_ROUND }, (_, index) => {
    const run = runs[index % runs.length] as Run;
    run.seq += 1;
    const { runId, lease, seq } = run;
    const progress = { done: seq, total: 100_000, current: `test ${seq}` };
    const json = { runId, attempt: 1, lease, seq, ...(withProgress ? { progress } : {}) };
    return requestBytes({ method: 'POST', path: '/api/run-state', token, json }).toString('base64');
  });
  return measured(server, requests, 200, requests.length);
}

async function measured(
  { port, pid }: RunningPqrs,
  requests: string[],
  status: number,
  most = Number.MAX_SAFE_INTEGER,
): Promise<Measurement> {
  const before = processorMs(pid);
  const result = await runLoad({
    ...{ port, connections: 64, seconds: SECONDS, warmupSeconds: 0 },
    ...{ status, most, requests },
  });
  return { ...result, cost: ((processorMs(pid) - before) * 1000) / result.requests };
}

/** A search waits until what was filed is indexed: that is not to go on in another's turn. */
async function settle({ port, token }: RunningPqrs): Promise<void> {
  const client = await openClient(port);
  await client.askJson({ method: 'GET', path: '/api/issues?q=basket', token });
  client.close();
}

interface Listened {
  /** Processor time of the server for each second with news, as a part of one core. */
  alone: number;
  news: number;
  /** Told to all listeners each second. */
  megabytes: number;
  /** What the listeners hold, MiB. */
  memory: number;
  /** Heartbeats a second, and as a part of those right before. */
  bare: number;
  bareRatio: number;
  progress: number;
  progressRatio: number;
}

async function withListeners(
  server: RunningPqrs,
  runs: Run[],
  say: (text: string) => void,
): Promise<Listened> {
  const alone = await tellNews(server, runs);
  const before = residentBytes(server.pid);
  const quiet = await startListeners(server, LISTENERS);
  const news = await tellNews(server, runs);
  const memory = (residentBytes(server.pid) - before) / 1024 / 1024;
  const { bytes } = await quiet.stop();
  const bareAlone = await beat(server, runs, false);
  const progressAlone = await beat(server, runs, true);
  const listeners = await startListeners(server, LISTENERS);
  const bare = await beat(server, runs, false);
  const progress = await beat(server, runs, true);
  const heard = await listeners.stop();
  say(
    `with ${LISTENERS} listeners ${whole(bare.perSecond)}/s (p99 ${short(bare.p99)} ms), with progress ${whole(progress.perSecond)}/s (p99 ${short(progress.p99)} ms), ${whole(heard.bytes / progress.seconds / 1e6)} MB/s told, ${heard.dropped} dropped`,
  );
  return {
    ...{ alone, news, memory, megabytes: bytes / SECONDS / 1e6 },
    ...{ bare: bare.perSecond, bareRatio: bare.perSecond / bareAlone.perSecond },
    ...{
      progress: progress.perSecond,
      progressRatio: progress.perSecond / progressAlone.perSecond,
    },
  };
}

/** Says something new of some runs at an even pace; gives the server's processor time. */
async function tellNews(server: RunningPqrs, runs: Run[]): Promise<number> {
  const { port, pid, token } = server;
  const client = await openClient(port);
  const before = processorMs(pid);
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1000;
  for (let sent = 0; passed() < SECONDS; sent++) {
    const run = runs[sent % runs.length] as Run;
    run.seq += 1;
    const { runId, lease, seq } = run;
    const json = { runId, attempt: 1, lease, seq, progress: { done: seq, current: `test ${seq}` } };
    await client.askJson({ method: 'POST', path: '/api/run-state', token, json });
    await Bun.sleep(Math.max(0, (sent + 1) / NEWS_A_SECOND - passed()) * 1000);
  }
  client.close();
  return (processorMs(pid) - before) / 1000 / passed();
}

const percent = (part: number) => `${short(part * 100)} % of a core`;

const told = (work: string, measured: string) => ({ work, measured, limit: 'told', ok: true });

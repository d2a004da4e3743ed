// Heartbeats of agents, which are durable writes, against the filing of issues on the same server;
// and the same with many who listen to the changes of runs.
import { type Bench, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { startListeners } from './listeners.ts';
import { type LoadResult, runLoad } from './load.ts';
import { processorMs } from './process-figures.ts';
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
  const server = await startPqrs(pqrs);
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
    {
      work: `heartbeats with progress, ${LISTENERS} listeners`,
      measured: `${whole(listened)}/s, ${short(listened / of('progress'))} of the rate without`,
      limit: 'told',
      ok: true,
    },
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

async function withListeners(
  server: RunningPqrs,
  runs: Run[],
  say: (text: string) => void,
): Promise<number> {
  const listeners = await startListeners(server, LISTENERS);
  const { perSecond, seconds, p99 } = await beat(server, runs, true);
  const { bytes, dropped } = await listeners.stop();
  say(
    `with ${LISTENERS} listeners ${whole(perSecond)}/s (p99 ${short(p99)} ms), ${whole(bytes / seconds / 1e6)} MB/s told, ${dropped} dropped`,
  );
  return perSecond;
}

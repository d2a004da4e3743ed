// One issue by its id with a token, against a bare Elysia route that answers the same bytes.
import { type Bench, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { runLoad } from './load.ts';
import { processorMs } from './process-figures.ts';
import { requestBytes } from './requests.ts';
import { type Running, startPqrs, startProgram } from './running.ts';
import { issueBody } from './seed.ts';
import { median } from './statistics.ts';

const ISSUES = 1000;
const ROUNDS = 7;
const AT_LEAST = 0.45;

export const reads: Bench = async ({ pqrs, bare, say }) => {
  const server = await startPqrs(pqrs);
  const client = await openClient(server.port);
  const paths: string[] = [];
  let text = '';
  for (let variant = 0; variant < ISSUES; variant++) {
    const { id } = await client.askJson<{ id: string }>(
      { method: 'POST', path: '/api/issues', token: server.token, json: issueBody(variant) },
      201,
    );
    paths.push(`/api/issues?id=${id}`);
  }
  for (const path of paths) {
    text = (await client.ask({ method: 'GET', path, token: server.token })).body.toString();
  }
  client.close();
  const base = await startProgram([bare], { BARE_BODY: text });
  const ours = paths.map((path) => requestBytes({ method: 'GET', path, token: server.token }));
  const theirs = [requestBytes({ method: 'GET', path: '/item' })];
  const rates: [number, number][] = [];
  const costs: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = [await measure(server, ours), await measure(base, theirs)];
    rates.push([a.perSecond, b.perSecond]);
    costs.push([a.cost, b.cost]);
    say(`reads ${whole(a.perSecond)}/s, bare ${whole(b.perSecond)}/s`);
  }
  await Promise.all([server.stop(), base.stop()]);
  const column = (pairs: [number, number][], index: 0 | 1) =>
    median(pairs.map((pair) => pair[index]));
  const ratio = median(rates.map(([a, b]) => a / b));
  const [cost, bareCost] = [column(costs, 0), column(costs, 1)];
  return [
    {
      work: `GET /api/issues?id= with a token, 32 connections, ${whole(ISSUES)} ids (${Buffer.byteLength(text)} bytes)`,
      measured: `${short(ratio)} of bare Elysia: ${whole(column(rates, 0))}/s against ${whole(column(rates, 1))}/s (processor ${short(cost)} µs against ${short(bareCost)} µs)`,
      limit: `at least ${AT_LEAST}`,
      ok: ratio >= AT_LEAST,
    },
  ];
};

export async function measure(
  server: Running,
  requests: Buffer[],
  status = 200,
): Promise<{ perSecond: number; requests: number; cost: number }> {
  const before = processorMs(server.pid);
  const result = await runLoad({
    ...{ port: server.port, connections: 32, seconds: 2, warmupSeconds: 0, status },
    requests: requests.map((bytes) => bytes.toString('base64')),
  });
  const used = processorMs(server.pid) - before;
  const { perSecond, requests: made } = result;
  return { perSecond, requests: made, cost: (used * 1000) / made };
}

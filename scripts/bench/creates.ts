// Durable creates that share commits, against the same server committing each request by itself.
import { type Bench, short, whole } from './bench.ts';
import { type LoadResult, runLoad } from './load.ts';
import { processorMs } from './process-figures.ts';
import { type RunningPqrs, startPqrs } from './running.ts';
import { settle } from './search.ts';
import { issueRequests } from './seed.ts';
import { median } from './statistics.ts';

interface Measurement extends LoadResult {
  /** Processor time of the server for each request, microseconds. */
  cost: number;
}

const ROUNDS = 5;
const AT_LEAST = 5;

export const creates: Bench = async ({ pqrs, say }) => {
  const shared = await startPqrs(pqrs);
  const single = await startPqrs(pqrs, { PQRS_WRITES_PER_COMMIT: '1' });
  const results: [Measurement, Measurement][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const a = await measure(shared);
    await settle(shared);
    const b = await measure(single);
    await settle(single);
    results.push([a, b]);
    say(
      `creates ${whole(a.perSecond)}/s (p99 ${short(a.p99)} ms), alone ${whole(b.perSecond)}/s (p99 ${short(b.p99)} ms)`,
    );
  }
  await Promise.all([shared.stop(), single.stop()]);
  const of = (index: 0 | 1, name: 'perSecond' | 'p99' | 'p50' | 'cost') =>
    median(results.map((pair) => pair[index][name]));
  const times = median(results.map(([a, b]) => a.perSecond / b.perSecond));
  return [
    {
      work: 'POST /api/issues, durable, 64 connections',
      measured: `${short(times)} times: ${whole(of(0, 'perSecond'))}/s against ${whole(of(1, 'perSecond'))}/s with a commit each (processor ${short(of(0, 'cost'))} µs against ${short(of(1, 'cost'))} µs)`,
      limit: `at least ${AT_LEAST} times`,
      ok: times >= AT_LEAST,
    },
    {
      work: 'the same, 99th percentile',
      measured: `${short(of(0, 'p99'))} ms against ${short(of(1, 'p99'))} ms (median ${short(of(0, 'p50'))} against ${short(of(1, 'p50'))})`,
      limit: 'lower',
      ok: of(0, 'p99') < of(1, 'p99'),
    },
  ];
};

async function measure({ port, token, pid }: RunningPqrs): Promise<Measurement> {
  const before = processorMs(pid);
  const result = await runLoad({
    ...{ port, connections: 64, seconds: 2.3, warmupSeconds: 0, status: 201 },
    requests: issueRequests(token, 1000),
  });
  return { ...result, cost: ((processorMs(pid) - before) * 1000) / result.requests };
}

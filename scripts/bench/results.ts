// Reads of test runs among a million results against the same among ten thousand: what is read is
// alike in both, so its time must not grow with what is beside it.
import { type Bench, type Row, short, whole } from './bench.ts';
import { type LoadResult, runLoad } from './load.ts';
import { requestBytes } from './requests.ts';
import { type RunningPqrs, startPqrs } from './running.ts';
import { type SeededResults, seedResults } from './seed-results.ts';
import { median } from './statistics.ts';

const MANY = { runs: 1000, tests: 1000 };
const FEW = { runs: 100, tests: 100 };
const ROUNDS = 7;
const REQUESTS = 150;
const AT_MOST = 1.5;

interface Seeded {
  server: RunningPqrs;
  seeded: SeededResults;
}

const READS: [work: string, paths: (seeded: SeededResults) => string[]][] = [
  ['GET /test-runs?limit=50', () => ['/api/test-runs?limit=50']],
  ['the same of a branch that failed', () => ['/api/test-runs?branch=main&status=failed']],
  [
    'GET /test-runs?testKey= (of 25 tests)',
    ({ testKeys }) => testKeys.map((key) => `/api/test-runs?testKey=${key}`),
  ],
  [
    'GET /test-runs?id= (of 25 runs)',
    ({ runIds }) => runIds.map((id) => `/api/test-runs?id=${id}`),
  ],
];

export const results: Bench = async ({ pqrs, say }) => {
  const many = await start(pqrs, MANY, say);
  const few = await start(pqrs, FEW, say);
  const [size, other] = [MANY.runs * MANY.tests, FEW.runs * FEW.tests];
  const rows: Row[] = [];
  for (const [work, paths] of READS) {
    const times: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      times.push([(await measure(many, paths)).p50, (await measure(few, paths)).p50]);
    }
    const [a, b] = [median(times.map(([ms]) => ms)), median(times.map(([, ms]) => ms))];
    say(`${work}: ${short(a)} ms among many, ${short(b)} ms among few`);
    rows.push({
      work: `${work}, ${whole(size)} results`,
      measured: `${short(a / b)} times: median ${short(a)} ms against ${short(b)} ms with ${whole(other)}`,
      limit: `within ${AT_MOST} times`,
      ok: a / b <= AT_MOST,
    });
  }
  await Promise.all([many.server.stop(), few.server.stop()]);
  return rows;
};

async function start(
  pqrs: string,
  { runs, tests }: typeof MANY,
  say: (text: string) => void,
): Promise<Seeded> {
  const { dataDir, stop } = await startPqrs(pqrs);
  await stop();
  const began = performance.now();
  const seeded = seedResults(dataDir, runs, tests);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(`${whole(runs * tests)} results written in ${seconds} s`);
  return { server: await startPqrs(pqrs, {}, dataDir), seeded };
}

async function measure(
  { server: { port, token }, seeded }: Seeded,
  paths: (seeded: SeededResults) => string[],
): Promise<LoadResult> {
  const requests = paths(seeded).map((path) =>
    requestBytes({ method: 'GET', path, token }).toString('base64'),
  );
  const result = await runLoad({
    ...{ port, connections: 1, seconds: 60, most: REQUESTS, warmupSeconds: 0, status: 200 },
    requests,
  });
  if (result.failures > 0) throw new Error(`a read failed: ${result.firstFailure}`);
  return result;
}

// Pages of issues among many, against the same pages among few: the time of a page must not grow
// with what is behind it.
import { type Bench, short, whole } from './bench.ts';
import { grownFolder, MANY } from './grown.ts';
import { type LoadResult, runLoad } from './load.ts';
import { requestBytes } from './requests.ts';
import { type RunningPqrs, startPqrs } from './running.ts';
import { FREQUENT_WORD, RARE_WORD, seedIssues } from './seed.ts';
import { median } from './statistics.ts';

const FEW = 1000;
const ROUNDS = 7;
const REQUESTS = 150;
const AT_MOST = 1.5;

const PAGES = [
  ['GET /api/issues?limit=50', '/api/issues?limit=50'],
  ['the same with q= (a rare word)', `/api/issues?limit=50&q=${RARE_WORD}`],
  ['the same with q= (a frequent word)', `/api/issues?limit=50&q=${FREQUENT_WORD}`],
] as const;

export const lists: Bench = async ({ pqrs, say }) => {
  const many = await startPqrs(pqrs, {}, await grownFolder(pqrs, say));
  const few = await startPqrs(pqrs);
  await seedIssues(few, FEW);
  const rows = [];
  for (const [work, path] of PAGES) {
    const times: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      times.push([(await measure(many, path)).p50, (await measure(few, path)).p50]);
    }
    const [a, b] = [median(times.map(([ms]) => ms)), median(times.map(([, ms]) => ms))];
    say(`${path}: ${short(a)} ms among many, ${short(b)} ms among few`);
    rows.push({
      work: `${work}, ${whole(MANY)} issues`,
      measured: `${short(a / b)} times: median ${short(a)} ms against ${short(b)} ms with ${whole(FEW)}`,
      limit: `within ${AT_MOST} times`,
      ok: a / b <= AT_MOST,
    });
  }
  await Promise.all([many.stop(), few.stop()]);
  return rows;
};

/** Asks for a page so many times, over one connection. */
export function measure(
  { port, token }: RunningPqrs,
  path: string,
  most = REQUESTS,
): Promise<LoadResult> {
  return runLoad({
    ...{ port, connections: 1, seconds: 60, most, warmupSeconds: 0, status: 200 },
    requests: [requestBytes({ method: 'GET', path, token }).toString('base64')],
  });
}

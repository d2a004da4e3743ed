// Test reports: a JUnit report of 100,000 cases posted to the service as a stream, against a bare
// parse of it and its rows in one transaction; the memory that grows meanwhile, and what other
// requests notice.
import { type Bench, mebibytes, type Row, short, whole } from './bench.ts';
import { type Client, openClient } from './client.ts';
import { othersRow } from './others.ts';
import { followMemory } from './process-figures.ts';
import { CASES, reportChunks } from './report-file.ts';
import { type RunningPqrs, startPqrs, temporaryFolder } from './running.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const LOADED_SECONDS = 10;

interface Times {
  fresh: number;
  again: number;
}

export const reports: Bench = async ({ pqrs, say }) => {
  const chunks = [...reportChunks(CASES)];
  return [
    ...(await timeRows(pqrs, chunks, say)),
    await memoryRow(pqrs, chunks, say),
    await othersRow(
      pqrs,
      {
        name: 'reports',
        seconds: LOADED_SECONDS,
        once: (client, server) => post(client, server, chunks),
      },
      say,
    ),
  ];
};

async function timeRows(
  pqrs: string,
  chunks: readonly Uint8Array[],
  say: (text: string) => void,
): Promise<Row[]> {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const rounds: { own: Times; bare: Times }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = bareInChild();
    const own = await ownTimes(pqrs, chunks);
    rounds.push({ own, bare });
    say(
      `reports: new tests ${whole(own.fresh)} ms, bare ${whole(bare.fresh)} ms; the same again ${whole(own.again)} ms, bare ${whole(bare.again)} ms`,
    );
  }
  return (['fresh', 'again'] as const).map((which) => {
    const ratio = median(rounds.map(({ own, bare }) => bare[which] / own[which]));
    const own = median(rounds.map((one) => one.own[which]));
    const what = which === 'fresh' ? 'tests that are new' : 'tests that are known';
    return {
      work: `POST /test-runs, JUnit of ${whole(CASES)} cases (${mebibytes(bytes)}) of ${what}, against a bare saxes parse and the same rows in one transaction`,
      measured: `${short(ratio)} of its rate: ${whole((CASES / own) * 1000)} cases/s, ${whole(own)} ms`,
      limit: 'at least 0.4',
      ok: ratio >= 0.4,
    };
  });
}

async function ownTimes(pqrs: string, chunks: readonly Uint8Array[]): Promise<Times> {
  const server = await startPqrs(pqrs);
  const client = await openClient(server.port);
  const fresh = await post(client, server, chunks);
  const again = await post(client, server, chunks);
  client.close();
  await server.stop();
  return { fresh, again };
}

async function memoryRow(
  pqrs: string,
  chunks: readonly Uint8Array[],
  say: (text: string) => void,
): Promise<Row> {
  const server = await startPqrs(pqrs);
  const client = await openClient(server.port);
  await post(client, server, [...reportChunks(1000)]);
  const memory = followMemory(server.pid, 5);
  await post(client, server, chunks);
  memory.stop();
  const before = memory.points[0]?.[1] ?? Number.NaN;
  const growth = Math.max(...memory.points.map(([, bytes]) => bytes)) - before;
  say(`reports: memory grew by ${mebibytes(growth)} over ${mebibytes(before)}`);
  client.close();
  await server.stop();
  return {
    work: 'growth of memory during that report',
    measured: `${mebibytes(growth)} over ${mebibytes(before)}`,
    limit: 'less than 100 MiB',
    ok: growth < 100 * 2 ** 20,
  };
}

/** Posts a report, chunk by chunk; gives the milliseconds to the answer. */
async function post(
  client: Client,
  { token }: Pick<RunningPqrs, 'token'>,
  chunks: readonly Uint8Array[],
): Promise<number> {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const began = performance.now();
  const answer = client.ask({
    ...{ method: 'POST', path: '/api/test-runs', token },
    headers: { 'Content-Type': 'application/xml', 'Content-Length': String(bytes) },
  });
  for (const chunk of chunks) await client.connection.write(chunk);
  const { status, body } = await answer;
  if (status !== 201) throw new Error(`the report was answered with ${status}: ${body}`);
  return performance.now() - began;
}

function bareInChild(): Times {
  const script = new URL('./bare-report.ts', import.meta.url).pathname;
  const child = Bun.spawnSync([process.execPath, script, temporaryFolder()], { stderr: 'inherit' });
  return JSON.parse(child.stdout.toString()) as Times;
}

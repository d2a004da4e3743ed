// The requirements graph: making it with its fingerprints and audit, and reading it whole.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { graphFindings } from '../../src/requirements/audit/graph-findings.ts';
import { buildGraph, type SourceContent } from '../../src/requirements/graph/build.ts';
import { DEFAULT_SETTINGS } from '../../src/requirements/projects/settings.ts';
import type { SourceItem, SourceLink } from '../../src/requirements/sources/model.ts';
import { type Bench, type Row, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { diffRow } from './graph-diff.ts';
import { runLoad } from './load.ts';
import { requestBytes } from './requests.ts';
import { startPqrs, startProgram, temporaryFolder } from './running.ts';
import { median } from './statistics.ts';

const NODES = 25_000;
const ROUNDS = 5;
/** What a small resource is in JSON. */
const OBJECT_BYTES = 590;

export const graph: Bench = async (ground) => [
  ...makingRows(),
  ...(await readingRows(ground)),
  await diffRow(ground),
];

/** Items with a statement of some length, each refining one before it. */
function contentOf(nodes: number): SourceContent {
  const items = Array.from(
    { length: nodes },
    (_, at): SourceItem => ({
      ...{
        id: `REQ-${at}`,
        kind: 'requirement',
        title: `Requirement ${at}`,
        acceptance: [`It holds in case ${at}`],
      },
      statement: `When event ${at} comes, the system shall answer within ${at % 90} s and note the answer in its log.`,
      ...{ rationale: null, status: 'approved', priority: null, tags: ['a'], attributes: {} },
      ...{ path: `doc-${Math.floor(at / 500)}.md`, line: at % 500, parentId: null, active: true },
    }),
  );
  const links = items.slice(1).map(
    (item, at): SourceLink => ({
      ...{
        from: item.id,
        to: `REQ-${Math.floor(at / 3)}`,
        type: 'refines',
        path: item.path,
        line: item.line,
      },
    }),
  );
  return { items, links };
}

function makingRows(): Row[] {
  const [small, large] = [contentOf(NODES), contentOf(2 * NODES)];
  const text = JSON.stringify(small);
  const times = Array.from({ length: ROUNDS + 1 }, () => ({
    base: timed(() => parseAndHash(text)),
    small: timed(() => audit(small)),
    large: timed(() => audit(large)),
  })).slice(1);
  const ratio = median(times.map(({ base, small: own }) => own / base));
  const growth = median(times.map(({ small: one, large: two }) => two / one));
  return [
    {
      work: `graph, fingerprints and audit of ${whole(NODES)} nodes, against JSON.parse and a SHA-256 of each`,
      measured: `${short(ratio)} times: ${short(median(times.map(({ small: own }) => own)))} ms against ${short(median(times.map(({ base }) => base)))} ms`,
      limit: 'at most 4 times',
      ok: ratio <= 4,
    },
    {
      work: `the same of ${whole(2 * NODES)} nodes, against that`,
      measured: `${short(growth)} times`,
      limit: 'at most 2.3 times',
      ok: growth <= 2.3,
    },
  ];
}

function parseAndHash(text: string): void {
  const { items } = JSON.parse(text) as SourceContent;
  for (const item of items) createHash('sha256').update(JSON.stringify(item)).digest('hex');
}

function audit(content: SourceContent): void {
  const made = buildGraph(content, DEFAULT_SETTINGS.normative);
  if (graphFindings(made).length > content.items.length)
    throw new Error('the set is not what it should be');
}

function timed(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

async function readingRows({ pqrs, bare, say }: Parameters<Bench>[0]): Promise<Row[]> {
  const server = await startPqrs(pqrs);
  const { token } = server;
  const client = await openClient(server.port);
  const { items } = contentOf(NODES);
  const content = items
    .map(({ id, title, statement }) => `## ${id}: ${title}\n\n${statement}\n`)
    .join('\n');
  const json = { slug: 'default', sources: [{ path: 'all.md', content }] };
  await client.askJson({ method: 'POST', path: '/api/projects', token, json }, 200);
  const answer = await client.ask({ method: 'GET', path: '/api/srs-graph', token });
  client.close();
  const file = join(temporaryFolder(), 'graph.json');
  await Bun.write(file, answer.body);
  const etag = /^etag: (.*)$/im.exec(answer.head)?.[1]?.trim() ?? '';
  const [files, route, object, alone] = [
    await startProgram([bare], { BARE_FILE: file }),
    await startProgram([bare], { BARE_ETAG: etag }),
    await startProgram([bare], { BARE_BODY: JSON.stringify(objectOf(OBJECT_BYTES)) }),
    await startProgram([bare], { BARE_ETAG: etag, BARE_ALONE: 'yes' }),
  ];
  const request = { method: 'GET', path: '/api/srs-graph', token } as const;
  const again = { ...request, headers: { 'If-None-Match': etag } };
  const sending: { own: number; file: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const rate = {
      own: await perSecond(server.port, request, 4, 200),
      file: await perSecond(files.port, { method: 'GET', path: '/file' }, 4, 200),
    };
    sending.push(rate);
    say(`graph ${short(rate.own)}/s, file ${short(rate.file)}/s`);
  }
  // Apart from those, whose megabytes a collection would take away meanwhile.
  const spared: Record<'same' | 'tagged' | 'object' | 'alone' | 'status', number>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const rate = {
      same: await perSecond(server.port, again, 32, 304),
      tagged: await perSecond(route.port, { ...again, path: '/tagged' }, 32, 304),
      object: await perSecond(object.port, { method: 'GET', path: '/item' }, 32, 200),
      alone: await perSecond(alone.port, again, 32, 304),
      status: await perSecond(route.port, { method: 'GET', path: '/item' }, 32, 200),
    };
    spared.push(rate);
    say(
      `304 ${whole(rate.same)}/s, bare 304 ${whole(rate.tagged)}/s, bare object ${whole(rate.object)}/s, without Elysia ${whole(rate.alone)}/s, bare status ${whole(rate.status)}/s`,
    );
  }
  for (const one of [server, files, route, object, alone]) await one.stop();
  const sent = median(sending.map(({ own, file: base }) => own / base));
  const ratioTo = (
    base: 'tagged' | 'object' | 'alone' | 'status',
    own: 'same' | 'alone' = 'same',
  ) => median(spared.map((rate) => rate[own] / rate[base]));
  return [
    {
      work: `GET /srs-graph of ${whole(NODES)} nodes (${short(answer.body.byteLength / 2 ** 20)} MiB), against a file of that size`,
      measured: `${short(sent)} of its throughput`,
      limit: 'at least 0.5',
      ok: sent >= 0.5,
    },
    {
      work: 'the same with If-None-Match, against a bare Elysia route that answers the same to it',
      measured: `${short(ratioTo('tagged'))} of its rate`,
      limit: 'at least 0.8',
      ok: ratioTo('tagged') >= 0.8,
    },
    {
      work: `the same, against a bare Elysia route that reads nothing and answers an object of ${OBJECT_BYTES} bytes`,
      measured: `${short(ratioTo('object'))} of its rate`,
      limit: 'at least 0.8',
      ok: ratioTo('object') >= 0.8,
    },
    {
      work: 'the same, against Bun.serve without Elysia or routing, the same headers read and written',
      measured: `${short(ratioTo('alone'))} of its rate`,
      limit: 'none',
      ok: undefined,
    },
    {
      work: 'the same, against a bare Elysia route that reads nothing and answers {"status":"pass"}',
      measured: `${short(ratioTo('status'))} of its rate; Bun.serve as above ${short(ratioTo('status', 'alone'))}`,
      limit: 'at least 0.8',
      ok: ratioTo('status') >= 0.8,
    },
  ];
}

function objectOf(bytes: number): Record<string, string> {
  const empty = JSON.stringify({ id: 'REQ-1', statement: '' });
  return { id: 'REQ-1', statement: 'x'.repeat(bytes - empty.length) };
}

async function perSecond(
  port: number,
  request: Parameters<typeof requestBytes>[0],
  connections: number,
  status: number,
): Promise<number> {
  const result = await runLoad({
    ...{ port, connections, seconds: 2, warmupSeconds: 0, status },
    requests: [requestBytes(request).toString('base64')],
  });
  return result.perSecond;
}

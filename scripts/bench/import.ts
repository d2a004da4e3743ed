// Importing a large ReqIF file: how long it takes beside a bare parse of its XML, what memory it
// takes, and what other requests notice of it.
import { type Bench, mebibytes, type Row, short, whole } from './bench.ts';
import { type Client, openClient } from './client.ts';
import { type LongWork, othersRow } from './others.ts';
import { followMemory } from './process-figures.ts';
import { reqifFile } from './reqif-file.ts';
import { type RunningPqrs, startPqrs } from './running.ts';
import { median } from './statistics.ts';

const SIZE = { objects: 4000, relations: 500, bytes: 18_000_000 };
const ROUNDS = 7;
const LOADED_SECONDS = 8;

export const imports: Bench = async ({ pqrs, say }) => [
  ...(await timeRows(pqrs, say)),
  await memoryRow(pqrs, say),
  await othersRow(pqrs, manyImports(), say),
];

/** Files that differ, in turn: the same one again would be no import. */
function manyImports(): LongWork {
  const files = [0, 1, 2].map((seed) => Buffer.from(reqifFile(SIZE, seed)));
  let count = 2;
  return {
    name: 'imports',
    seconds: LOADED_SECONDS,
    once: (client, server) => importFile(client, server, files[count++ % files.length] as Buffer),
  };
}

async function timeRows(pqrs: string, say: (text: string) => void): Promise<Row[]> {
  const server = await startPqrs(pqrs);
  const client = await openClient(server.port);
  const times: { own: number; bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const file = Buffer.from(reqifFile(SIZE, round));
    const bare = await bareParse(file);
    const own = await importFile(client, server, file);
    say(`import ${whole(own)} ms, bare parse ${whole(bare)} ms`);
    times.push({ own, bare });
  }
  client.close();
  await server.stop();
  const ratio = median(times.map(({ own, bare }) => own / bare));
  const [own, bare] = [median(times.map((one) => one.own)), median(times.map((one) => one.bare))];
  return [
    {
      work: `POST /projects of a ReqIF of ${short(SIZE.bytes / 1e6)} MB and ${whole(SIZE.objects)} objects, against a bare parse with saxes`,
      measured: `${short(ratio)} times: ${whole(own)} ms against ${whole(bare)} ms`,
      limit: 'at most 3 times',
      ok: ratio <= 3,
    },
  ];
}

async function memoryRow(pqrs: string, say: (text: string) => void): Promise<Row> {
  const server = await startPqrs(pqrs);
  const client = await openClient(server.port);
  const file = Buffer.from(reqifFile(SIZE));
  await importFile(client, server, Buffer.from(reqifFile({ ...SIZE, objects: 200, bytes: 9e5 })));
  const memory = followMemory(server.pid, 10);
  await importFile(client, server, file);
  memory.stop();
  const before = memory.points[0]?.[1] ?? Number.NaN;
  const growth = Math.max(...memory.points.map(([, bytes]) => bytes)) - before;
  say(`memory grew by ${mebibytes(growth)} over ${mebibytes(before)}`);
  client.close();
  await server.stop();
  const times = growth / file.byteLength;
  return {
    work: 'growth of memory during that import, against the size of the file',
    measured: `${short(times)} times: ${mebibytes(growth)} over ${mebibytes(before)}`,
    limit: 'below 10 times',
    ok: times < 10,
  };
}

/** Milliseconds of a parse in a worker that has just started. */
function bareParse(file: Uint8Array): Promise<number> {
  const worker = new Worker(new URL('./bare-parse.ts', import.meta.url).href);
  return new Promise<number>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<number>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(file);
  }).finally(() => worker.terminate());
}

/** Makes a file the next revision; gives the milliseconds to the answer. */
async function importFile(
  client: Client,
  { token }: Pick<RunningPqrs, 'token'>,
  file: Uint8Array,
): Promise<number> {
  const boundary = 'pqrs-import-5c0b';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="project"\r\nContent-Type: application/json\r\n\r\n{"slug":"default"}\r\n--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.reqif"\r\nContent-Type: application/xml\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const began = performance.now();
  const answer = client.ask({
    ...{ method: 'POST', path: '/api/projects', token },
    headers: {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': String(body.byteLength),
    },
  });
  await client.connection.write(body);
  const { status, body: said } = await answer;
  if (status !== 200) throw new Error(`the import was answered with ${status}: ${said}`);
  return performance.now() - began;
}

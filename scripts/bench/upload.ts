// A very large upload: the memory of the server must not grow with the file.
import { type Bench, mebibytes, short } from './bench.ts';
import { openClient } from './client.ts';
import { followMemory } from './process-figures.ts';
import { type RunningPqrs, startPqrs } from './running.ts';
import { issueBody } from './seed.ts';

const MiB = 2 ** 20;
const BYTES = 1024 * MiB;
const WARM_BYTES = 4 * MiB;
const AT_MOST = 64 * MiB;

export const upload: Bench = async ({ pqrs, say }) => {
  const rows = [];
  for (const form of [false, true]) {
    const server = await startPqrs(pqrs, { PQRS_ATTACHMENT_BYTES: String(2 * BYTES) });
    const issue = await fileIssue(server);
    await send(server, issue, WARM_BYTES, form);
    const memory = followMemory(server.pid, 25);
    const seconds = await send(server, issue, BYTES, form);
    memory.stop();
    await server.stop();
    const before = memory.points[0]?.[1] ?? Number.NaN;
    const growth = Math.max(...memory.points.map(([, bytes]) => bytes)) - before;
    const how = form ? 'as a form' : 'as a bare body';
    say(`1 GiB ${how}: ${seconds.toFixed(1)} s, memory grew by ${mebibytes(growth)}`);
    rows.push({
      work: `upload of 1 GiB ${how}, growth of memory`,
      measured: `${mebibytes(growth)} over ${mebibytes(before)} (${short(BYTES / MiB / seconds)} MiB/s)`,
      limit: `below ${mebibytes(AT_MOST)}`,
      ok: growth < AT_MOST,
    });
  }
  return rows;
};

async function fileIssue({ port, token }: RunningPqrs): Promise<string> {
  const client = await openClient(port);
  const json = issueBody(1);
  const asked = { method: 'POST', path: '/api/issues', token, json };
  const { id } = await client.askJson<{ id: string }>(asked, 201);
  client.close();
  return id;
}

/** Sends a file piece by piece; gives the seconds it took. */
async function send(
  { port, token }: RunningPqrs,
  issue: string,
  bytes: number,
  form: boolean,
): Promise<number> {
  const boundary = 'pqrs-upload-5c0b';
  const before = form
    ? `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="big.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`
    : '';
  const after = form ? `\r\n--${boundary}--\r\n` : '';
  const client = await openClient(port);
  const piece = Buffer.alloc(MiB, 'pqrs ');
  const began = performance.now();
  const answer = client.ask({
    method: 'POST',
    path: `/api/issues/${issue}/attachments`,
    token,
    headers: {
      'Content-Type': form ? `multipart/form-data; boundary=${boundary}` : 'application/x-bench',
      ...(form ? {} : { 'Content-Disposition': 'attachment; filename="big.bin"' }),
      'Content-Length': String(bytes + before.length + after.length),
    },
  });
  await client.connection.write(Buffer.from(before));
  for (let sent = 0; sent < bytes; sent += MiB) await client.connection.write(piece);
  await client.connection.write(Buffer.from(after));
  const { status, body } = await answer;
  client.close();
  if (status !== 201) throw new Error(`the upload was answered with ${status}: ${body}`);
  return (performance.now() - began) / 1000;
}

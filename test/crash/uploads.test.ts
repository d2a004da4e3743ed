// Uploads that end before their end, by the client or by the end of the server.
import { afterAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AnswerLost, type Client, openClient } from '../../scripts/bench/client.ts';
import { type RunningPqrs, removeFolders, startPqrs } from '../../scripts/bench/running.ts';
import { executablePath } from '../support/executable.ts';

const PIECE = Buffer.from(randomBytes(64 * 1024));
const PIECES = 32;

afterAll(removeFolders);

async function fileIssue({ port, token }: RunningPqrs): Promise<string> {
  const client = await openClient(port);
  const { id } = await client.askJson<{ id: string }>(
    { method: 'POST', path: '/api/issues', token, json: { title: 'An upload' } },
    201,
  );
  client.close();
  return id;
}

/** Begins an upload; its pieces are for the caller to send. */
function begin(client: Client, token: string, issue: string) {
  return client.ask({
    method: 'POST',
    path: `/api/issues/${issue}/attachments`,
    token,
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': 'attachment; filename="a.bin"',
      'Content-Length': String(PIECE.byteLength * PIECES),
    },
  });
}

function filesOf(dataDir: string): string[] {
  const folder = join(dataDir, 'files');
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter(
      (path) =>
        path !== 'folder.id' && statSync(join(folder, path), { throwIfNoEntry: false })?.isFile(),
    );
}

test('uploads whose clients vanish leave nothing, and the server is as before [PQRS-60]', async () => {
  const server = await startPqrs(await executablePath());
  const issue = await fileIssue(server);
  await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const client = await openClient(server.port);
      const answer = begin(client, server.token, issue).catch((error) => error);
      for (let sent = 0; sent < (index * 7) % PIECES; sent++) await client.connection.write(PIECE);
      await Bun.sleep(index * 5);
      if (index % 2 === 0) client.connection.abort();
      else client.close();
      expect(await answer).toBeInstanceOf(AnswerLost);
    }),
  );
  const deadline = performance.now() + 3000;
  while (filesOf(server.dataDir).length > 0 && performance.now() < deadline) await Bun.sleep(50);
  expect(filesOf(server.dataDir)).toEqual([]);
  const client = await openClient(server.port);
  const { token } = server;
  const shown = await client.askJson<{ attachments: unknown[] }>({
    method: 'GET',
    path: `/api/issues?id=${issue}`,
    token,
  });
  expect(shown.attachments).toEqual([]);
  await client.askJson({ method: 'GET', path: '/api/ready', token });
  client.close();
  expect(await server.stop()).toBe(0);
}, 20_000);

test('an upload that is under way when the server is asked to end is taken whole [PQRS-86]', async () => {
  const executable = await executablePath();
  const server = await startPqrs(executable);
  const issue = await fileIssue(server);
  const client = await openClient(server.port);
  const idle = await openClient(server.port);
  const answer = begin(client, server.token, issue);
  for (let sent = 0; sent < PIECES / 2; sent++) await client.connection.write(PIECE);
  await Bun.sleep(50);
  const ended = server.stop();
  await Bun.sleep(100);
  // What is new is refused, in an orderly way or by the end of the connection.
  const late = await idle
    .ask({ method: 'GET', path: '/api/issues', token: server.token })
    .catch((error) => error);
  if (!(late instanceof AnswerLost)) expect(late.status).toBe(503);
  for (let sent = PIECES / 2; sent < PIECES; sent++) await client.connection.write(PIECE);
  const { status, body } = await answer;
  expect(status).toBe(201);
  const { sha256 } = JSON.parse(body.toString()) as { sha256: string };
  expect(await ended).toBe(0);

  const again = await startPqrs(executable, {}, server.dataDir);
  const reader = await openClient(again.port);
  const { attachments } = await reader.askJson<{ attachments: { url: string; sha256: string }[] }>({
    method: 'GET',
    path: `/api/issues?id=${issue}`,
    token: again.token,
  });
  expect(attachments.map((one) => one.sha256)).toEqual([sha256]);
  const file = await reader.ask({ method: 'GET', path: attachments[0]?.url ?? '' });
  expect(file.body.byteLength).toBe(PIECE.byteLength * PIECES);
  reader.close();
  expect(await again.stop()).toBe(0);
}, 20_000);

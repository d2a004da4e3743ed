// Ends of the service that take their time: uploads that never go on, and a client that will not
// read, must not hold it up beyond what it grants them.
import { afterAll, expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AnswerLost, openClient } from '../../scripts/bench/client.ts';
import { removeFolders, startPqrs } from '../../scripts/bench/running.ts';
import { executablePath } from '../support/executable.ts';

const GRANTED_MS = 10_000;

afterAll(removeFolders);

test('uploads that never go on are cut off after ten seconds, and leave nothing', async () => {
  const executable = await executablePath();
  const server = await startPqrs(executable);
  const { token } = server;
  const client = await openClient(server.port);
  const { id } = await client.askJson<{ id: string }>(
    { method: 'POST', path: '/api/issues', token, json: { title: 'An upload' } },
    201,
  );
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const one = await openClient(server.port);
      void one
        .ask({
          method: 'POST',
          path: `/api/issues/${id}/attachments`,
          token,
          headers: {
            'Content-Type': 'application/octet-stream',
            'Content-Disposition': 'attachment; filename="a.bin"',
            'Content-Length': '10000000',
          },
        })
        .catch(() => {});
      await one.connection.write(Buffer.alloc(300_000));
    }),
  );
  await Bun.sleep(200);
  const began = performance.now();
  const stopped = server.stop();
  await Bun.sleep(500);
  const command = [executable, 'token', 'list', '--json', '--data-dir', server.dataDir];
  const listed = Bun.spawn(command, { env: {}, stdout: 'pipe', stderr: 'pipe' });
  expect(await stopped).toBe(0);
  const took = performance.now() - began;
  expect(took).toBeGreaterThan(GRANTED_MS * 0.9);
  expect(took).toBeLessThan(GRANTED_MS + 2500);
  // A command that meets a server that ends has the folder after it.
  expect(await new Response(listed.stderr).text()).toBe('');
  expect(JSON.parse(await new Response(listed.stdout).text())).toHaveLength(1);

  const again = await startPqrs(executable, {}, server.dataDir);
  const files = join(server.dataDir, 'files');
  const left = readdirSync(files, { recursive: true })
    .map(String)
    .filter((path) => path !== 'folder.id' && statSync(join(files, path)).isFile());
  expect(left).toEqual([]);
  expect(await again.stop()).toBe(0);
});

test('a second signal ends it at once', async () => {
  const server = await startPqrs(await executablePath());
  const { token } = server;
  const client = await openClient(server.port);
  const { id } = await client.askJson<{ id: string }>(
    { method: 'POST', path: '/api/issues', token, json: { title: 'An upload' } },
    201,
  );
  const answer = client
    .ask({
      method: 'POST',
      path: `/api/issues/${id}/attachments`,
      token,
      headers: {
        'Content-Type': 'application/octet-stream',
        'Content-Disposition': 'attachment; filename="a.bin"',
        'Content-Length': '10000000',
      },
    })
    .catch((error) => error);
  await client.connection.write(Buffer.alloc(300_000));
  const began = performance.now();
  const ended = server.stop();
  await Bun.sleep(1500);
  process.kill(server.pid, 'SIGTERM');
  await ended;
  expect(performance.now() - began).toBeLessThan(4000);
  expect(await answer).toBeInstanceOf(AnswerLost);
});

// Faults that must not end the service: errors that nobody handles, and a process that may open no
// more files.
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Client, openClient } from '../../scripts/bench/client.ts';
import {
  removeFolders,
  startPqrs,
  startProgram,
  temporaryFolder,
} from '../../scripts/bench/running.ts';
import { executablePath } from '../support/executable.ts';

afterAll(removeFolders);

test('rejections and errors that nobody handles are logged, and the service goes on [PQRS-86]', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const script = new URL('./faulty-server.ts', import.meta.url).pathname;
  const command = [process.execPath, script, 'serve', '--data-dir', dataDir, '--port', '0'];
  const server = await startProgram(command, { PQRS_LOG_LEVEL: 'error' });
  const token = (await Bun.file(join(dataDir, 'owner.token')).text()).trim();
  const client = await openClient(server.port);
  for (let asked = 0; asked < 10; asked++) {
    const json = { title: `Issue ${asked}` };
    await client.askJson({ method: 'POST', path: '/api/issues', token, json }, 201);
    await Bun.sleep(20);
  }
  client.close();
  expect(await server.stop()).toBe(0);
  expect(server.complaints()).toContain('a rejection on purpose');
  expect(server.complaints()).toContain('an error on purpose');
}, 20_000);

test.skipIf(process.platform === 'win32')(
  'without a file left to open it refuses, and goes on when there are some',
  async () => {
    // So few that some two dozen connections use them up.
    const limited = ['sh', '-c', 'ulimit -n 64 && exec "$0" "$@"', await executablePath()];
    const dataDir = join(temporaryFolder(), 'data');
    const first = await startPqrs(await executablePath(), {}, dataDir);
    const { token } = first;
    await first.stop();
    const settings = { PQRS_LOG_LEVEL: 'silent' };
    const command = [...limited, 'serve', '--data-dir', dataDir, '--port', '0'];
    const server = await startProgram(command, settings);
    const client = await openClient(server.port);
    const ask = (json: unknown) =>
      client.ask({ method: 'POST', path: '/api/issues', token, json: json as object });
    const { id } = JSON.parse((await ask({ title: 'Before' })).body.toString()) as { id: string };

    const crowd: Client[] = [];
    for (let count = 0; count < 100; count++) {
      const one = await openClient(server.port).catch(() => undefined);
      if (!one) continue;
      // A connection is taken with its first bytes; this one then waits for the rest.
      one.connection.send(Buffer.from('GET /api/health HTTP/1.1\r\n'));
      crowd.push(one);
    }
    await Bun.sleep(100);
    const attach = () =>
      client.ask({
        method: 'POST',
        path: `/api/issues/${id}/attachments`,
        token,
        headers: {
          'Content-Type': 'text/plain',
          'Content-Disposition': 'attachment; filename="a.txt"',
        },
        body: Buffer.from('a small file'),
      });
    const refused = await attach();
    expect(refused.status).toBe(503);
    expect(refused.head).toMatch(/\r\nretry-after: \d+/i);
    // What needs no new file is answered as ever, writes too.
    expect((await ask({ title: 'During' })).status).toBe(201);

    for (const one of crowd) one.connection.abort();
    let status = 0;
    for (let tries = 0; tries < 100 && status !== 201; tries++) {
      ({ status } = await attach());
      if (status !== 201) await Bun.sleep(50);
    }
    expect(status).toBe(201);
    client.close();
    expect(await server.stop()).toBe(0);
  },
  30_000,
);

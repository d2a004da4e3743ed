// The command line and the server on Deno: the same data folder, the same socket for commands, the
// same end as in the executable.
import { afterAll, describe, expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { buildConsole } from '../support/console.ts';
import { denoMissing, runOnDeno, serveOnDeno } from '../support/deno.ts';
import { openWorkplace, type Served } from '../support/running-executable.ts';
import { sqldMissing, startPrimary } from '../support/sqld.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const missing = denoMissing();
if (missing) console.log(`Skipped: ${missing}.`);

const TIMEOUT_MS = 60_000;
const MiB = 1024 * 1024;
const started: Served[] = [];

async function serve(dataDir: string, environment: Record<string, string> = {}): Promise<Served> {
  const served = await serveOnDeno(dataDir, { PQRS_FREE_DISK_BYTES: '0', ...environment });
  started.push(served);
  return served;
}

afterAll(async () => {
  for (const { stop } of started) await stop('SIGKILL');
});

function callerOf({ address }: Served, dataDir: string) {
  const token = readFileSync(join(dataDir, 'owner.token'), 'utf8').trim();
  return (method: string, path: string, body?: RequestInit['body'], headers = {}) =>
    fetch(`${address}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
}

const JSON_TYPE = { 'content-type': 'application/json' };

describe.skipIf(missing !== undefined)('on Deno [PQRS-82]', () => {
  test(
    'commands reach the server, and a folder goes from one runtime to the other',
    async () => {
      const place = await openWorkplace('two-runtimes');
      const dataDir = join(place.folder, 'pqrs-data');
      const folder = { PQRS_DATA_DIR: dataDir };
      const made = await runOnDeno(['init', '--json'], folder);
      expect(made).toMatchObject({ code: 0, err: '' });
      const { token } = JSON.parse(made.out) as { token: string };

      const served = await serve(dataDir);
      const call = callerOf(served, dataDir);
      const issue = await call('POST', '/issues', '{"title":"from Deno"}', JSON_TYPE);
      expect(issue.status).toBe(201);
      // The executable's command talks to the server on Deno, and Deno's to the same.
      const wish = ['token', 'create', '--capability', 'agent:execute', '--json'];
      const fromBun = await place.run(wish);
      expect(fromBun.code).toBe(0);
      const fromDeno = await runOnDeno(wish, folder);
      expect(fromDeno.code).toBe(0);
      for (const { out } of [fromBun, fromDeno]) {
        const { token: agent } = JSON.parse(out) as { token: string };
        const headers = { authorization: `Bearer ${agent}` };
        expect((await fetch(`${served.address}/api/issues`, { headers })).status).toBe(200);
      }
      const second = await runOnDeno(['serve'], folder);
      expect(second).toMatchObject({
        code: 1,
        err: 'pqrs: another pqrs process uses this data folder\n',
      });
      expect((await place.run(['serve'])).err).toBe(second.err);
      expect((await served.stop()).code).toBe(0);

      const back = await place.serve();
      const list = await fetch(`${back.address}/api/issues`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await list.json()).toMatchObject({ items: [{ title: 'from Deno' }] });
      await back.stop();
    },
    TIMEOUT_MS,
  );

  test(
    'the console is served, with what it is made of',
    async () => {
      await buildConsole();
      const { address } = await serve(temporaryFolder('deno-console'));
      const page = await (await fetch(`${address}/`)).text();
      const files = page.match(/\/console\/[\w-]+\.\w+/g) ?? [];
      expect(files.length).toBeGreaterThanOrEqual(4);
      for (const path of [...files, '/widget.js'])
        expect([path, (await fetch(`${address}${path}`)).status]).toEqual([path, 200]);
    },
    TIMEOUT_MS,
  );

  test(
    'files are received and sent as streams, whole and in part',
    async () => {
      const dataDir = temporaryFolder('deno-files');
      const served = await serve(dataDir);
      const call = callerOf(served, dataDir);
      const made = await call('POST', '/issues', '{"title":"x"}', JSON_TYPE);
      const { id } = (await made.json()) as { id: string };
      const bytes = randomBytes(96 * MiB);
      const before = memoryOf(served.pid);
      const stored = await call('POST', `/issues/${id}/attachments`, bytes, {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="large.bin"',
      });
      expect(stored.status).toBe(201);
      const { url, sha256 } = (await stored.json()) as { url: string; sha256: string };
      expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
      const whole = await fetch(`${served.address}${url}`);
      expect(whole.headers.get('content-length')).toBe(String(bytes.byteLength));
      const read = createHash('sha256');
      for await (const chunk of whole.body ?? []) read.update(chunk);
      expect(read.digest('hex')).toBe(sha256);
      const part = await fetch(`${served.address}${url}`, {
        headers: { range: `bytes=${5 * MiB}-${6 * MiB}` },
      });
      expect(part.status).toBe(206);
      const wanted = bytes.subarray(5 * MiB, 6 * MiB + 1);
      expect(Buffer.from(await part.arrayBuffer()).equals(wanted)).toBe(true);
      // A client that goes away in the middle ends the reading.
      const abort = new AbortController();
      const cut = await fetch(`${served.address}${url}`, { signal: abort.signal });
      await cut.body?.getReader().read();
      abort.abort();
      expect((await call('GET', '/health')).status).toBe(200);
      if (before !== undefined) {
        expect((memoryOf(served.pid) ?? 0) - before).toBeLessThan(bytes.byteLength * 1.25);
      }
      expect((await served.stop()).code).toBe(0);
    },
    TIMEOUT_MS,
  );

  test(
    'SIGTERM lets a request end that is under way, and takes no new one',
    async () => {
      const dataDir = temporaryFolder('deno-drain');
      const served = await serve(dataDir);
      const call = callerOf(served, dataDir);
      const made = await call('POST', '/issues', '{"title":"x"}', JSON_TYPE);
      const { id } = (await made.json()) as { id: string };
      let end = () => {};
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new Uint8Array(100_000));
          end = () => controller.close();
        },
      });
      const upload = call('POST', `/issues/${id}/attachments`, body, {
        'content-type': 'text/plain',
        'content-disposition': 'attachment; filename=a',
      });
      await Bun.sleep(200);
      const stopped = served.stop();
      await Bun.sleep(300);
      const late = await call('GET', '/issues').then(
        (answer) => answer.status,
        () => 'refused',
      );
      expect([503, 'refused']).toContain(late);
      end();
      expect((await upload).status).toBe(201);
      const { code, err } = await stopped;
      expect(code).toBe(0);
      expect(err).toContain('"stopped"');
    },
    TIMEOUT_MS,
  );

  test(
    'a port that is in use is told in one line',
    async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await new Promise((listening) => taken.once('listening', listening));
      const { port } = taken.address() as { port: number };
      const refused = await runOnDeno(['serve', '--port', String(port)], {
        PQRS_DATA_DIR: temporaryFolder('deno-port'),
      });
      taken.close();
      expect(refused.code).toBe(2);
      expect(refused.err).toEndWith(`pqrs: cannot listen on 127.0.0.1:${port}: it is in use\n`);
    },
    TIMEOUT_MS,
  );

  test(
    'TLS is served',
    async () => {
      const openssl = Bun.which('openssl');
      if (!openssl) return console.log('Skipped: openssl is not on this machine.');
      const folder = temporaryFolder('deno-tls');
      const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
      const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
      const made = Bun.spawnSync(
        [openssl, 'req', '-x509', ...kind, '-days', '1', '-subj', '/CN=localhost', ...files],
        { cwd: folder },
      );
      expect(made.exitCode).toBe(0);
      const served = await serve(join(folder, 'data'), {
        PQRS_TLS_CERT: join(folder, 'cert.pem'),
        PQRS_TLS_KEY: join(folder, 'key.pem'),
        PQRS_OPEN_PROBES: 'true',
      });
      expect(served.address).toStartWith('https://');
      const answer = await fetch(`${served.address}/api/health`, {
        tls: { rejectUnauthorized: false },
      });
      expect(answer.status).toBe(200);
      await served.stop();
    },
    TIMEOUT_MS,
  );

  test(
    'a body of which no byte comes any more ends',
    async () => {
      const dataDir = temporaryFolder('deno-idle');
      const served = await serve(dataDir, { PQRS_IDLE_SECONDS: '1' });
      const call = callerOf(served, dataDir);
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{"title":')),
      });
      const answer = await call('POST', '/issues', body, JSON_TYPE).then(
        ({ status }) => status,
        () => 'ended',
      );
      expect(answer).not.toBe(201);
      await served.stop();
    },
    TIMEOUT_MS,
  );

  test(
    'a libSQL server holds the database',
    async () => {
      const reason = sqldMissing();
      if (reason) return console.log(`Skipped: ${reason}.`);
      const primary = await startPrimary();
      const dataDir = temporaryFolder('deno-sqld');
      const served = await serve(dataDir, { PQRS_DATABASE_URL: primary.url });
      const call = callerOf(served, dataDir);
      for (const title of ['one', 'two']) {
        const made = await call('POST', '/issues', JSON.stringify({ title }), JSON_TYPE);
        expect(made.status).toBe(201);
      }
      const found = await call('GET', '/issues?q=two');
      expect(await found.json()).toMatchObject({ items: [{ number: 2, title: 'two' }] });
      expect((await served.stop()).code).toBe(0);
      await primary.stop();
    },
    TIMEOUT_MS,
  );
});

/** The peak of a process's memory in bytes, where the system tells. */
function memoryOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return peak === undefined ? undefined : Number(peak) * 1024;
}

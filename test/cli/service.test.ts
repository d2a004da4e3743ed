// The server as a service: systemd is told, TLS is served, the demo is enabled by a flag, and a
// second process on the same data folder is refused.
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askServer } from '../../src/cli/administration/socket.ts';
import { openWorkplace } from '../support/running-executable.ts';

type Projects = { items: { slug: string }[] };

/** A command of the system, or undefined with a printed line where it is missing. */
function tool(name: string): string | undefined {
  const path = Bun.which(name);
  if (path === null) console.log(`skipped: ${name} is not on this machine`);
  return path ?? undefined;
}

describe('the service', () => {
  test('tells systemd when it is ready and when it stops [PQRS-86]', async () => {
    const python = tool('python3');
    if (!python) return;
    const place = await openWorkplace('notify');
    const socket = join(place.folder, 'notify.sock');
    const listener = Bun.spawn(
      [
        python,
        '-c',
        'import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\ns.bind(sys.argv[1])\nprint("bound",flush=True)\nfor _ in range(2): print(s.recv(1000).decode(),flush=True)',
        socket,
      ],
      { stdout: 'pipe', stderr: 'inherit' },
    );
    while (!existsSync(socket) && listener.exitCode === null) await Bun.sleep(10);
    const served = await place.serve([], { NOTIFY_SOCKET: socket });
    await served.stop();
    expect(await new Response(listener.stdout).text()).toBe('bound\nREADY=1\nSTOPPING=1\n');
  });

  test('lets an import of the command line end that is under way when it is stopped [PQRS-82]', async () => {
    const place = await openWorkplace('import-stopped');
    const served = await place.serve([], { PQRS_FREE_DISK_BYTES: '0' });
    const story = (at: number) => `## S-${at}: Story ${at}\n\nText ${at}.\n`;
    const text = Array.from({ length: 1000 }, (_, at) => story(at)).join('\n');
    const files = [{ path: 'a.md', contentBase64: Buffer.from(text).toString('base64') }];
    let stopped: ReturnType<typeof served.stop> | undefined;
    const asked = await askServer(
      join(place.folder, 'pqrs-data'),
      'import',
      { project: undefined, files, mode: 'replace' },
      () => {
        stopped ??= served.stop();
      },
    );
    expect(asked?.result).toMatchObject({ revision: 1, created: true, errors: 0 });
    expect((await stopped)?.code).toBe(0);
  }, 30_000);

  test('serves TLS', async () => {
    const openssl = tool('openssl');
    if (!openssl) return;
    const place = await openWorkplace('tls');
    const made = Bun.spawnSync(
      [
        openssl,
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-days',
        '1',
        '-subj',
        '/CN=localhost',
        '-keyout',
        'key.pem',
        '-out',
        'cert.pem',
      ],
      { cwd: place.folder },
    );
    expect(made.exitCode).toBe(0);
    const served = await place.serve([
      '--tls-cert',
      'cert.pem',
      '--tls-key',
      'key.pem',
      '--open-probes',
    ]);
    expect(served.address).toStartWith('https://');
    const answer = await fetch(`${served.address}/api/health`, {
      tls: { rejectUnauthorized: false },
    });
    expect(answer.status).toBe(200);
    await served.stop();
  });

  test('refuses a second process on the same data folder [PQRS-82]', async () => {
    const place = await openWorkplace('second');
    const served = await place.serve();
    const second = await place.run(['serve', '--port', '0']);
    expect(second).toMatchObject({
      code: 1,
      err: 'pqrs: another pqrs process uses this data folder\n',
    });
    await served.stop();
  });

  test('refuses a port that another process listens on', async () => {
    const place = await openWorkplace('port');
    const served = await place.serve();
    const { port } = new URL(served.address);
    const second = await place.run(['serve', '--port', port, '--data-dir', 'other']);
    expect(second).toMatchObject({
      code: 2,
      err: `pqrs: cannot listen on 127.0.0.1:${port}: it is in use\n`,
    });
    await served.stop();
  });

  test('the demo is read by its token while the server runs with --demo, and not otherwise [PQRS-70]', async () => {
    const place = await openWorkplace('demo');
    const served = await place.serve(['--demo']);
    const token = readFileSync(join(place.folder, 'pqrs-data', 'demo.token'), 'utf8').trim();
    const read = (address: string) =>
      fetch(`${address}/api/projects`, { headers: { authorization: `Bearer ${token}` } });
    const answer = await read(served.address);
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as Projects).items[0]?.slug).toBe('demo');
    await served.stop();
    const plain = await place.serve();
    expect((await read(plain.address)).status).toBe(403);
    await plain.stop();
  });
});

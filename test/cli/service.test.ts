// The server as a service: systemd is told, TLS is served, a second process and a port in use are refused.
import { describe, expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askServer } from '../../src/cli/administration/socket.ts';
import { openWorkplace } from '../support/running-executable.ts';

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
    const script =
      'import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\ns.bind(sys.argv[1])\nprint("bound",flush=True)\nfor _ in range(2): print(s.recv(1000).decode(),flush=True)';
    const listener = Bun.spawn([python, '-c', script, socket], { stdout: 'pipe' });
    while (!existsSync(socket) && listener.exitCode === null) await Bun.sleep(10);
    const served = await place.serve([], { NOTIFY_SOCKET: socket });
    await served.stop();
    expect(await new Response(listener.stdout).text()).toBe('bound\nREADY=1\nSTOPPING=1\n');
  });

  test('ends in order: an import under way is done, and neither folder nor port was shared [PQRS-82]', async () => {
    const place = await openWorkplace('import-stopped');
    const served = await place.serve([], { PQRS_FREE_DISK_BYTES: '0' });
    const second = await place.run(['serve', '--port', '0']);
    expect(second).toMatchObject({
      code: 1,
      err: 'pqrs: another pqrs process uses this data folder\n',
    });
    const { port } = new URL(served.address);
    const taken = await place.run(['serve', '--port', port, '--data-dir', 'other']);
    expect(taken).toMatchObject({ code: 2, err: expect.stringContaining('it is in use') });
    const story = (at: number) => `## S-${at}: Story ${at}\n\nText ${at}.\n`;
    const text = Array.from({ length: 20_000 }, (_, at) => story(at)).join('\n');
    const files = [{ path: 'a.md', contentBase64: Buffer.from(text).toString('base64') }];
    const answer = askServer(join(place.folder, 'pqrs-data'), 'import', {
      project: undefined,
      files,
      mode: 'replace',
    });
    // It has been sent by then, and takes longer.
    await Bun.sleep(200);
    const stopped = served.stop();
    const asked = await answer;
    expect(asked?.result).toMatchObject({ revision: 1, created: true, errors: 0 });
    expect((await stopped).code).toBe(0);
    // The one that found the port taken has left its folder free.
    await (await place.serve(['--data-dir', 'other'])).stop();
  }, 30_000);

  test('serves TLS', async () => {
    const openssl = tool('openssl');
    if (!openssl) return;
    const place = await openWorkplace('tls');
    const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const command = [openssl, 'req', '-x509', ...key, '-days', '1', '-subj', '/CN=localhost'];
    command.push('-addext', 'subjectAltName=DNS:localhost');
    expect(Bun.spawnSync([...command, ...files], { cwd: place.folder }).exitCode).toBe(0);
    const tls = ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'];
    const served = await place.serve([...tls, '--open-probes']);
    writeFileSync(join(place.folder, 'r.xml'), '<testsuite><testcase name="a"/></testsuite>');
    const url = served.address.replace('127.0.0.1', 'localhost');
    const report = ['report', 'r.xml', '--url', url, '--token-file', 'pqrs-data/owner.token'];
    const unknown = await place.run(report);
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('see --ca') });
    expect((await place.run([...report, '--ca', 'cert.pem'])).code).toBe(0);
    for (const name of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])
      expect((await place.run(report, { [name]: 'cert.pem' })).code).toBe(0);
    for (const file of ['key.pem', 'none.pem'])
      expect((await place.run([...report, '--ca', file])).err).toStartWith(`pqrs: --ca: ${file} `);
    expect(served.address).toStartWith('https://');
    const answer = await fetch(`${served.address}/api/health`, {
      tls: { rejectUnauthorized: false },
    });
    expect(answer.status).toBe(200);
    await served.stop();
  });
});

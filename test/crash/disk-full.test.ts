// A disk that is full: writes are refused and may be tried again, reads go on, nothing is left half
// written, and the service goes on by itself when there is room.
import { afterAll, describe, expect, test } from 'bun:test';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, openClient } from '../../scripts/bench/client.ts';
import type { Answer } from '../../scripts/bench/connection.ts';
import { type Ledger, newLedger } from '../../scripts/bench/ledger.ts';
import { type RunningPqrs, removeFolders, startPqrs } from '../../scripts/bench/running.ts';
import { executablePath } from '../support/executable.ts';
import { checkDataFolder, checkThroughApi, noFindings } from './promises.ts';
import { mountSmallDisk } from './small-disk.ts';

const MiB = 2 ** 20;
const disk = mountSmallDisk(64);
const reason = typeof disk === 'string' ? disk : undefined;
if (reason !== undefined) console.log(`The tests of a full disk are skipped: ${reason}`);
const folder = typeof disk === 'string' ? '' : disk.path;

afterAll(() => {
  if (typeof disk !== 'string') disk.unmount();
  removeFolders();
});

/** Fills the disk but for so many bytes. */
function fill(leave: number): void {
  let bytes = 0;
  const piece = Buffer.alloc(MiB / 4);
  const path = (index: number) => join(folder, `filler-${index}`);
  for (; ; bytes++) {
    try {
      writeFileSync(path(bytes), piece);
    } catch {
      rmSync(path(bytes), { force: true });
      break;
    }
  }
  for (let freed = 0; freed < leave; freed += piece.byteLength) rmSync(path(--bytes));
}

function makeRoom(): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith('filler-')) rmSync(join(folder, name));
  }
}

function filesOf(dataDir: string): string[] {
  const files = join(dataDir, 'files');
  return readdirSync(files, { recursive: true })
    .map(String)
    .filter((path) => path !== 'folder.id' && statSync(join(files, path)).isFile());
}

function expectRefusal(answer: Answer): void {
  expect(answer.status).toBe(503);
  expect(answer.head).toMatch(/\r\nretry-after: [1-9]\d*/i);
  const problem = JSON.parse(answer.body.toString()) as { code: string };
  expect(problem.code).toBe('unavailable');
  expect(answer.body.toString()).not.toMatch(/SQLITE|ENOSPC|\/files|pqrs\.db/);
}

describe.skipIf(reason !== undefined)('on a full disk [PQRS-85]', () => {
  test('uploads and writes get 503, reads go on, and all goes on when there is room', async () => {
    const settings = { PQRS_FREE_DISK_BYTES: '0', PQRS_LOG_LEVEL: 'silent' };
    const dataDir = join(folder, 'data');
    const executable = await executablePath();
    const server = await startPqrs(executable, settings, dataDir);
    const client = await openClient(server.port);
    const { token } = server;
    const ledger = newLedger();
    let filed = 0;

    const post = async (): Promise<Answer> => {
      const marker = `m${Date.now()}x${filed++}`;
      const json = { title: `Issue ${marker}`, description: 'long '.repeat(4000) };
      const answer = await client.ask({ method: 'POST', path: '/api/issues', token, json });
      if (answer.status === 201) {
        const { id } = JSON.parse(answer.body.toString()) as { id: string };
        ledger.issues.push({ id, marker, token, changed: 0, sent: 0, attachments: 0 });
      }
      return answer;
    };
    const upload = (issue: string, bytes: number, fill: number) =>
      attach(client, token, issue, Buffer.alloc(bytes, fill));

    expect((await post()).status).toBe(201);
    const issue = ledger.issues[0]?.id ?? '';
    const first = await upload(issue, 100_000, 1);
    expect(first.status).toBe(201);
    const shown = JSON.parse(first.body.toString()) as { id: string; sha256: string };
    ledger.files.push({ issueId: issue, id: shown.id, sha256: shown.sha256, bytes: 100_000 });

    fill(2 * MiB);
    expectRefusal(await upload(issue, 6 * MiB, 2));
    expect(filesOf(dataDir)).toHaveLength(1);

    // Until not even an issue fits any more.
    fill(0);
    let refused: Answer | undefined;
    for (let tries = 0; tries < 500 && refused === undefined; tries++) {
      const answer = await post();
      if (answer.status !== 201) refused = answer;
    }
    expectRefusal(refused as Answer);
    expectRefusal(await upload(issue, 1 * MiB, 3));
    const ready = await client.ask({ method: 'GET', path: '/api/ready', token });
    expect(ready.status).toBe(503);

    // Everything that was promised can be read meanwhile.
    for (const { id } of ledger.issues) {
      const answer = await client.ask({ method: 'GET', path: `/api/issues?id=${id}`, token });
      expect(answer.status).toBe(200);
    }
    const list = await client.ask({ method: 'GET', path: '/api/issues?limit=50', token });
    expect(list.status).toBe(200);
    const health = await client.ask({ method: 'GET', path: '/api/health', token });
    expect(health.status).toBe(200);

    makeRoom();
    expect((await post()).status).toBe(201);
    expect((await upload(issue, 1 * MiB, 3)).status).toBe(201);
    expect((await client.ask({ method: 'GET', path: '/api/ready', token })).status).toBe(200);

    const findings = noFindings();
    await checkThroughApi(server, ledger, findings);
    client.close();
    expect(await server.stop()).toBe(0);
    checkDataFolder(dataDir, ledger, findings);
    expect(findings.broken).toEqual([]);
    expect(findings.issues).toBe(ledger.issues.length);
    expect(filesOf(dataDir)).toHaveLength(2);
  }, 60_000);

  test('killed while it is full, it starts again when there is room, with all it promised', async () => {
    const settings = { PQRS_FREE_DISK_BYTES: '0', PQRS_LOG_LEVEL: 'silent' };
    const dataDir = join(folder, 'data');
    rmSync(dataDir, { recursive: true, force: true });
    const executable = await executablePath();
    const server = await startPqrs(executable, settings, dataDir);
    const ledger = newLedger();
    fill(MiB);
    await fileUntilRefused(server, ledger);
    await server.kill();
    makeRoom();
    const again = await startPqrs(executable, settings, dataDir);
    const findings = noFindings();
    await checkThroughApi(again, ledger, findings);
    expect(await again.stop()).toBe(0);
    checkDataFolder(dataDir, ledger, findings);
    expect(findings.broken).toEqual([]);
    expect(findings.issues).toBeGreaterThan(0);
  }, 60_000);

  test('stopped while it is full, it ends in order, and has all it promised at the next start', async () => {
    const settings = { PQRS_FREE_DISK_BYTES: '0', PQRS_LOG_LEVEL: 'info' };
    const dataDir = join(folder, 'data');
    rmSync(dataDir, { recursive: true, force: true });
    const executable = await executablePath();
    const server = await startPqrs(executable, settings, dataDir);
    const ledger = newLedger();
    fill(MiB);
    await fileUntilRefused(server, ledger);
    fill(0);
    expect(await server.stop()).toBe(0);
    const said = server.complaints();
    expect(said.trim().split('\n').at(-1)).toContain('"msg":"stopped"');
    expect(said).not.toMatch(/\n\s+at /);
    makeRoom();
    const again = await startPqrs(executable, settings, dataDir);
    const findings = noFindings();
    await checkThroughApi(again, ledger, findings);
    expect(await again.stop()).toBe(0);
    checkDataFolder(dataDir, ledger, findings);
    expect(findings.broken).toEqual([]);
    expect(findings.issues).toBeGreaterThan(0);
  }, 60_000);
});

/** Files issues until the first that is refused, and keeps what was promised. */
async function fileUntilRefused({ port, token }: RunningPqrs, ledger: Ledger): Promise<void> {
  const client = await openClient(port);
  for (let status = 201; status === 201; ) {
    const marker = `m${Date.now()}y${ledger.issues.length}`;
    const json = { title: `Issue ${marker}`, description: 'long '.repeat(4000) };
    const answer = await client.ask({ method: 'POST', path: '/api/issues', token, json });
    status = answer.status;
    if (status !== 201) continue;
    const { id } = JSON.parse(answer.body.toString()) as { id: string };
    ledger.issues.push({ id, marker, token, changed: 0, sent: 0, attachments: 0 });
  }
  client.close();
}

function attach(client: Client, token: string, issue: string, body: Buffer): Promise<Answer> {
  return client.ask({
    method: 'POST',
    path: `/api/issues/${issue}/attachments`,
    token,
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': 'attachment; filename="a.bin"',
    },
    body,
  });
}

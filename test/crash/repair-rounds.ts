// `pqrs doctor --repair` that is killed in the middle, with and without a server: nothing is lost, and the
// next one mends the rest.
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startPqrs } from '../../scripts/bench/running.ts';
import { contentsIn, copyOf, type Doctored, execute } from '../support/doctored-folder.ts';
import { openInstance } from '../support/instance.ts';
import { lostOf } from '../support/keyed-instance.ts';

export interface RepairReport {
  rounds: number;
  /** Repairs that were killed before they had answered. */
  before: number;
  lost: string[];
}

const SETTINGS = { PQRS_FREE_DISK_BYTES: '0' };

export async function repairRounds(
  executable: string,
  doctored: Doctored,
  rounds: number,
): Promise<RepairReport> {
  const report: RepairReport = { rounds: 0, before: 0, lost: [] };
  const doctor = (dataDir: string) =>
    Bun.spawn([executable, 'doctor', '--repair', '--json', '--data-dir', dataDir], {
      ...{ env: SETTINGS, stdout: 'pipe', stderr: 'ignore' },
    });
  let wholeMs = 0;
  for (let round = -1; round < rounds; round += 1) {
    const dataDir = copyOf(doctored);
    harm(dataDir, doctored.keyed.token);
    const contents = contentsIn(dataDir).length;
    const server = round % 2 === 1 ? await startPqrs(executable, SETTINGS, dataDir) : undefined;
    const began = performance.now();
    const child = doctor(dataDir);
    // The first one says how long it takes.
    const killAfter = round < 0 ? 60_000 : wholeMs * (0.2 + Math.random() * 0.9);
    await Promise.race([setTimeout(killAfter), child.exited]);
    if (round < 0) wholeMs = performance.now() - began;
    else if (child.exitCode === null) report.before += 1;
    await server?.kill();
    child.kill('SIGKILL');
    await child.exited;

    const again = doctor(dataDir);
    const text = await new Response(again.stdout).text();
    if ((await again.exited) !== 0) report.lost.push(`${round}: still wrong: ${text}`);
    const last = doctor(dataDir);
    const { repairs, findings } = JSON.parse(await new Response(last.stdout).text());
    if (repairs.length + findings.length > 0)
      report.lost.push(`${round}: the second run: ${JSON.stringify({ repairs, findings })}`);
    const instance = await openInstance({}, { dataDir });
    for (const lost of await lostOf(instance, doctored.keyed))
      report.lost.push(`${round}: ${lost}`);
    await instance.close();
    if (contentsIn(dataDir).length !== contents) report.lost.push(`${round}: a file is gone`);
    if (round >= 0) report.rounds += 1;
  }
  return report;
}

/** All of it can be mended. */
function harm(dataDir: string, token: string): void {
  writeFileSync(join(dataDir, 'owner.token'), token, { mode: 0o600 });
  execute(dataDir, 'delete from issues_text where rowid % 2 = 0');
  const keys = join(dataDir, 'keys');
  if (existsSync(keys)) for (const name of readdirSync(keys)) chmodSync(join(keys, name), 0o644);
}

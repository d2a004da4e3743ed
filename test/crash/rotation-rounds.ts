// Rotations of keys that are killed in the middle, with and without a server: all that the keys stand for
// stays as good as it was, without help.
import { setTimeout } from 'node:timers/promises';
import { startPqrs } from '../../scripts/bench/running.ts';
import { findingsIn } from '../support/doctored-folder.ts';
import { openInstance } from '../support/instance.ts';
import { fillKeyed, lostOf } from '../support/keyed-instance.ts';

export interface RotationReport {
  rounds: number;
  /** Rotations that were killed before they had answered. */
  before: number;
  lost: string[];
}

/** Rotates each kind of key in each round, and kills whoever does it. */
export async function rotationRounds(
  executable: string,
  dataDir: string,
  rounds: number,
): Promise<RotationReport> {
  const report: RotationReport = { rounds: 0, before: 0, lost: [] };
  const init = Bun.spawn([executable, 'init', '--data-dir', dataDir], { stdout: 'ignore' });
  await init.exited;
  const first = await openInstance({}, { dataDir });
  const keyed = await fillKeyed(first);
  await first.close();
  const rotate = (kind: string) =>
    Bun.spawn([executable, 'keys', 'rotate', kind, '--data-dir', dataDir], {
      ...{ env: { PQRS_FREE_DISK_BYTES: '0' }, stdout: 'ignore', stderr: 'ignore' },
    });
  const began = performance.now();
  await rotate('sealing').exited;
  const wholeMs = performance.now() - began;
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of ['signing', 'sealing', 'bundle']) {
      const served = round % 2 === 1;
      const server = served ? await startPqrs(executable, {}, dataDir) : undefined;
      const child = rotate(kind);
      // Most of the time goes into the start; what is to be hit is near the end.
      await Promise.race([setTimeout(wholeMs * (0.4 + Math.random() * 0.7)), child.exited]);
      if (child.exitCode === null) report.before += 1;
      await server?.kill();
      child.kill('SIGKILL');
      await child.exited;
      const again = await openInstance({}, { dataDir });
      for (const lost of await lostOf(again, keyed)) report.lost.push(`${kind} ${round}: ${lost}`);
      await again.close();
      const found = await findingsIn(dataDir);
      if (found.length > 0) report.lost.push(`${kind} ${round}: ${JSON.stringify(found)}`);
    }
    report.rounds += 1;
  }
  return report;
}

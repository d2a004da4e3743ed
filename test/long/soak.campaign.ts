// A long mixed load: no error, no memory that grows, and at the end everything whole. `SOAK_SECONDS`
// says how long, ten minutes unless told.
import { afterAll, expect, test } from 'bun:test';
import { newLedger } from '../../scripts/bench/ledger.ts';
import { growthOf, measureMixed, UNLIMITED } from '../../scripts/bench/mixed.ts';
import { removeFolders, startPqrs } from '../../scripts/bench/running.ts';
import { checkDataFolder, noFindings } from '../crash/promises.ts';
import { executablePath } from '../support/executable.ts';

const seconds = Number(process.env.SOAK_SECONDS ?? 600);
const MiB = 2 ** 20;
/** What memory may grow by over the second half, beside what it is. */
const FLAT = 0.1;

afterAll(removeFolders);

test(`${seconds} s of mixed load end as they began`, async () => {
  const executable = await executablePath();
  const server = await startPqrs(executable, UNLIMITED);
  const { result, memory } = await measureMixed(executable, server, seconds);
  const { growth, mean, perMinute } = growthOf(memory);
  const shown = memory.filter((_, index) => index % Math.ceil(memory.length / 20) === 0);
  console.log(
    shown.map(([at, bytes]) => `${Math.round(at)} s: ${Math.round(bytes / MiB)}`).join(', '),
  );
  console.log(
    `${result.actions} actions, ${result.lost} lost, memory ${(perMinute / MiB).toFixed(1)} MiB a minute at ${(mean / MiB).toFixed(0)} MiB`,
  );
  expect(result.complaints).toEqual([]);
  expect(result.lost).toBe(0);
  expect(growth).toBeLessThan(mean * FLAT);
  expect(await server.stop()).toBe(0);
  expect(server.complaints()).toBe('');
  const findings = noFindings();
  checkDataFolder(server.dataDir, newLedger(), findings);
  expect(findings.broken).toEqual([]);
});

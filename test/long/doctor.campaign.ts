// The long version of test/crash/repair.test.ts and of the pages of test/operations/doctor.test.ts.
// `DOCTOR_ROUNDS` and `DOCTOR_PAGES` say how many, 20 and 200 unless told.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolders } from '../../scripts/bench/running.ts';
import { repairRounds } from '../crash/repair-rounds.ts';
import { overwritePage, pagesInUse, seeded } from '../support/damage.ts';
import { copyOf, type Doctored, findingsIn, makeDoctored } from '../support/doctored-folder.ts';
import { executablePath } from '../support/executable.ts';

const rounds = Number(process.env.DOCTOR_ROUNDS ?? 20);
const pages = Number(process.env.DOCTOR_PAGES ?? 200);

let doctored: Doctored;
beforeAll(async () => {
  doctored = await makeDoctored();
});
afterAll(removeFolders);

test(`${rounds} repairs that are killed lose nothing`, async () => {
  const { lost, ...counts } = await repairRounds(await executablePath(), doctored, rounds);
  console.log(JSON.stringify(counts));
  expect(lost).toEqual([]);
  expect(counts.before).toBeGreaterThan(rounds / 4);
});

test(`${pages} pages in use that are overwritten are each found`, async () => {
  const dataDir = copyOf(doctored);
  const path = join(dataDir, 'pqrs.db');
  const all = pagesInUse(path);
  const random = seeded(200);
  for (let round = 0; round < pages; round += 1) {
    const page = all[random(all.length)] ?? 1;
    const putBack = overwritePage(path, page);
    const codes = (await findingsIn(dataDir)).map(({ code }) => code as string);
    expect(codes, `page ${page} of ${all.length}`).toContain('database_damaged');
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
    putBack();
  }
});

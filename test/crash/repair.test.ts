// Kills of `pqrs doctor --repair`. The long version is test/long/doctor.campaign.ts.
import { afterAll, expect, test } from 'bun:test';
import { removeFolders } from '../../scripts/bench/running.ts';
import { makeDoctored } from '../support/doctored-folder.ts';
import { executablePath } from '../support/executable.ts';
import { repairRounds } from './repair-rounds.ts';

afterAll(removeFolders);

test('a repair that is killed loses nothing, and the next one mends the rest [PQRS-91]', async () => {
  const report = await repairRounds(await executablePath(), await makeDoctored(), 2);
  expect(report.lost).toEqual([]);
  expect(report.rounds).toBe(2);
}, 120_000);

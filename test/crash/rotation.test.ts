// Kills of `pqrs keys rotate`. The long version is test/long/rotation.campaign.ts.
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { removeFolders, temporaryFolder } from '../../scripts/bench/running.ts';
import { executablePath } from '../support/executable.ts';
import { rotationRounds } from './rotation-rounds.ts';

afterAll(removeFolders);

test('a rotation that is killed loses no link, no credential and no public key [PQRS-92]', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const report = await rotationRounds(await executablePath(), dataDir, 2);
  expect(report.lost).toEqual([]);
  expect(report.rounds).toBe(2);
}, 120_000);

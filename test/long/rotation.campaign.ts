// The long version of test/crash/rotation.test.ts. `ROTATION_ROUNDS` says how many rounds, 20 unless told.
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { removeFolders, temporaryFolder } from '../../scripts/bench/running.ts';
import { rotationRounds } from '../crash/rotation-rounds.ts';
import { executablePath } from '../support/executable.ts';

const rounds = Number(process.env.ROTATION_ROUNDS ?? 20);

afterAll(removeFolders);

test(`of ${3 * rounds} rotations that are killed none loses anything`, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const { lost, ...counts } = await rotationRounds(await executablePath(), dataDir, rounds);
  console.log(JSON.stringify(counts));
  expect(lost).toEqual([]);
  expect(counts.before).toBeGreaterThan(rounds / 4);
});

// The long version of test/crash/first-start.test.ts. `FIRST_START_ROUNDS` says how many rounds, 300 unless told.
import { afterAll, expect, test } from 'bun:test';
import { removeFolders } from '../../scripts/bench/running.ts';
import { firstStartRounds } from '../crash/first-start-rounds.ts';
import { executablePath } from '../support/executable.ts';

const rounds = Number(process.env.FIRST_START_ROUNDS ?? 300);

afterAll(removeFolders);

test(`of ${rounds} first starts that are killed none loses a token`, async () => {
  const { broken, ...counts } = await firstStartRounds({
    executable: await executablePath(),
    rounds,
    momentOf: (round) => (round % 3 === 0 ? undefined : 0.3 + Math.random() * 0.8),
  });
  console.log(JSON.stringify(counts));
  expect(broken).toEqual([]);
  expect(counts.before).toBeGreaterThan(rounds / 20);
  expect(counts.after).toBeGreaterThan(rounds / 20);
});

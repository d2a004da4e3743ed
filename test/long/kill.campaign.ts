// The long version of test/crash/kill.test.ts. `KILL_ROUNDS` says how many rounds, 25 unless told.
import { afterAll, expect, test } from 'bun:test';
import { removeFolders } from '../../scripts/bench/running.ts';
import { killRounds } from '../crash/kill-rounds.ts';
import { executablePath } from '../support/executable.ts';

const rounds = Number(process.env.KILL_ROUNDS ?? 25);

afterAll(removeFolders);

test(`killed ${rounds} times under load, it keeps every promise`, async () => {
  const report = await killRounds({
    executable: await executablePath(),
    rounds,
    actions: [10, 4000],
    connections: 48,
    fileBytes: 200_000,
    reporters: 4,
    cases: 30_000,
    reports: [0, 20],
    say: (text) => console.log(text),
  });
  const { broken, ...counts } = report;
  console.log(JSON.stringify(counts));
  expect(broken).toEqual([]);
  expect(report.rounds).toBe(rounds);
});

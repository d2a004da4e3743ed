// The long version of test/crash/fencing.test.ts: 20 agents on a plan of 1,000 items, the service killed
// twice. `FENCING_SEEDS` says how many rounds, 10 unless told; `FENCING_SEED` the first seed, which is
// printed.
import { afterEach, expect, test } from 'bun:test';
import { removeFolders } from '../../scripts/bench/running.ts';
import { fencingRound } from '../crash/fencing-rounds.ts';
import { executablePath } from '../support/executable.ts';

const rounds = Number(process.env.FENCING_SEEDS ?? 10);
const first = Number(process.env.FENCING_SEED ?? Math.floor(Math.random() * 1e9));

afterEach(removeFolders);

for (let seed = first; seed < first + rounds; seed++) {
  test(`with the seed ${seed}, each of 1,000 items ends with one result`, async () => {
    const report = await fencingRound({
      ...{ executable: await executablePath(), seed },
      ...{ agents: 20, items: 1000, kills: 2, leaseMs: 2000, workMs: 120 },
    });
    console.log(JSON.stringify(report));
    expect(report.complaints).toEqual([]);
    expect(report.items).toBe(1000);
    expect(report.kills).toBe(2);
    expect(report.killed).toBeGreaterThan(0);
  });
}

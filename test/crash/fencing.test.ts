// Agents that die and freeze, and a service that is killed under them: each item of their plan ends
// with one accepted result. The long version is test/long/fencing.campaign.ts.
import { afterAll, expect, test } from 'bun:test';
import { removeFolders } from '../../scripts/bench/running.ts';
import { executablePath } from '../support/executable.ts';
import { fencingRound } from './fencing-rounds.ts';

afterAll(removeFolders);

test('each item of a plan ends with one result, whoever dies [PQRS-48] [PQRS-50]', async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const report = await fencingRound({
    ...{ executable: await executablePath(), seed },
    ...{ agents: 8, items: 80, kills: 1, leaseMs: 1000, workMs: 40 },
  });
  expect({ seed, complaints: report.complaints }).toEqual({ seed, complaints: [] });
  expect(report.items).toBe(80);
  expect(report.kills).toBe(1);
  expect(report.frozen).toBeGreaterThan(0);
}, 120_000);

// Killing the service at random moments under load: nothing that was acknowledged is lost. The
// long version is test/long/kill.campaign.ts.
import { afterAll, expect, test } from 'bun:test';
import { removeFolders } from '../../scripts/bench/running.ts';
import { executablePath } from '../support/executable.ts';
import { killRounds } from './kill-rounds.ts';

afterAll(removeFolders);

test('killed under load, it keeps every promise [PQRS-84]', async () => {
  const report = await killRounds({
    executable: await executablePath(),
    rounds: 2,
    actions: [100, 400],
    connections: 16,
    fileBytes: 50_000,
    reporters: 2,
    cases: 3000,
    reports: [1, 6],
  });
  expect(report.broken).toEqual([]);
  expect(report.rounds).toBe(2);
  expect(report.killedStarts).toBe(1);
  // The rounds were no empty ones.
  expect(report.issues).toBeGreaterThan(20);
  expect(report.files).toBeGreaterThan(5);
  expect(report.logs).toBeGreaterThan(100);
  expect(report.replays).toBeGreaterThan(5);
  expect(report.lost).toBeGreaterThan(0);
  expect(report.runs).toBeGreaterThan(2);
  expect(report.results).toBeGreaterThan(10);
}, 120_000);

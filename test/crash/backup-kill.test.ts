// The long version is test/long/backup.campaign.ts.
import { afterAll, expect, test } from 'bun:test';
import { removeFolders } from '../../scripts/bench/running.ts';
import { executablePath } from '../support/executable.ts';
import { backupKillRounds } from './backup-kill-rounds.ts';

afterAll(removeFolders);

test('killed backups and restores leave nothing that passes for whole [PQRS-90]', async () => {
  const report = await backupKillRounds({
    executable: await executablePath(),
    rounds: 2,
    files: 20,
    fileBytes: 500_000,
  });
  expect(report.broken).toEqual([]);
  expect(report.rounds).toBe(2);
}, 120_000);

// Backups at full size beside the mixed load, and many kills. `BACKUP_ISSUES` and `BACKUP_MIB` say how
// large, `BACKUP_ROUNDS` how many.
import { afterAll, expect, test } from 'bun:test';
import { removeFolders } from '../../scripts/bench/running.ts';
import { backupKillRounds } from '../crash/backup-kill-rounds.ts';
import { measureBackup } from '../operations/backup-load.ts';
import { executablePath } from '../support/executable.ts';

const issues = Number(process.env.BACKUP_ISSUES ?? 200_000);
const files = Number(process.env.BACKUP_MIB ?? 2048);
const rounds = Number(process.env.BACKUP_ROUNDS ?? 20);
const say = (text: string) => console.log(text);

afterAll(removeFolders);

test(`a backup of ${issues} issues and ${files} MiB of files holds nobody up`, async () => {
  const plan = { issues, files, fileBytes: 2 ** 20, connections: 16, seconds: 30, say };
  const { before, during, ...figures } = await measureBackup(plan);
  console.log(JSON.stringify({ before, during, ...figures }));
  expect(figures.complaints).toEqual([]);
  expect(figures.different).toEqual([]);
  // Commits over 50 ms that a busy machine makes by itself are no fault of the backup.
  expect(during.slowPerMinute).toBeLessThan(2 * before.slowPerMinute + 1);
  expect(during.p99).toBeLessThan(2 * before.p99);
});

test(`${rounds} times killed, nothing passes for whole that is not`, async () => {
  const executable = await executablePath();
  const report = await backupKillRounds({
    executable,
    rounds,
    files: 100,
    fileBytes: 2 ** 20,
    say,
  });
  console.log(JSON.stringify(report));
  expect(report.broken).toEqual([]);
  expect(report.rounds).toBe(rounds);
});

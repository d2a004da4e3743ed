// Kills whoever makes a backup, and whoever restores one, at random moments: what is there afterwards
// is whole, or is not there.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openClient } from '../../scripts/bench/client.ts';
import { startPqrs, temporaryFolder } from '../../scripts/bench/running.ts';

export interface BackupKillPlan {
  executable: string;
  rounds: number;
  files: number;
  fileBytes: number;
  say?(text: string): void;
}

export interface BackupKillReport {
  rounds: number;
  /** Backups and restores that had not ended when they were killed. */
  killedBackups: number;
  killedRestores: number;
  broken: string[];
}

/** Runs the rounds. Nothing in `broken` means that no half archive passed for a whole one. */
export async function backupKillRounds(plan: BackupKillPlan): Promise<BackupKillReport> {
  const { executable, say = () => {} } = plan;
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const archive = join(folder, 'backup.tar');
  const scheduled = join(folder, 'scheduled');
  const target = join(folder, 'restored');
  const report: BackupKillReport = { rounds: 0, killedBackups: 0, killedRestores: 0, broken: [] };
  const settings = {
    PQRS_BACKUP_DIR: scheduled,
    PQRS_BACKUP_EVERY: '1s',
    PQRS_BACKUP_KEEP: '2',
    PQRS_FREE_DISK_BYTES: '0',
  };

  /** Runs a command; kills it, where it is told to, and with it the server that works for it. */
  async function run(args: string[], killAfterMs?: number, server?: { kill(): Promise<void> }) {
    const child = Bun.spawn([executable, ...args], {
      env: { PQRS_FREE_DISK_BYTES: '0' },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    });
    if (killAfterMs !== undefined) {
      await Promise.race([child.exited, Bun.sleep(killAfterMs)]);
      const killed = child.exitCode === null;
      await server?.kill();
      if (!server) child.kill('SIGKILL');
      await child.exited;
      return { killed, code: child.exitCode, text: '' };
    }
    const text = await new Response(child.stderr).text();
    return { killed: false, code: await child.exited, text };
  }
  async function must(what: string, args: string[]): Promise<void> {
    const { code, text } = await run(args);
    if (code !== 0) report.broken.push(`${what}: ${text.trim()}`);
  }

  for (; report.rounds < plan.rounds && report.broken.length === 0; report.rounds++) {
    const server = await startPqrs(executable, settings, dataDir);
    if (report.rounds === 0) await seed(server.port, server.token, plan);
    while (manifestsIn(scheduled).length === 0) await Bun.sleep(20);
    // Of three rounds one leaves the server alone, so that there is an archive to be replaced.
    const kill = report.rounds % 3 === 0 ? undefined : 20 + Math.random() * 500;
    const made = await run(['backup', archive, '--data-dir', dataDir], kill, server);
    if (made.killed) report.killedBackups++;
    else if (made.code !== 0) report.broken.push(`a backup failed: ${made.text.trim()}`);
    await server.kill();
    if (existsSync(archive)) await must('archive', ['restore', archive, '--verify']);
    else if (report.rounds > 0) report.broken.push('the archive of before is gone');
    for (const name of manifestsIn(scheduled))
      await must(name, ['restore', scheduled, '--verify', '--at', name]);

    const restore = ['restore', archive, '--new-keys', '--data-dir', target];
    const restored = await run(restore, 20 + Math.random() * 500);
    if (restored.killed) {
      report.killedRestores++;
      if (!existsSync(target)) await must('a restore after a kill', restore);
    }
    if (!existsSync(target)) report.broken.push('nothing was restored');
    else await compare(target, join(folder, 'again'), report, must);
    say(`round ${report.rounds + 1}: ${JSON.stringify(report)}`);
    for (const path of [target, join(folder, 'again')]) Bun.spawnSync(['rm', '-rf', path]);
  }
  // A stop in the middle is in order: it neither waits for the backup nor crashes on it.
  const stopping = await startPqrs(executable, settings, dataDir);
  const asked = run(['backup', archive, '--data-dir', dataDir]);
  await Bun.sleep(Math.random() * 400);
  const stopped = await stopping.stop();
  await asked;
  if (stopped !== 0) report.broken.push(`a stop during a backup ended with ${stopped}`);
  // What the kills have left is removed by the next backup; nothing lies beside the archive.
  const last = await run(['backup', archive, '--data-dir', dataDir]);
  if (last.code !== 0) report.broken.push(`the last backup failed: ${last.text}`);
  if (existsSync(`${archive}.partial`)) report.broken.push('a killed backup is never cleared away');
  return report;
}

function manifestsIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
}

/** What was restored is whole: it can be backed up and restored again, with the same files. */
async function compare(
  target: string,
  again: string,
  report: BackupKillReport,
  must: (what: string, args: string[]) => Promise<void>,
): Promise<void> {
  const archive = `${again}.tar`;
  await must('a backup of what was restored', ['backup', archive, '--data-dir', target]);
  await must('a restore of it', ['restore', archive, '--new-keys', '--data-dir', again]);
  const [one, other] = [target, again].map((folder) =>
    readdirSync(join(folder, 'files'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /[0-9a-f]{64}$/.test(name))
      .sort(),
  );
  if (JSON.stringify(one) !== JSON.stringify(other)) report.broken.push('files are lost');
}

async function seed(
  port: number,
  token: string,
  { files, fileBytes }: BackupKillPlan,
): Promise<void> {
  const client = await openClient(port);
  let issue = '';
  for (let index = 0; index < files; index++) {
    if (index % 20 === 0) {
      const filed = { method: 'POST', path: '/api/issues', token, json: { title: `${index}` } };
      issue = (await client.askJson<{ id: string }>(filed, 201)).id;
    }
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': 'attachment; filename="a.bin"',
    };
    const body = Buffer.alloc(fileBytes, `content ${index} `);
    const path = `/api/issues/${issue}/attachments`;
    await client.askJson({ method: 'POST', path, token, headers, body }, 201);
  }
  client.close();
}

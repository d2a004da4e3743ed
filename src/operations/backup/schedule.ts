// Backups by the clock, and each week the proof that the newest of them can be restored.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { eq } from 'drizzle-orm';
import { instance } from '../../store/tables/projects.ts';
import { LAST_DRILL } from '../probes/readiness.ts';
import { type BackupServices, backUp, drill } from './backups.ts';
import { newestManifest } from './folder.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DRILL_EVERY_MS = 7 * 24 * HOUR_MS;

/** Starts the schedule, where a folder is configured. */
export function startSchedule(services: BackupServices): () => void {
  const { config, clock } = services;
  // What a killed process left of an archive that it was sending.
  void rm(join(resolve(config.dataDir), 'backup.partial'), { recursive: true, force: true }).catch(
    () => {},
  );
  if (config.backupDir === undefined) return () => {};
  let notBefore = 0;
  let running = false;
  async function check(): Promise<void> {
    if (running || clock() < notBefore) return;
    running = true;
    const done = await runDue(services).finally(() => {
      running = false;
    });
    if (!done) notBefore = clock() + Math.min(HOUR_MS, config.backupEvery);
  }
  const timer = setInterval(() => void check(), Math.min(MINUTE_MS, config.backupEvery));
  return () => clearInterval(timer);
}

export async function runDue(services: BackupServices): Promise<boolean> {
  const { config, clock, draining, faults, log } = services;
  if (config.backupDir === undefined) return true;
  const path = resolve(config.backupDir);
  async function attempt(check: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      faults.clear(check);
      return true;
    } catch (error) {
      if (draining()) return false;
      log.error({ err: error }, `${check} failed`);
      const why = error instanceof Error ? error.message.split('\n')[0] : '';
      faults.report(check, { status: 'warn', output: why ?? '' });
      return false;
    }
  }
  const made = await attempt('backup:schedule', async () => {
    const newest = await newestManifest(path);
    if (newest && clock() - Date.parse(newest.createdAt) < config.backupEvery) return;
    await backUp(services, { kind: 'folder', path, keep: config.backupKeep }, {});
  });
  if (!made) return false;
  return attempt('backup:drill', async () => {
    const [row] = await services.database.read
      .select()
      .from(instance)
      .where(eq(instance.name, LAST_DRILL));
    if (!row || clock() - Number(row.value) >= DRILL_EVERY_MS) await drill(services, path);
  });
}

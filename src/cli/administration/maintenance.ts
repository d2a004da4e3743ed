// What a running server does now and then.
import type { OpenApp } from '../../app.ts';
import { type Evidence, expireLogs, sweepFiles } from '../../evidence/evidence.ts';
import type { Served } from '../../http/api/context.ts';
import { forgetOldKeys } from '../../http/api/idempotency.ts';
import { startSchedule } from '../../operations/backup/backups.ts';
import { expireRuns } from '../../quality/runs/batches.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const AFTER_START_MS = 2000;

export function startMaintenance(evidence: Served<Evidence>, app: OpenApp): () => void {
  const { database, tokens, clock, log } = evidence;
  const attempt = (what: string, work: () => Promise<unknown>) =>
    void work().catch((error) => log.warn({ err: error }, `${what} failed`));
  const flush = () => attempt('writing times of last use', () => tokens.flush());
  const sweep = () => attempt('the sweep of files', () => sweepFiles(evidence));
  const expire = () => {
    attempt('forgetting idempotency keys', () => forgetOldKeys(database, clock()));
    attempt('expiring logs', () => expireLogs(evidence));
    attempt('expiring runs', () => expireRuns(evidence));
  };
  const timers = [
    setInterval(flush, MINUTE_MS),
    setInterval(expire, HOUR_MS),
    setInterval(() => void app.recordStatuses(), 10 * MINUTE_MS),
    setTimeout(sweep, AFTER_START_MS),
    setInterval(sweep, DAY_MS),
  ];
  const stopSchedule = startSchedule(evidence);
  return () => {
    stopSchedule();
    for (const timer of timers) clearTimeout(timer);
  };
}

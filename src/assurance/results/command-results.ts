// The newest results of commands: how the last of their runs that count went.
import { and, eq, inArray } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { commandStats } from '../../store/tables/quality.ts';
import { chunksOf } from '../state/chunks.ts';
import type { IndexBuilder } from './result-index.ts';
import { readRunFacts } from './run-facts.ts';
import type { TargetResult } from './target-results.ts';

const LAST = {
  commandId: commandStats.commandId,
  batch: commandStats.lastBatch,
  status: commandStats.lastStatus,
  durationMs: commandStats.lastDurationMs,
  fingerprint: commandStats.lastFingerprint,
};

/** Puts the newest results of a project's commands into an index: of all, or of some. */
export async function readCommandResults(
  db: Db,
  projectId: string,
  next: IndexBuilder,
  commandIds?: readonly string[],
): Promise<void> {
  const ofProject = eq(commandStats.projectId, projectId);
  const rows = commandIds
    ? (
        await Promise.all(
          [...chunksOf(commandIds)].map((some) =>
            db
              .select(LAST)
              .from(commandStats)
              .where(and(inArray(commandStats.commandId, some), ofProject)),
          ),
        )
      ).flat()
    : await db.select(LAST).from(commandStats).where(ofProject);
  const unknown = new Set(rows.map(({ batch }) => batch).filter((one) => !next.facts.has(one)));
  for (const [batch, run] of await readRunFacts(db, [...unknown])) next.facts.set(batch, run);
  for (const { commandId, batch, status, durationMs, fingerprint } of rows) {
    const run = next.facts.get(batch);
    if (!run) continue;
    const result = {
      ...{ ...run, commandId, durationMs, ownFingerprint: fingerprint },
      status: status as TargetResult['status'],
    };
    next.putCommand(commandId, { batch, result });
  }
}

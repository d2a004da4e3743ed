// System log entries as they are written: in batches, settled, taken away when they are old.
import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { notFound } from '../../errors.ts';
import { requireMatch } from '../../model/etag.ts';
import { placeholdersOf, prepared } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { recordTimes } from '../../store/list-filters.ts';
import { logEntries, logGroups } from '../../store/tables/evidence.ts';
import { projects } from '../../store/tables/projects.ts';
import { logFingerprint } from '../issues/create.ts';
import { type LogPatchInput, type NewLogEntry, OWN_SOURCE } from './model.ts';
import { conditionsOf } from './rows.ts';

const BATCH_SIZE = 250;

const insertEntry = prepared((db) =>
  db.insert(logEntries).values(placeholdersOf(logEntries)).prepare(),
);

const countGroup = prepared((db) =>
  db
    .insert(logGroups)
    .values(placeholdersOf(logGroups))
    .onConflictDoUpdate({
      target: [logGroups.projectId, logGroups.fingerprint],
      set: {
        message: sql`excluded.message`,
        occurrences: sql`${logGroups.occurrences} + excluded.occurrences`,
        firstAt: sql`min(${logGroups.firstAt}, excluded.first_at)`,
        lastAt: sql`max(${logGroups.lastAt}, excluded.last_at)`,
        lastSeq: sql`excluded.last_seq`,
      },
    })
    .prepare(),
);

interface Batch {
  projectId: string;
  entries: readonly NewLogEntry[];
  /** The token that sends them; null for the service itself. */
  tokenId: string | null;
  now: number;
}

/** Writes entries, all or none, inside the caller's write. @returns their ids, in their order */
export async function writeLogEntries(
  db: Db,
  { projectId, entries, tokenId, now }: Batch,
): Promise<string[]> {
  const insert = insertEntry(db);
  const groups = new Map<string, typeof logGroups.$inferInsert>();
  const ids: string[] = [];
  let lastSeq = 0;
  for (let from = 0; from < entries.length; from += BATCH_SIZE) {
    if (from > 0) await new Promise((next) => setImmediate(next));
    const rows = entries.slice(from, from + BATCH_SIZE).map((entry) => {
      const { level = 'info', source = null, message, at = now } = entry;
      const { fields = null, route = null, runId = null, issueId = null } = entry;
      const content = { level, source, message, fields, route, runId, issueId };
      const fingerprint = logFingerprint({ level, source, message });
      const made = { state: 'open', note: null, authorToken: tokenId, version: 1, createdAt: now };
      return { id: newId('log'), projectId, at, fingerprint, ...content, ...made };
    });
    // Asked for together: a database server gets them in one request.
    const results = await Promise.all(rows.map((row) => insert.run(row)));
    const added = rows.map(({ at }, index) => {
      return { at, seq: Number(results[index]?.lastInsertRowid) };
    });
    await recordTimes(db, 'log_entries', added);
    for (const [index, { id, at, level, source, message, fingerprint }] of rows.entries()) {
      ids.push(id);
      lastSeq = added[index]?.seq ?? lastSeq;
      const group = groups.get(fingerprint);
      groups.set(fingerprint, {
        projectId,
        fingerprint,
        level,
        source,
        message,
        lastSeq,
        occurrences: (group?.occurrences ?? 0) + 1,
        firstAt: Math.min(group?.firstAt ?? at, at),
        lastAt: Math.max(group?.lastAt ?? at, at),
      });
    }
  }
  const counted = [...groups.values()];
  for (let from = 0; from < counted.length; from += BATCH_SIZE) {
    const some = counted.slice(from, from + BATCH_SIZE);
    await Promise.all(some.map((group) => countGroup(db).run(group)));
  }
  return ids;
}

/** @param ifMatch - the request's `If-Match`; it speaks of the one entry that is named */
export async function settleLogEntries(
  db: Db,
  projectId: string,
  { id, ids = id === undefined ? undefined : [id], filter = {}, state, note }: LogPatchInput,
  ifMatch: string | null,
): Promise<number> {
  const version = sql`${logEntries.version} + 1`;
  const named = ids && [...new Set(ids)];
  const where = named
    ? and(
        eq(logEntries.projectId, projectId),
        sql`${logEntries.id} in (select value from json_each(${JSON.stringify(named)}))`,
      )
    : and(...conditionsOf(projectId, filter));
  if (named) {
    const rows = await db.select({ version: logEntries.version }).from(logEntries).where(where);
    if (rows.length < named.length) throw notFound('log entry');
    for (const row of rows) requireMatch(ifMatch, row.version);
  }
  const { rowsAffected } = await db.update(logEntries).set({ state, note, version }).where(where);
  return rowsAffected;
}

const isNoAudit = sql`(${logEntries.source} is not ${OWN_SOURCE} or ${logEntries.fields} ->> 'action' is null)`;

/** A few at a time; those of the audit stay. Fewer than `most` come back with the last batch. */
export async function removeOldLogEntries(
  db: Db,
  projectId: string,
  before: number,
  most: number,
): Promise<number[]> {
  const old = await db
    .select({ seq: logEntries.seq, fingerprint: logEntries.fingerprint })
    .from(logEntries)
    .where(and(eq(logEntries.projectId, projectId), lt(logEntries.createdAt, before), isNoAudit))
    .limit(most);
  if (old.length === 0) return [];
  const seqs = old.map((row) => row.seq);
  await db.delete(logEntries).where(inArray(logEntries.seq, seqs));
  for (const [fingerprint, gone] of Map.groupBy(old, (row) => row.fingerprint)) {
    const group = and(eq(logGroups.projectId, projectId), eq(logGroups.fingerprint, fingerprint));
    await db
      .update(logGroups)
      .set({ occurrences: sql`${logGroups.occurrences} - ${gone.length}` })
      .where(group);
    await db.delete(logGroups).where(and(group, lt(logGroups.occurrences, 1)));
  }
  return seqs;
}

/** Who acts where a command is run in the data folder. */
export const COMMAND_LINE: Actor = { tokenId: 'command-line', label: null };

/** Who acts where the service does a thing by itself, on a schedule or at its start. */
export const SERVICE: Actor = { tokenId: 'service', label: null };

export interface AuditEvent {
  /** Whose log it is in; null for what concerns the instance: that of its first project. */
  projectId: string | null;
  /** What was done: the noun and the participle, `token.created`. */
  action: `${string}.${string}`;
  actor: Actor;
  /** What it was done to: ids, names, counts; never a secret. */
  fields?: Record<string, unknown>;
  now: number;
}

/** Inside the caller's write. Before the first project nothing of the instance is recorded. */
export async function recordAudit(
  db: Db,
  { action, actor: by, fields, now, ...event }: AuditEvent,
): Promise<void> {
  const first = db.select({ id: projects.id }).from(projects).orderBy(asc(projects.seq)).limit(1);
  const projectId = event.projectId ?? (await first)[0]?.id;
  if (projectId === undefined) return;
  const entry = { source: OWN_SOURCE, message: action, fields: { action, by, ...fields } };
  await writeLogEntries(db, { projectId, entries: [entry], tokenId: null, now });
}

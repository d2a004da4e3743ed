// The audit: what changes rights, settings, credentials or what is stored is an entry of the
// project's system log that no retention removes.
import { asc } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import type { Db } from '../../store/database.ts';
import { projects } from '../../store/tables/projects.ts';
import { writeLogEntries } from './entries.ts';
import { OWN_SOURCE } from './model.ts';

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
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Records an event inside the caller's write, so that neither is there without the other. Where an
 * instance has no project yet, what concerns the instance is not recorded.
 */
export async function recordAudit(
  db: Db,
  { action, actor: by, fields, now, ...event }: AuditEvent,
): Promise<void> {
  const projectId = event.projectId ?? (await firstProject(db));
  if (projectId === undefined) return;
  const entry = { source: OWN_SOURCE, message: action, fields: { action, by, ...fields } };
  await writeLogEntries(db, { projectId, entries: [entry], tokenId: null, now });
}

async function firstProject(db: Db): Promise<string | undefined> {
  const { id, seq } = projects;
  const [first] = await db.select({ id }).from(projects).orderBy(asc(seq)).limit(1);
  return first?.id;
}

// Baselines: names that revisions are given for good.
import type { Static } from '@sinclair/typebox';
import { and, desc, eq } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { timestamp } from '../../clock.ts';
import { invalid, notFoundAt, Problem } from '../../errors.ts';
import { recordAudit } from '../../evidence/logs/entries.ts';
import type { Db } from '../../store/database.ts';
import { type BaselineRow, baselines } from '../../store/tables/requirements.ts';
import type { Baseline, BaselineInput } from './model.ts';
import { getRevision } from './revisions.ts';

export function baselineView(row: BaselineRow): Static<typeof Baseline> {
  const { name, revision, note, authorToken: tokenId, authorLabel: label } = row;
  return { name, revision, note, author: { tokenId, label }, createdAt: timestamp(row.createdAt) };
}

/** The baselines of a project, the newest first. */
export async function listBaselines(db: Db, projectId: string): Promise<BaselineRow[]> {
  return db
    .select()
    .from(baselines)
    .where(eq(baselines.projectId, projectId))
    .orderBy(desc(baselines.seq));
}

/**
 * @param pointer - of the field that names it
 * @throws Problem `not_found`
 */
export async function getBaseline(
  db: Db,
  projectId: string,
  name: string,
  pointer = '/baseline',
): Promise<BaselineRow> {
  const [row] = await db
    .select()
    .from(baselines)
    .where(and(eq(baselines.projectId, projectId), eq(baselines.name, name)));
  if (!row) throw notFoundAt(pointer, 'is no baseline of this project');
  return row;
}

/**
 * The number of the revision that a query asks for; undefined for the latest.
 * @throws Problem `not_found` for a name that no revision has
 */
export async function revisionAsked(
  db: Db,
  projectId: string,
  { revision, baseline }: { revision?: number | undefined; baseline?: string | undefined },
): Promise<number | undefined> {
  if (baseline === undefined) return revision;
  if (revision !== undefined) throw invalid('/baseline', 'does not go with revision');
  return (await getBaseline(db, projectId, baseline)).revision;
}

/**
 * Names a revision, inside the caller's write; to name it so again changes nothing.
 * @throws Problem `conflict` where the name is another revision's
 */
export async function nameRevision(
  db: Db,
  projectId: string,
  { name, revision: wanted, note = null }: Static<typeof BaselineInput>,
  latest: number,
  { actor, now }: { actor: Actor; now: number },
): Promise<void> {
  const revision = wanted ?? latest;
  if (revision === 0) throw invalid('/baseline', 'needs a revision, and there is none yet');
  if (revision > latest) throw notFoundAt('/baseline/revision', 'is no revision of this project');
  await getRevision(db, projectId, revision);
  const author = { authorToken: actor.tokenId, authorLabel: actor.label };
  const [made] = await db
    .insert(baselines)
    .values({ projectId, name, revision, note, ...author, createdAt: now })
    .onConflictDoNothing()
    .returning();
  if (made) {
    const fields = { name, revision };
    await recordAudit(db, { projectId, action: 'baseline.named', actor, fields, now });
    return;
  }
  const known = await getBaseline(db, projectId, name);
  if (known.revision === revision) return;
  const errors = [{ pointer: '/baseline/name', detail: `names revision ${known.revision}` }];
  throw new Problem('conflict', `A baseline is named for good.`, { errors });
}

// Writing traces and justifications: all changes of a request, or none.
import type { Static } from '@sinclair/typebox';
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { type FieldError, invalid, Problem } from '../../errors.ts';
import { invalidFields } from '../../model/validate.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { justifications, type TraceRow, traces } from '../../store/tables/assurance.ts';
import { issues } from '../../store/tables/evidence.ts';
import { storyTrace } from '../coverage/story-links.ts';
import { type AssuranceState, chunksOf } from '../state/state.ts';
import { storyOf } from '../validation/verdicts.ts';
import {
  MAX_CHANGES,
  type TraceabilityInput,
  type TraceabilityWritten,
  type TraceInput,
} from './model.ts';
import { traceView } from './pages.ts';

export interface TraceAuthor {
  actor: Actor;
  now: number;
}

type Changes = Required<Omit<TraceabilityInput, 'review'>> & {
  review: { id: string; fingerprint?: string }[];
};

/** Takes away, reviews, adds, justifies, inside the caller's write. */
export async function writeTraces(
  db: Db,
  state: AssuranceState,
  input: TraceabilityInput,
  author: TraceAuthor,
): Promise<Static<typeof TraceabilityWritten>> {
  const { add = [], remove = [], justify = [] } = input;
  const review = (input.review ?? []).map((one) => (typeof one === 'string' ? { id: one } : one));
  const { projectId } = state.effective;
  const storyOfTrace = await requireChanges(db, state, { add, remove, review, justify });
  await db.delete(traces).where(and(eq(traces.projectId, projectId), inArray(traces.id, remove)));
  const reviewed = await reviewTraces(db, state, review, storyOfTrace, author);
  const { added, unchanged } = await addTraces(db, state, add, author);
  await justifyNeeds(db, projectId, justify, author);
  const view = (row: TraceRow) => traceView(state, storyTrace(state, row));
  return {
    added: added.map(view),
    unchanged: unchanged.map(view),
    removed: [...new Set(remove)],
    reviewed: reviewed.map(view),
    justified: justify,
  };
}

/** @returns the stories of the traces that are to be removed or reviewed */
async function requireChanges(
  db: Db,
  state: AssuranceState,
  changes: Changes,
): Promise<ReadonlyMap<string, string>> {
  const { add, remove, review, justify } = changes;
  const count = Object.values(changes).flat().length;
  if (count === 0 || count > MAX_CHANGES)
    throw invalid('', `holds ${count} changes; 1 to ${MAX_CHANGES} go together`);
  const { projectId, under } = state.effective;
  const ids = [...remove, ...review.map(({ id }) => id)];
  const named = await db
    .select({ id: traces.id, storyId: traces.storyId })
    .from(traces)
    .where(and(eq(traces.projectId, projectId), inArray(traces.id, ids)));
  const storyOfTrace = new Map(named.map(({ id, storyId }) => [id, storyId]));
  const linked = add.flatMap(({ target }) => (target.kind === 'issue' ? target.id : []));
  const known = await db
    .select({ id: issues.id })
    .from(issues)
    .where(and(eq(issues.projectId, projectId), inArray(issues.id, linked)));
  const issueIds = new Set(known.map(({ id }) => id));
  const errors: FieldError[] = [];
  const conflicts: FieldError[] = [];
  const refuse = (pointer: string, detail: string) => errors.push({ pointer, detail });
  for (const [at, { storyId, target }] of add.entries()) {
    if (!storyOf(state.effective, storyId))
      refuse(`/add/${at}/storyId`, 'is not a story of this project');
    if (target.kind === 'issue' && !issueIds.has(target.id))
      refuse(`/add/${at}/target/id`, 'is not an issue of this project');
  }
  for (const [at, id] of remove.entries())
    if (!storyOfTrace.has(id)) refuse(`/remove/${at}`, 'is not a trace of this project');
  for (const [at, { id, fingerprint: seen }] of review.entries()) {
    const pointer = `/review/${at}`;
    const storyId = storyOfTrace.get(id);
    if (storyId === undefined || remove.includes(id))
      refuse(pointer, 'is not a trace of this project');
    else if (!storyOf(state.effective, storyId))
      refuse(pointer, `is a trace of ${storyId}, which is gone`);
    else if (seen !== undefined && under(storyId, seen) !== seen)
      conflicts.push({
        pointer: `${pointer}/fingerprint`,
        detail: `is not that of ${storyId} now`,
      });
  }
  // Of a story that is gone, a justification can still be taken back.
  for (const [at, { storyId, reason }] of justify.entries())
    if (reason !== null && !storyOf(state.effective, storyId))
      refuse(`/justify/${at}/storyId`, 'is not a story of this project');
  if (errors.length > 0) throw invalidFields(errors);
  const detail = 'A story has changed since it was looked at for a review.';
  if (conflicts.length > 0) throw new Problem('conflict', detail, { errors: conflicts });
  return storyOfTrace;
}

/** The statement of a whole batch is prepared once. */
const BATCH_SIZE = 100;

/** Adds links at the fingerprints of today; those that are there are left as they are. */
export async function addTraces(
  db: Db,
  { effective, commands }: AssuranceState,
  inputs: readonly TraceInput[],
  { actor, now }: TraceAuthor,
): Promise<{ added: TraceRow[]; unchanged: TraceRow[] }> {
  const { projectId } = effective;
  const by = { authorToken: actor.tokenId, authorLabel: actor.label, createdAt: now };
  const values = new Map<string, typeof traces.$inferInsert>();
  for (const { storyId, type, target, note = null } of inputs) {
    const { kind: targetKind, id } = target;
    // A command's key may become another command's.
    const targetId = (targetKind === 'command' && commands.find(id)?.id) || id;
    const fingerprint = effective.node(storyId)?.fingerprint ?? '';
    const link = { projectId, storyId, type, targetKind, targetId, note, fingerprint };
    const key = JSON.stringify([storyId, type, targetKind, targetId]);
    values.set(key, { id: newId('trc'), ...link, origin: 'declared', ...by });
  }
  const rows: TraceRow[] = [];
  const { storyId, type, targetKind, targetId } = traces;
  for (const some of chunksOf([...values.values()], BATCH_SIZE)) {
    const made = await db
      .insert(traces)
      .values(some)
      // Changes nothing, and has the row that is there returned.
      .onConflictDoUpdate({
        target: [traces.projectId, storyId, type, targetKind, targetId],
        set: { projectId },
      })
      .returning();
    rows.push(...made);
  }
  rows.sort((a, b) => a.seq - b.seq);
  const ids = new Set([...values.values()].map(({ id }) => id));
  return {
    added: rows.filter(({ id }) => ids.has(id)),
    unchanged: rows.filter(({ id }) => !ids.has(id)),
  };
}

async function reviewTraces(
  db: Db,
  { effective }: AssuranceState,
  review: Changes['review'],
  storyOfTrace: ReadonlyMap<string, string>,
  { actor, now }: TraceAuthor,
): Promise<TraceRow[]> {
  const reviewed: TraceRow[] = [];
  for (const id of new Set(review.map((one) => one.id))) {
    const rows = await db
      .update(traces)
      .set({
        fingerprint: effective.node(storyOfTrace.get(id) ?? '')?.fingerprint ?? '',
        version: sql`${traces.version} + 1`,
        reviewedAt: now,
        reviewedToken: actor.tokenId,
        reviewedLabel: actor.label,
      })
      .where(eq(traces.id, id))
      .returning();
    reviewed.push(...rows);
  }
  return reviewed;
}

async function justifyNeeds(
  db: Db,
  projectId: string,
  inputs: Changes['justify'],
  { actor, now }: TraceAuthor,
): Promise<void> {
  const by = { authorToken: actor.tokenId, authorLabel: actor.label, createdAt: now };
  const { projectId: project, storyId: story, need: kind } = justifications;
  for (const { storyId, need, reason } of inputs) {
    const isOwn = and(eq(project, projectId), eq(story, storyId), eq(kind, need));
    await db.delete(justifications).where(isOwn);
    if (reason !== null)
      await db.insert(justifications).values({ projectId, storyId, need, reason, ...by });
  }
}

// Writing traces and justifications: all changes of a request, or none.
import type { Static } from '@sinclair/typebox';
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { justifications, type TraceRow, traces } from '../../store/tables/assurance.ts';
import type { TraceOrigin } from '../coverage/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { chunksOf } from '../state/state.ts';
import { requireChanges, reviewedId } from './checks.ts';
import { rowView } from './links.ts';
import type { TraceabilityInput, TraceInput } from './model.ts';
import type { TraceabilityWritten } from './schemas.ts';

export type TracesWritten = Static<typeof TraceabilityWritten>;

export interface TraceAuthor {
  /** Null for what the service links by itself. */
  actor: Actor | null;
  now: number;
}

/**
 * Makes the changes, inside the caller's write: it takes away, reviews, adds, justifies.
 *
 * @throws Problem `invalid` that points at every entry that cannot be; `conflict` where a story is no
 *   longer what was looked at for a review
 */
export async function writeTraces(
  db: Db,
  state: AssuranceState,
  input: TraceabilityInput,
  author: TraceAuthor & { actor: Actor },
): Promise<TracesWritten> {
  await requireChanges(db, state, input);
  const { projectId } = state.effective;
  const { add = [], remove = [], review = [], justify = [] } = input;
  const removed = [...new Set(remove)];
  for (const some of chunksOf(removed)) {
    await db.delete(traces).where(and(eq(traces.projectId, projectId), inArray(traces.id, some)));
  }
  const reviewed = await reviewTraces(db, state, [...new Set(review.map(reviewedId))], author);
  const { added, unchanged } = await addTraces(db, state, add, author);
  await justifyNeeds(db, projectId, justify, author);
  const view = (row: TraceRow) => rowView(state, row);
  return {
    added: added.map(view),
    unchanged: unchanged.map(view),
    removed,
    reviewed: reviewed.map(view),
    justified: justify,
  };
}

export async function addTrace(
  db: Db,
  state: AssuranceState,
  input: TraceInput,
  author: TraceAuthor,
  origin: TraceOrigin = 'declared',
): Promise<{ row: TraceRow; added: boolean }> {
  const { added, unchanged } = await addTraces(db, state, [input], author, origin);
  const row = added[0] ?? unchanged[0];
  if (!row) throw new Error('a trace was neither added nor there');
  return { row, added: added.length > 0 };
}

const ADDED_AT_ONCE = 100;

/**
 * Adds links at the fingerprints of today, inside the caller's write. A link that is there is left
 * as it is.
 *
 * @param inputs - of stories in the effective graph
 * @returns the rows in the order of the inputs, each once
 */
export async function addTraces(
  db: Db,
  { effective, commands }: AssuranceState,
  inputs: readonly TraceInput[],
  { actor, now }: TraceAuthor,
  origin: TraceOrigin = 'declared',
): Promise<{ added: TraceRow[]; unchanged: TraceRow[] }> {
  const { projectId } = effective;
  const added: TraceRow[] = [];
  const unchanged: TraceRow[] = [];
  // A command's key may become another command's.
  const named = inputs.map((input) => {
    const command = input.target.kind === 'command' ? commands.find(input.target.id) : undefined;
    return command ? { ...input, target: { ...input.target, id: command.id } } : input;
  });
  for (const some of chunksOf(uniqueInputs(named), ADDED_AT_ONCE)) {
    const rows = some.map(({ storyId, type, target, note }) => ({
      id: newId('trc'),
      projectId,
      storyId,
      type,
      targetKind: target.kind,
      targetId: target.id,
      origin,
      note: note ?? null,
      fingerprint: effective.node(storyId)?.fingerprint ?? '',
      authorToken: actor?.tokenId ?? null,
      authorLabel: actor?.label ?? null,
      createdAt: now,
    }));
    const made = await db.insert(traces).values(rows).onConflictDoNothing().returning();
    const madeIds = new Set(made.map(({ id }) => id));
    added.push(...made.sort((a, b) => a.seq - b.seq));
    const there = rows.filter(({ id }) => !madeIds.has(id));
    if (there.length > 0) unchanged.push(...(await tracesLike(db, projectId, there)));
  }
  return { added, unchanged };
}

function uniqueInputs(inputs: readonly TraceInput[]): TraceInput[] {
  const keys = inputs.map(({ storyId, type, target }) =>
    JSON.stringify([storyId, type, target.kind, target.id]),
  );
  const first = new Map<string, TraceInput>();
  for (const [at, input] of inputs.entries()) {
    const key = keys[at] ?? '';
    if (!first.has(key)) first.set(key, input);
  }
  return [...first.values()];
}

function tracesLike(
  db: Db,
  projectId: string,
  links: readonly Pick<TraceRow, 'storyId' | 'type' | 'targetKind' | 'targetId'>[],
): Promise<TraceRow[]> {
  const values = links.map(
    ({ storyId, type, targetKind, targetId }) =>
      sql`(${storyId}, ${type}, ${targetKind}, ${targetId})`,
  );
  return db
    .select()
    .from(traces)
    .where(
      and(
        eq(traces.projectId, projectId),
        sql`(${traces.storyId}, ${traces.type}, ${traces.targetKind}, ${traces.targetId}) in (values ${sql.join(values, sql`, `)})`,
      ),
    )
    .orderBy(traces.seq);
}

async function reviewTraces(
  db: Db,
  { effective }: AssuranceState,
  ids: readonly string[],
  { actor, now }: TraceAuthor & { actor: Actor },
): Promise<TraceRow[]> {
  const stories = new Map<string, string[]>();
  for (const some of chunksOf(ids)) {
    const rows = await db
      .select({ id: traces.id, storyId: traces.storyId })
      .from(traces)
      .where(inArray(traces.id, some));
    for (const { id, storyId } of rows) stories.set(storyId, [...(stories.get(storyId) ?? []), id]);
  }
  const reviewed = new Map<string, TraceRow>();
  for (const [storyId, own] of stories) {
    const fingerprint = effective.node(storyId)?.fingerprint ?? '';
    for (const some of chunksOf(own)) {
      const rows = await db
        .update(traces)
        .set({
          fingerprint,
          version: sql`${traces.version} + 1`,
          reviewedAt: now,
          reviewedToken: actor.tokenId,
          reviewedLabel: actor.label,
        })
        .where(inArray(traces.id, some))
        .returning();
      for (const row of rows) reviewed.set(row.id, row);
    }
  }
  return ids.flatMap((id) => reviewed.get(id) ?? []);
}

async function justifyNeeds(
  db: Db,
  projectId: string,
  inputs: NonNullable<TraceabilityInput['justify']>,
  { actor, now }: TraceAuthor & { actor: Actor },
): Promise<void> {
  const by = { authorToken: actor.tokenId, authorLabel: actor.label, createdAt: now };
  for (const { storyId, need, reason } of inputs) {
    if (reason === null) {
      await db
        .delete(justifications)
        .where(
          and(
            eq(justifications.projectId, projectId),
            eq(justifications.storyId, storyId),
            eq(justifications.need, need),
          ),
        );
      continue;
    }
    await db
      .insert(justifications)
      .values({ projectId, storyId, need, reason, ...by })
      .onConflictDoUpdate({
        target: [justifications.projectId, justifications.storyId, justifications.need],
        set: { reason, ...by },
      });
  }
}

// Story additions: made, activated, deleted.
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { invalid, notFound, Problem } from '../../errors.ts';
import { requireMatch } from '../../model/etag.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { type StoryAdditionRow, storyAdditions } from '../../store/tables/assurance.ts';
import { additionContent, type Effective } from '../graph/effective.ts';
import { isNormative } from '../graph/model.ts';
import { recordMove } from './changes.ts';
import { type Editor, requireActivator } from './deciders.ts';
import { decidedBy } from './edits.ts';
import type { AdditionLink, AdditionState } from './model.ts';

export interface NewAddition {
  storyId?: string;
  parentId?: string | null;
  kind?: 'requirement' | 'story';
  title: string;
  statement?: string;
  acceptance?: string[];
  links?: AdditionLink[];
  reason?: string | null;
}

/**
 * Adds a story, inside the caller's write. It is active at once but by an editor under review.
 *
 * @throws Problem `invalid`; `conflict` where the id is taken
 */
export async function createAddition(
  db: Db,
  effective: Effective,
  input: NewAddition,
  { actor, owner, now }: Editor,
): Promise<StoryAdditionRow> {
  const { projectId, additions, settings } = effective;
  const storyId = input.storyId ?? (await nextId(db, effective));
  requireTargets(effective, storyId, input);
  if (effective.node(storyId) || additions.some((one) => one.storyId === storyId)) {
    throw new Problem('conflict', `There is a ${heldBy(effective, storyId)} ${storyId} already.`, {
      errors: [{ pointer: '/storyId', detail: 'is taken' }],
    });
  }
  const atOnce = owner || settings.editPolicy === 'direct';
  const [row] = await db
    .insert(storyAdditions)
    .values({
      id: newId('add'),
      projectId,
      storyId,
      parentId: input.parentId ?? null,
      kind: input.kind ?? 'story',
      title: input.title,
      statement: input.statement ?? '',
      acceptance: input.acceptance ?? [],
      links: input.links ?? [],
      reason: input.reason ?? null,
      state: atOnce ? 'active' : 'proposed',
      authorToken: actor.tokenId,
      authorLabel: actor.label,
      ...(atOnce ? decidedBy(actor, now) : {}),
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  if (!row) throw new Error('the addition was not inserted');
  await record(db, effective, row, { event: 'created', from: null, actor, now });
  return row;
}

function heldBy({ node }: Effective, id: string): string {
  const held = node(id);
  return held && !isNormative(held) ? held.kind : 'story';
}

async function nextId(db: Db, { projectId, index, additions }: Effective): Promise<string> {
  const [row] = await db
    .select({ count: sql<number>`count(*)` })
    .from(storyAdditions)
    .where(eq(storyAdditions.projectId, projectId));
  const proposed = new Set(additions.map(({ storyId }) => storyId));
  for (let number = (row?.count ?? 0) + 1; ; number += 1) {
    const id = `ADD-${number}`;
    if (!index.at.has(id) && !proposed.has(id)) return id;
  }
}

function requireTargets({ node }: Effective, storyId: string, input: NewAddition): void {
  if (input.parentId === storyId) throw invalid('/parentId', 'is the story itself');
  if (input.parentId != null && !node(input.parentId))
    throw invalid('/parentId', 'is not in the graph of this project');
  const links = input.links ?? [];
  for (const [at, { type, to }] of links.entries()) {
    if (links.findIndex((one) => one.type === type && one.to === to) < at)
      throw invalid(`/links/${at}`, 'is there twice');
    if (to === storyId) throw invalid(`/links/${at}/to`, 'is the story itself');
    if (!node(to)) throw invalid(`/links/${at}/to`, 'is not in the graph of this project');
  }
}

/** What a proposed addition is linked to, or stands below, and is gone: a part of a sentence for each. */
export function whatLeft({ node }: Pick<Effective, 'node'>, addition: StoryAdditionRow): string[] {
  const { parentId, links } = additionContent(addition);
  return [
    ...(parentId === null || node(parentId) ? [] : [`stands below ${parentId}`]),
    ...links.flatMap(({ type, to }) => (node(to) ? [] : [`${type} ${to}`])),
  ];
}

/**
 * Activates a proposed addition, inside the caller's write.
 *
 * @throws Problem `forbidden`, `not_found`, `precondition_failed`, `illegal_transition`, `conflict`
 */
export async function activateAddition(
  db: Db,
  effective: Effective,
  id: string,
  ifMatch: string | null,
  { actor, owner, now }: Editor,
): Promise<StoryAdditionRow> {
  requireActivator(effective.settings, { owner });
  const before = await getAddition(db, effective.projectId, id);
  requireMatch(ifMatch, before.version);
  if (before.state === 'active') return before;
  if (before.state !== 'proposed')
    throw new Problem('illegal_transition', `An addition that is ${before.state} stays so.`);
  if (effective.node(before.storyId))
    throw new Problem('conflict', `There is a story ${before.storyId} by now.`);
  const left = whatLeft(effective, before);
  if (left.length > 0)
    throw new Problem('conflict', `${before.storyId} ${left.join(', ')}: no longer in the graph.`);
  const row = await moveAddition(db, before, 'active', now, decidedBy(actor, now));
  await record(db, effective, row, { event: 'activated', from: before.state, actor, now });
  return row;
}

/** @throws Problem `not_found`, for one that was deleted or is another project's too */
export async function getAddition(
  db: Db,
  projectId: string,
  id: string,
): Promise<StoryAdditionRow> {
  const [row] = await db
    .select()
    .from(storyAdditions)
    .where(
      and(
        eq(storyAdditions.projectId, projectId),
        eq(storyAdditions.id, id),
        inArray(storyAdditions.state, ['proposed', 'active', 'absorbed']),
      ),
    );
  if (!row) throw notFound('addition');
  return row;
}

/**
 * Deletes an addition, inside the caller's write; who may, and what depends on it, is for the caller to
 * check.
 *
 * @throws Problem `illegal_transition`
 */
export async function deleteAddition(
  db: Db,
  effective: Effective,
  before: StoryAdditionRow,
  { actor, now }: Editor,
): Promise<void> {
  if (before.state === 'absorbed' && effective.canonical.at.has(before.storyId)) {
    throw new Problem(
      'illegal_transition',
      `The sources hold ${before.storyId} by now: a canonical story cannot be deleted.`,
    );
  }
  const row = await moveAddition(db, before, 'deleted', now, {});
  await record(db, effective, row, { event: 'deleted', from: before.state, actor, now });
}

export async function moveAddition(
  db: Db,
  before: StoryAdditionRow,
  state: AdditionState,
  now: number,
  more: Partial<StoryAdditionRow>,
): Promise<StoryAdditionRow> {
  const [row] = await db
    .update(storyAdditions)
    .set({ ...more, state, version: before.version + 1, updatedAt: now })
    .where(eq(storyAdditions.seq, before.seq))
    .returning();
  if (!row) throw notFound('addition');
  return row;
}

async function record(
  db: Db,
  { projectId, revision }: Effective,
  row: StoryAdditionRow,
  move: { event: string; from: string | null; actor: Actor; now: number },
): Promise<void> {
  await recordMove(db, {
    projectId,
    overlayId: row.id,
    storyId: row.storyId,
    revision: revision?.number ?? 0,
    to: row.state,
    ...move,
  });
}

// Story additions: made, activated, deleted.
import { and, count, eq, ne } from 'drizzle-orm';
import { invalid, notFound, Problem } from '../../errors.ts';
import { requireMatch } from '../../model/etag.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { type StoryAdditionRow, storyAdditions } from '../../store/tables/assurance.ts';
import type { Effective } from '../graph/effective.ts';
import { recordMove } from './changes.ts';
import { decidedBy, type Editor, requireActivator } from './edits.ts';

type Optional = 'storyId' | 'parentId' | 'kind' | 'statement' | 'acceptance' | 'links' | 'reason';
export type NewAddition = Pick<StoryAdditionRow, 'title'> &
  Partial<Pick<StoryAdditionRow, Optional>>;

/**
 * Adds a story, active at once but by an editor under review.
 * @throws Problem `invalid`; `conflict` where the id is taken
 */
export async function createAddition(
  db: Db,
  effective: Effective,
  input: NewAddition,
  editor: Editor,
): Promise<StoryAdditionRow> {
  const { projectId, additions, settings, node } = effective;
  const { actor, now } = editor;
  const storyId = input.storyId ?? (await nextId(db, effective));
  requireTargets(effective, storyId, input);
  if (node(storyId) || additions.some((one) => one.storyId === storyId)) {
    const errors = [{ pointer: '/storyId', detail: 'is taken' }];
    throw new Problem('conflict', `There is a ${storyId} already.`, { errors });
  }
  const atOnce = editor.owner || settings.editPolicy === 'direct';
  const [row] = await db
    .insert(storyAdditions)
    .values({
      kind: 'story',
      statement: '',
      acceptance: [],
      links: [],
      ...input,
      id: newId('add'),
      projectId,
      storyId,
      state: atOnce ? 'active' : 'proposed',
      authorToken: actor.tokenId,
      authorLabel: actor.label,
      ...(atOnce ? decidedBy(actor, now) : {}),
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  if (!row) throw new Error('the addition was not inserted');
  await record(db, effective, row, 'created', null, editor);
  return row;
}

async function nextId(db: Db, { projectId, node, additions }: Effective): Promise<string> {
  const [row] = await db
    .select({ count: count() })
    .from(storyAdditions)
    .where(eq(storyAdditions.projectId, projectId));
  const proposed = new Set(additions.map(({ storyId }) => storyId));
  let number = (row?.count ?? 0) + 1;
  while (node(`ADD-${number}`) || proposed.has(`ADD-${number}`)) number += 1;
  return `ADD-${number}`;
}

function requireTargets({ node }: Effective, storyId: string, input: NewAddition): void {
  const requireOther = (pointer: string, id: string) => {
    if (id === storyId) throw invalid(pointer, 'is the story itself');
    if (!node(id)) throw invalid(pointer, 'is not in the graph of this project');
  };
  if (input.parentId != null) requireOther('/parentId', input.parentId);
  for (const [at, { to }] of (input.links ?? []).entries()) requireOther(`/links/${at}/to`, to);
}

/** What it was linked to may have left since: the audit names that. */
export async function activateAddition(
  db: Db,
  effective: Effective,
  id: string,
  ifMatch: string | null,
  editor: Editor,
): Promise<StoryAdditionRow> {
  requireActivator(effective.settings, editor);
  const before = await getAddition(db, effective.projectId, id);
  const { state, storyId } = before;
  requireMatch(ifMatch, before.version);
  if (state === 'active') return before;
  if (state !== 'proposed')
    throw new Problem('illegal_transition', `An addition that is ${state} stays so.`);
  if (effective.node(storyId)) throw new Problem('conflict', `There is a story ${storyId} by now.`);
  const decision = decidedBy(editor.actor, editor.now);
  const row = await moveAddition(db, before, 'active', editor.now, decision);
  await record(db, effective, row, 'activated', state, editor);
  return row;
}

/** @throws Problem `not_found`, for one that was deleted or is another project's too */
export async function getAddition(
  db: Db,
  projectId: string,
  id: string,
): Promise<StoryAdditionRow> {
  const { projectId: ofProject, id: ownId, state } = storyAdditions;
  const [row] = await db
    .select()
    .from(storyAdditions)
    .where(and(eq(ofProject, projectId), eq(ownId, id), ne(state, 'deleted')));
  if (!row) throw notFound('addition');
  return row;
}

/** Deletes an addition; who may, and what depends on it, is for the caller to check. */
export async function deleteAddition(
  db: Db,
  effective: Effective,
  before: StoryAdditionRow,
  editor: Editor,
): Promise<void> {
  if (before.state === 'absorbed' && effective.canonical.at.has(before.storyId)) {
    const detail = `The sources hold ${before.storyId} by now: a canonical story cannot be deleted.`;
    throw new Problem('illegal_transition', detail);
  }
  const row = await moveAddition(db, before, 'deleted', editor.now, {});
  await record(db, effective, row, 'deleted', before.state, editor);
}

export async function moveAddition(
  db: Db,
  before: StoryAdditionRow,
  state: StoryAdditionRow['state'],
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

function record(
  db: Db,
  { projectId, revision }: Effective,
  { id: overlayId, storyId, state: to }: StoryAdditionRow,
  event: string,
  from: string | null,
  { actor, now }: Editor,
): Promise<void> {
  const about = { projectId, overlayId, storyId, revision: revision?.number ?? 0 };
  return recordMove(db, { ...about, event, from, to, actor, now });
}

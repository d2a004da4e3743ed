// Story edits: made, moved, rebased.
import { and, eq } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { invalid, notFound, Problem } from '../../errors.ts';
import { requireMatch } from '../../model/etag.ts';
import { mergePatch } from '../../model/merge-patch.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { type StoryEditRow, storyEdits } from '../../store/tables/assurance.ts';
import { additionContent, type Effective } from '../graph/effective.ts';
import { type GraphNode, isNormative } from '../graph/model.ts';
import { recordMove } from './changes.ts';
import { type Editor, requireDecider } from './deciders.ts';
import {
  EDIT_MOVES,
  type EditField,
  type EditState,
  type EditValues,
  withoutRepeats,
} from './model.ts';
import { additionValues, fieldsOf, sameValue, superseded, valuesOf } from './reconcile.ts';

export interface EditInput {
  storyId: string;
  set: EditValues;
  reason?: string | null;
  baseFingerprint?: string;
}

/**
 * Checks that an edit can be made.
 *
 * @throws Problem `invalid`, or `conflict` where the story is no longer what its author saw
 */
export function checkEdit(effective: Effective, input: EditInput): GraphNode {
  const story = effective.node(input.storyId);
  if (!story || !isNormative(story)) throw invalid('/storyId', 'is not a story of this project');
  requireChange(story, input.set);
  if (input.baseFingerprint !== undefined) requireSeen(effective, story, input.baseFingerprint);
  return story;
}

function requireChange(story: GraphNode, set: EditValues): void {
  if (Object.keys(set).length === 0) throw invalid('/set', 'must set at least one field');
  const same = Object.entries(set).every(([field, value]) =>
    sameValue(story[field as keyof EditValues], value),
  );
  if (same) throw invalid('/set', 'changes nothing: the story says so already');
}

/** @throws Problem `conflict` where a fingerprint is not that of the story as it is */
function requireSeen({ under }: Effective, story: GraphNode, seen: string): void {
  if (under(story.id, seen) === seen) return;
  throw new Problem('conflict', `${story.id} is no longer what this edit was made on.`, {
    errors: [{ pointer: '/baseFingerprint', detail: `the story's is ${story.fingerprint} by now` }],
  });
}

/** The canonical values of the fields that an edit sets; those of the addition it edits. */
export function baseOf(
  { canonical, additions }: Effective,
  storyId: string,
  set: EditValues,
): EditValues {
  const place = canonical.at.get(storyId);
  if (place !== undefined) return valuesOf(canonical.graph.nodes[place] as GraphNode, set);
  const addition = additions.find((one) => one.storyId === storyId);
  if (!addition) return valuesOf({}, set);
  return valuesOf(additionValues(additionContent(addition)), set);
}

/** Makes an edit, inside the caller's write. It is accepted at once but by an editor under review. */
export async function createEdit(
  db: Db,
  effective: Effective,
  input: EditInput,
  { actor, owner, now }: Editor,
): Promise<StoryEditRow> {
  const story = checkEdit(effective, input);
  const atOnce = owner || effective.settings.editPolicy === 'direct';
  const [row] = await db
    .insert(storyEdits)
    .values({
      id: newId('edt'),
      projectId: effective.projectId,
      storyId: story.id,
      reason: input.reason ?? null,
      setFields: input.set,
      base: baseOf(effective, story.id, input.set),
      state: atOnce ? 'accepted' : 'proposed',
      baseFingerprint: story.fingerprint,
      authorToken: actor.tokenId,
      authorLabel: actor.label,
      ...(atOnce ? decidedBy(actor, now) : {}),
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  if (!row) throw new Error('the edit was not inserted');
  const move = moveOf(effective, story.id, actor, now);
  await recordMove(db, {
    ...move,
    overlayId: row.id,
    event: 'created',
    from: null,
    to: row.state,
  });
  if (atOnce) await supersede(db, effective, row, move);
  return row;
}

export interface EditPatch {
  state?: EditState;
  baseFingerprint?: string;
  /** Merged with what the edit sets (RFC 7396): null takes a field out of it. */
  set?: { [F in EditField]?: EditValues[F] | null };
  reason?: string | null;
}

const ENDS: readonly (EditState | undefined)[] = ['rejected', 'withdrawn'];

/**
 * Checks what can be said of a patch without its edit.
 *
 * @throws Problem `invalid` for new words of an edit that it ends
 */
export function checkPatch({ state, set }: EditPatch): void {
  if (set !== undefined && ENDS.includes(state))
    throw invalid('/set', `does not go with the state ${state}, which ends the edit`);
}

/**
 * Moves, rebases or rewords an edit, inside the caller's write.
 *
 * @throws Problem `not_found`, `precondition_failed`, `forbidden`, `invalid`, `conflict`,
 *   `illegal_transition`
 */
export async function updateEdit(
  db: Db,
  effective: Effective,
  id: string,
  patch: EditPatch,
  ifMatch: string | null,
  editor: Editor,
): Promise<StoryEditRow> {
  const before = await getEdit(db, effective.projectId, id);
  const state = before.state as EditState;
  const rebases = state === 'conflicted' && patch.baseFingerprint !== undefined;
  const wanted = patch.state ?? (rebases ? 'accepted' : state);
  requireDecider(before, wanted, effective.settings, editor);
  requireMatch(ifMatch, before.version);
  requireMove(state, wanted);
  const ends = ENDS.includes(patch.state);
  if (ends && state !== wanted && patch.baseFingerprint !== undefined)
    requireSeen(effective, storyOf(effective, before), patch.baseFingerprint);
  const rewords = patch.set !== undefined || (!ends && patch.baseFingerprint !== undefined);
  if (rewords && state !== 'proposed' && !(state === 'conflicted' && wanted === 'accepted'))
    throw new Problem(
      'illegal_transition',
      `An edit that is ${state} keeps what it sets and was made on.`,
    );
  const set = withoutRepeats(mergePatch(before.setFields, patch.set ?? {}) as EditValues);
  const after = { ...before, reason: patch.reason === undefined ? before.reason : patch.reason };
  if (rewords || (wanted === 'accepted' && wanted !== state))
    Object.assign(after, rebased(effective, before, patch, set));
  const reviewed = effective.settings.editPolicy === 'review' && !editor.owner;
  if (wanted !== state) {
    after.state = state === 'conflicted' && wanted === 'accepted' && reviewed ? 'proposed' : wanted;
    Object.assign(
      after,
      after.state === 'proposed' ? UNDECIDED : decidedBy(editor.actor, editor.now),
    );
  }
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  const { seq: _seq, ...columns } = after;
  const [row] = await db
    .update(storyEdits)
    .set({ ...columns, version: before.version + 1, updatedAt: editor.now })
    .where(eq(storyEdits.seq, before.seq))
    .returning();
  if (!row) throw notFound('edit');
  const move = moveOf(effective, row.storyId, editor.actor, editor.now);
  const event = eventOf(state, row.state);
  await recordMove(db, { ...move, overlayId: id, event, from: state, to: row.state });
  if (row.state === 'accepted' && state !== 'accepted') await supersede(db, effective, row, move);
  return row;
}

export async function findEdit(
  db: Db,
  projectId: string,
  id: string,
): Promise<StoryEditRow | undefined> {
  const [row] = await db
    .select()
    .from(storyEdits)
    .where(and(eq(storyEdits.projectId, projectId), eq(storyEdits.id, id)));
  return row;
}

/** @throws Problem `not_found`, for another project's edit too */
async function getEdit(db: Db, projectId: string, id: string): Promise<StoryEditRow> {
  const row = await findEdit(db, projectId, id);
  if (!row) throw notFound('edit');
  return row;
}

/** @throws Problem `illegal_transition` */
function requireMove(from: EditState, to: EditState): void {
  const open = EDIT_MOVES[from];
  if (from === to || open.includes(to)) return;
  const ways = open.length === 0 ? 'its state is final' : `it can become ${open.join(', ')}`;
  throw new Problem('illegal_transition', `An edit that is ${from} cannot become ${to}: ${ways}.`);
}

/** @throws Problem `conflict` where the story of an edit is gone, or no story any more */
function storyOf({ node }: Effective, { storyId }: StoryEditRow): GraphNode {
  const story = node(storyId);
  if (!story) throw new Problem('conflict', `${storyId} is no longer there.`);
  if (!isNormative(story)) throw new Problem('conflict', `${storyId} is a ${story.kind} by now.`);
  return story;
}

function rebased(
  effective: Effective,
  before: StoryEditRow,
  patch: EditPatch,
  set: EditValues,
): Partial<StoryEditRow> {
  const story = storyOf(effective, before);
  if (before.state === 'conflicted' && patch.baseFingerprint === undefined)
    throw invalid('/baseFingerprint', 'is needed to rebase: the fingerprint of the story as seen');
  if (patch.set) requireChange(story, set);
  requireSeen(effective, story, patch.baseFingerprint ?? before.baseFingerprint);
  return {
    setFields: set,
    base: baseOf(effective, before.storyId, set),
    baseFingerprint: story.fingerprint,
  };
}

function eventOf(from: string, to: string): string {
  if (from === 'conflicted' && to !== 'withdrawn') return 'rebased';
  return from === to ? 'changed' : to;
}

const UNDECIDED = { decidedAt: null, decidedToken: null, decidedLabel: null };

export function decidedBy(actor: Actor, now: number) {
  return { decidedAt: now, decidedToken: actor.tokenId, decidedLabel: actor.label };
}

function moveOf({ projectId, revision }: Effective, storyId: string, actor: Actor, now: number) {
  return { projectId, storyId, revision: revision?.number ?? 0, actor, now };
}

async function supersede(
  db: Db,
  { edits }: Effective,
  newest: StoryEditRow,
  move: ReturnType<typeof moveOf>,
): Promise<void> {
  const accepted = edits.filter(
    ({ storyId, state, id }) =>
      storyId === newest.storyId && state === 'accepted' && id !== newest.id,
  );
  const ended = superseded(
    [...accepted, newest].map((edit) => ({ id: edit.id, fields: fieldsOf(edit) })),
  );
  for (const edit of accepted) {
    if (!ended.includes(edit.id)) continue;
    await moveEdit(db, edit, 'superseded', move.now);
    await recordMove(db, {
      ...move,
      overlayId: edit.id,
      event: 'superseded',
      from: 'accepted',
      to: 'superseded',
      detail: `by ${newest.id}`,
    });
  }
}

export async function moveEdit(
  db: Db,
  edit: StoryEditRow,
  state: EditState,
  now: number,
): Promise<void> {
  await db
    .update(storyEdits)
    .set({ state, version: edit.version + 1, updatedAt: now })
    .where(eq(storyEdits.seq, edit.seq));
}

// Story edits: made, moved, rebased.
import { and, eq } from 'drizzle-orm';
import { type Actor, forbidden, forbiddenFields } from '../../access/caller.ts';
import { invalid, notFound, Problem } from '../../errors.ts';
import { requireMatch } from '../../model/etag.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { type StoryEditRow, storyEdits } from '../../store/tables/assurance.ts';
import type { Effective } from '../graph/effective.ts';
import { type GraphNode, isNormative } from '../graph/model.ts';
import type { Settings } from '../projects/settings.ts';
import { recordMove } from './changes.ts';
import {
  additionValues,
  type EditField,
  type EditState,
  type EditValues,
  sameValue,
  valuesOf,
} from './model.ts';

/** The states that a caller may ask for; the service alone supersedes, absorbs and finds conflicts. */
const MOVES: Record<EditState, readonly EditState[]> = {
  proposed: ['accepted', 'rejected', 'withdrawn'],
  accepted: ['withdrawn'],
  conflicted: ['accepted', 'withdrawn'],
  rejected: [],
  withdrawn: [],
  superseded: [],
  absorbed: [],
};

export interface EditInput {
  storyId: string;
  set: EditValues;
  reason?: string | null;
  baseFingerprint?: string;
}

/** @throws Problem `invalid`, or `conflict` where the story is no longer what its author saw */
export function checkEdit(effective: Effective, input: EditInput): GraphNode {
  const story = effective.node(input.storyId);
  if (!story || !isNormative(story)) throw invalid('/storyId', 'is not a story of this project');
  requireChange(story, input.set);
  if (input.baseFingerprint !== undefined) requireSeen(effective, story, input.baseFingerprint);
  return story;
}

function requireChange(story: GraphNode, set: EditValues): void {
  const fields = Object.keys(set) as EditField[];
  if (fields.length === 0) throw invalid('/set', 'must set at least one field');
  if (fields.every((field) => sameValue(story[field], set[field])))
    throw invalid('/set', 'changes nothing: the story says so already');
}

function requireSeen({ under }: Effective, story: GraphNode, seen: string): void {
  if (under(story.id, seen) === seen) return;
  const detail = `the story's is ${story.fingerprint} by now`;
  const errors = [{ pointer: '/baseFingerprint', detail }];
  throw new Problem('conflict', `${story.id} is no longer what this edit was made on.`, { errors });
}

/** The canonical values of the fields that an edit sets; those of the addition it edits. */
function baseOf({ canonical, additions }: Effective, storyId: string, set: EditValues): EditValues {
  const place = canonical.at.get(storyId);
  if (place !== undefined) return valuesOf(canonical.graph.nodes[place] as GraphNode, set);
  const addition = additions.find((one) => one.storyId === storyId);
  return valuesOf(addition ? additionValues(addition) : {}, set);
}

/** Makes an edit, which is accepted at once but by an editor under review. */
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
  await record(db, effective, row, { event: 'created', from: null, actor, now });
  return row;
}

export interface EditPatch {
  state?: EditState;
  baseFingerprint?: string;
  reason?: string | null;
}

export async function updateEdit(
  db: Db,
  effective: Effective,
  id: string,
  patch: EditPatch,
  ifMatch: string | null,
  editor: Editor,
): Promise<StoryEditRow> {
  const [before] = await db
    .select()
    .from(storyEdits)
    .where(and(eq(storyEdits.projectId, effective.projectId), eq(storyEdits.id, id)));
  if (!before) throw notFound('edit');
  const { state: from } = before;
  const { baseFingerprint, reason = before.reason } = patch;
  const rebases = from === 'conflicted' && baseFingerprint !== undefined;
  const wanted = patch.state ?? (rebases ? 'accepted' : from);
  requireDecider(before, wanted, effective.settings, editor);
  requireMatch(ifMatch, before.version);
  if (from !== wanted && !MOVES[from].includes(wanted))
    throw new Problem('illegal_transition', `An edit that is ${from} cannot become ${wanted}.`);
  const isAccepted = wanted === 'accepted' && from !== wanted;
  const base = isAccepted ? rebased(effective, before, baseFingerprint) : {};
  if (!isAccepted && baseFingerprint !== undefined)
    requireSeen(effective, storyOf(effective, before), baseFingerprint);
  if (from === wanted && reason === before.reason) return before;
  const after: StoryEditRow = { ...before, ...base, reason };
  if (from !== wanted) {
    const isReviewed = effective.settings.editPolicy === 'review' && !editor.owner;
    after.state = from === 'conflicted' && isAccepted && isReviewed ? 'proposed' : wanted;
    const undecided = { decidedAt: null, decidedToken: null, decidedLabel: null };
    const decision = decidedBy(editor.actor, editor.now);
    Object.assign(after, after.state === 'proposed' ? undecided : decision);
  }
  const { seq: _seq, ...columns } = after;
  const [row] = await db
    .update(storyEdits)
    .set({ ...columns, version: before.version + 1, updatedAt: editor.now })
    .where(eq(storyEdits.seq, before.seq))
    .returning();
  if (!row) throw notFound('edit');
  const isRebase = from === 'conflicted' && isAccepted;
  const event = isRebase ? 'rebased' : from === row.state ? 'changed' : row.state;
  await record(db, effective, row, { event, from, ...editor });
  return row;
}

function storyOf({ node }: Effective, { storyId }: StoryEditRow): GraphNode {
  const story = node(storyId);
  if (!story || !isNormative(story))
    throw new Problem('conflict', `${storyId} is no story of this project any more.`);
  return story;
}

function rebased(
  effective: Effective,
  before: StoryEditRow,
  seen: string | undefined,
): Partial<StoryEditRow> {
  const story = storyOf(effective, before);
  if (before.state === 'conflicted' && seen === undefined)
    throw invalid('/baseFingerprint', 'is needed to rebase: the fingerprint of the story as seen');
  requireSeen(effective, story, seen ?? before.baseFingerprint);
  const base = baseOf(effective, before.storyId, before.setFields);
  return { base, baseFingerprint: story.fingerprint };
}

export function decidedBy(actor: Actor, now: number) {
  return { decidedAt: now, decidedToken: actor.tokenId, decidedLabel: actor.label };
}

/** Records a move, and supersedes what an edit that is accepted with it covers. */
async function record(
  db: Db,
  { projectId, revision, edits }: Effective,
  { id, storyId, state, setFields }: StoryEditRow,
  { event, from, actor, now }: { event: string; from: string | null; actor: Actor; now: number },
): Promise<void> {
  const move = { projectId, storyId, revision: revision?.number ?? 0, actor, now };
  await recordMove(db, { ...move, overlayId: id, event, from, to: state });
  if (state !== 'accepted' || from === 'accepted') return;
  const others = edits.filter(
    (edit) => edit.storyId === storyId && edit.state === 'accepted' && edit.id !== id,
  );
  const ended = superseded([...others, { id, setFields }]);
  for (const edit of others.filter((one) => ended.includes(one.id))) {
    await moveEdit(db, edit, 'superseded', now);
    const states = { event: 'superseded', from: 'accepted', to: 'superseded' };
    await recordMove(db, { ...move, ...states, overlayId: edit.id, detail: `by ${id}` });
  }
}

/** The accepted edits of a story whose every field a later one sets; the oldest decision first. */
export function superseded(accepted: readonly Pick<StoryEditRow, 'id' | 'setFields'>[]): string[] {
  const later = new Set<string>();
  return accepted.toReversed().flatMap(({ id, setFields }) => {
    const fields = Object.keys(setFields);
    if (fields.every((field) => later.has(field))) return id;
    for (const field of fields) later.add(field);
    return [];
  });
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

export interface Editor {
  actor: Actor;
  owner: boolean;
  now: number;
}

const AN_OWNER = 'another than an owner under review';

/** @throws Problem `forbidden` for a state that the caller may not give to an edit */
function requireDecider(
  { state: from, authorToken }: { state: string; authorToken: string },
  to: EditState,
  { editPolicy }: Settings,
  { owner, actor }: Editor,
): void {
  if (from === to || owner || editPolicy === 'direct') return;
  // Rebased it is proposed again.
  if (to === 'rejected' || (to === 'accepted' && from !== 'conflicted'))
    throw forbiddenFields(['state'], AN_OWNER);
  if (to === 'withdrawn' && authorToken !== actor.tokenId)
    throw forbiddenFields(['state'], 'another than its author or an owner');
}

export function requireActivator({ editPolicy }: Settings, { owner }: Pick<Editor, 'owner'>): void {
  if (!owner && editPolicy === 'review') throw forbiddenFields(['state'], AN_OWNER);
}

export function requireDeleter(
  { editPolicy }: Settings,
  { authorToken }: { authorToken: string },
  { actor, owner }: Omit<Editor, 'now'>,
): void {
  if (!owner && editPolicy === 'review' && authorToken !== actor.tokenId)
    throw forbidden('Under review only its author or an owner may delete an addition.');
}

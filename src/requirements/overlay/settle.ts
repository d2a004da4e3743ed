// What a new revision does to a project's edits and additions, in the transaction of its import: what the
// sources say by now is absorbed, and what they say otherwise than when an edit was made is a conflict.
import type { Db } from '../../store/database.ts';
import type { StoryAdditionRow } from '../../store/tables/assurance.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { openAdditions, openEdits } from '../graph/effective.ts';
import type { Graphs } from '../graph/graphs.ts';
import { type GraphNode, isNormative } from '../graph/model.ts';
import { moveAddition } from './additions.ts';
import { recordMove } from './changes.ts';
import { moveEdit } from './edits.ts';
import {
  additionValues,
  type EditField,
  type EditState,
  type EditValues,
  sameValue,
} from './model.ts';

/** Moves the edits and additions of a project under its new revision. */
export async function settleRevision(
  db: Db,
  graphs: Graphs,
  revision: RevisionRow,
  now: number,
): Promise<void> {
  const { projectId, number } = revision;
  const edits = await openEdits(db, projectId);
  const additions = await openAdditions(db, projectId);
  if (edits.length + additions.length === 0) return;
  const { nodes } = await graphs.graph(revision);
  const edited = new Set([...edits, ...additions].map(({ storyId }) => storyId));
  const found = new Map(nodes.filter(({ id }) => edited.has(id)).map((node) => [node.id, node]));
  const move = { projectId, revision: number, actor: null, now };
  for (const addition of additions) {
    const { id, storyId, state: from } = addition;
    const node = found.get(storyId);
    if (!node) continue;
    // What it says in force stays, whatever becomes of the edits.
    const sets = edits
      .filter((edit) => edit.storyId === storyId && edit.state === 'accepted')
      .map(({ setFields }) => setFields);
    const said: StoryAdditionRow = Object.assign({ ...addition }, ...sets);
    const { title, statement, acceptance } = said;
    const differs = differences(said, node);
    const detail = differs.length === 0 ? null : `the sources differ in ${differs.join(', ')}`;
    await moveAddition(db, addition, 'absorbed', now, { title, statement, acceptance });
    const to = 'absorbed';
    await recordMove(db, { ...move, overlayId: id, storyId, event: to, from, to, detail });
  }
  // What is merely proposed is no story.
  const active = additions.filter(({ state }) => state === 'active');
  const added = new Map(active.map((one) => [one.storyId, additionValues(one)] as const));
  for (const edit of edits) {
    const { id, storyId, state: from, setFields, base } = edit;
    const source = found.get(storyId);
    // A story that is a section by now is gone.
    const canonical = source && isNormative(source) ? source : undefined;
    const story = source ? canonical : added.get(storyId);
    const to = reconcileEdit(from, setFields, base, story, source ? 'sources' : 'addition');
    if (to === from) continue;
    const detail = story ? null : `${storyId} is no story any more`;
    await moveEdit(db, edit, to, now);
    await recordMove(db, { ...move, overlayId: id, storyId, event: to, from, to, detail });
  }
}

const RECONCILED: ReadonlySet<EditState> = new Set(['proposed', 'accepted', 'conflicted']);

/**
 * The state of an edit under a new revision.
 * @param story - the canonical story, or the active addition; undefined where it is a story no more
 * @param base - the values of the edited fields when the edit was made
 */
export function reconcileEdit(
  state: EditState,
  set: EditValues,
  base: EditValues,
  story: EditValues | undefined,
  holder: 'sources' | 'addition' = 'sources',
): EditState {
  if (!RECONCILED.has(state)) return state;
  if (!story) return 'conflicted';
  const fields = Object.keys(set) as EditField[];
  // First what has not moved: an edit may set what the sources say, over an older edit.
  if (fields.every((field) => sameValue(story[field], base[field]))) return state;
  const isSaid = fields.every((field) => sameValue(story[field], set[field]));
  return isSaid && holder === 'sources' ? 'absorbed' : 'conflicted';
}

/** The fields in which an added story, with the edits absorbed with it, differs from the canonical one of its id. */
export function differences(
  addition: EditValues & Pick<StoryAdditionRow, 'kind'>,
  node: GraphNode,
): string[] {
  const fields = ['kind', 'title', 'statement', 'acceptance'] as const;
  return fields.filter((field) => !sameValue(addition[field], node[field]));
}

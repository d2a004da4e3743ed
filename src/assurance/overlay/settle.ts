// What a new revision does to a project's edits and additions, in the transaction of its import.
import { openAdditions, openEdits } from '../../requirements/graph/effective.ts';
import type { Graphs } from '../../requirements/graph/graphs.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import { moveAddition } from '../../requirements/overlay/additions.ts';
import { recordMove } from '../../requirements/overlay/changes.ts';
import { moveEdit } from '../../requirements/overlay/edits.ts';
import {
  additionValues,
  differences,
  reconcileEdit,
  whereItIs,
} from '../../requirements/overlay/reconcile.ts';
import type { Db } from '../../store/database.ts';
import type { StoryAdditionRow } from '../../store/tables/assurance.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';

/**
 * Moves the edits and additions of a project under its new revision, inside the import's write:
 * what the sources say by now is absorbed, what they say otherwise is a conflict.
 */
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
  const { nodes, edges } = await graphs.graph(revision);
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
    const links = edges.filter((edge) => edge.from === storyId && edge.type !== 'contains');
    const differs = differences(said, node, links);
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
    const detail = story ? null : `${storyId} ${whereItIs(source)}`;
    await moveEdit(db, edit, to, now);
    await recordMove(db, { ...move, overlayId: id, storyId, event: to, from, to, detail });
  }
}

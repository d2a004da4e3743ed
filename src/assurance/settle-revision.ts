// What a new revision does to a project's edits and additions, in the transaction of its import.
import { additionContent, openAdditions, openEdits } from '../requirements/effective.ts';
import type { GraphNode } from '../requirements/graph/model.ts';
import type { Graphs } from '../requirements/graphs.ts';
import { moveAddition } from '../requirements/overlay/additions.ts';
import { recordMove } from '../requirements/overlay/changes.ts';
import { moveEdit } from '../requirements/overlay/edits.ts';
import type { EditState, EditValues } from '../requirements/overlay/model.ts';
import { additionValues, differences, reconcileEdit } from '../requirements/overlay/reconcile.ts';
import type { Db } from '../store/database.ts';
import type { RevisionRow } from '../store/tables/requirements.ts';

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
  const { nodes } = await graphs.graph(revision);
  const wanted = new Set([...edits, ...additions].map(({ storyId }) => storyId));
  const found = new Map(
    nodes.filter(({ id }) => wanted.has(id)).map((node): [string, GraphNode] => [node.id, node]),
  );
  const base = { projectId, revision: number, actor: null, now };
  for (const addition of additions) {
    const node = found.get(addition.storyId);
    if (!node) continue;
    const content = additionContent(addition);
    const accepted = edits.filter(
      ({ storyId, state }) => storyId === addition.storyId && state === 'accepted',
    );
    const sets = accepted.map(({ setFields }) => JSON.parse(setFields) as EditValues);
    const differs = differences(Object.assign({ ...content }, ...sets), node);
    const text = JSON.stringify(differs);
    await moveAddition(db, addition, 'absorbed', now, { differs: text });
    await recordMove(db, {
      ...{ ...base, overlayId: addition.id, storyId: addition.storyId, event: 'absorbed' },
      ...{ from: addition.state, to: 'absorbed' },
      detail: differs.length === 0 ? null : `the sources differ in ${differs.join(', ')}`,
    });
  }
  const added = new Map(
    additions.map((one) => [one.storyId, additionValues(additionContent(one))]),
  );
  for (const edit of edits) {
    const story = found.get(edit.storyId) ?? added.get(edit.storyId);
    const set = JSON.parse(edit.setFields) as EditValues;
    const from = edit.state as EditState;
    const to = reconcileEdit(from, set, JSON.parse(edit.base) as EditValues, story);
    if (to === from) continue;
    await moveEdit(db, edit, to, now);
    await recordMove(db, {
      ...{ ...base, overlayId: edit.id, storyId: edit.storyId, event: to, from, to },
      detail: story ? null : `${edit.storyId} is in no source any more`,
    });
  }
}

// What a new revision does to a project's edits and additions, in the transaction of its import.
import {
  additionContent,
  type Effective,
  effectiveOf,
  openAdditions,
  openEdits,
} from '../../requirements/graph/effective.ts';
import { indexGraph } from '../../requirements/graph/graph-index.ts';
import type { Graphs } from '../../requirements/graph/graphs.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import { moveAddition } from '../../requirements/overlay/additions.ts';
import { recordMove } from '../../requirements/overlay/changes.ts';
import { moveEdit } from '../../requirements/overlay/edits.ts';
import type { EditState, EditValues } from '../../requirements/overlay/model.ts';
import {
  additionValues,
  differences,
  reconcileEdit,
  whereItIs,
} from '../../requirements/overlay/reconcile.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import { getRevision } from '../../requirements/projects/revisions.ts';
import { readSettings } from '../../requirements/projects/settings.ts';
import { hasVerdicts } from '../../requirements/verdicts.ts';
import type { Db } from '../../store/database.ts';
import type { StoryEditRow } from '../../store/tables/assurance.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { recordGone } from '../validation/gone.ts';
import { leavingStories } from './leaving-stories.ts';

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
  await keepLeaving(db, graphs, revision, { edits, additions }, now);
  if (edits.length + additions.length === 0) return;
  const { nodes, edges } = await graphs.graph(revision);
  const wanted = new Set([...edits, ...additions].map(({ storyId }) => storyId));
  const found = new Map(
    nodes.filter(({ id }) => wanted.has(id)).map((node): [string, GraphNode] => [node.id, node]),
  );
  const linksOf = Map.groupBy(
    edges.filter(({ from, type }) => type !== 'contains' && wanted.has(from)),
    ({ from }) => from,
  );
  const editsOf = Map.groupBy(edits, ({ storyId }) => storyId);
  const move = { projectId, revision: number, actor: null, now };
  for (const addition of additions) {
    const node = found.get(addition.storyId);
    if (!node) continue;
    const taken = (editsOf.get(addition.storyId) ?? []).filter(
      (edit) => edit.state === 'accepted' && settled(edit, storyIn(node), 'sources') === 'absorbed',
    );
    const sets = taken.map(({ setFields }) => JSON.parse(setFields) as EditValues);
    const links = linksOf.get(node.id) ?? [];
    const differs = differences(Object.assign(additionContent(addition), ...sets), node, links);
    await moveAddition(db, addition, 'absorbed', now, {});
    await recordMove(db, {
      ...{ ...move, overlayId: addition.id, storyId: addition.storyId, event: 'absorbed' },
      ...{ from: addition.state, to: 'absorbed' },
      detail: differs.length === 0 ? null : `the sources differ in ${differs.join(', ')}`,
    });
  }
  // What is merely proposed is no story.
  const added = new Map(
    additions.flatMap((one) =>
      one.state === 'active' ? [[one.storyId, additionValues(additionContent(one))]] : [],
    ),
  );
  for (const edit of edits) {
    const [source, addition] = [found.get(edit.storyId), added.get(edit.storyId)];
    const story = source ? storyIn(source) : addition;
    const from = edit.state;
    const to = settled(edit, story, source ? 'sources' : 'addition');
    if (to === from) continue;
    await moveEdit(db, edit, to, now);
    await recordMove(db, {
      ...{ ...move, overlayId: edit.id, storyId: edit.storyId, event: to, from, to },
      detail: story ? null : `${edit.storyId} ${whereItIs(source)}`,
    });
  }
}

/** What an edit can be held against: a story that is a section by now is gone. */
function storyIn(source: GraphNode): GraphNode | undefined {
  return isNormative(source) ? source : undefined;
}

/** The state of an edit under the revision, as `reconcileEdit`. */
function settled(
  { state, setFields, base }: StoryEditRow,
  story: EditValues | undefined,
  holder: 'sources' | 'addition',
): EditState {
  const [set, was] = [setFields, base].map((text) => JSON.parse(text) as EditValues);
  return reconcileEdit(state as EditState, set ?? {}, was ?? {}, story, holder);
}

/** Keeps what the stories said that are none under the revision. */
async function keepLeaving(
  db: Db,
  graphs: Graphs,
  { projectId, number, ...revision }: RevisionRow,
  overlays: Pick<Effective, 'edits' | 'additions'>,
  now: number,
): Promise<void> {
  if (!(await hasVerdicts(db, projectId))) return;
  const { nodes } = await graphs.graph(revision);
  // What was added may have been judged before there was a revision.
  const before = number === 1 ? undefined : await getRevision(db, projectId, number - 1);
  const graph = before ? await graphs.graph(before) : { nodes: [], edges: [] };
  const leaving = leavingStories(graph.nodes, overlays.additions, nodes);
  if (leaving.length === 0) return;
  const { settings } = await getProject(db, projectId);
  const effective = effectiveOf({
    ...{ projectId, revision: before, settings: readSettings(settings), overlayClock: 0 },
    ...{ canonical: indexGraph(graph), ...overlays },
  });
  await recordGone(db, effective, leaving, { revision: number, at: now });
}

// The deletion of an added story: what depends on it keeps it from being deleted, or goes with it.

import { and, eq } from 'drizzle-orm';
import { Problem } from '../../errors.ts';
import { type Effective, effectiveOf } from '../../requirements/graph/effective.ts';
import { recordMove } from '../../requirements/overlay/changes.ts';
import type { Editor } from '../../requirements/overlay/deciders.ts';
import { moveEdit } from '../../requirements/overlay/edits.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { Db } from '../../store/database.ts';
import { justifications, type StoryAdditionRow, traces } from '../../store/tables/assurance.ts';
import { traceStateOf } from '../coverage/link-state.ts';
import type { AssuranceState } from '../state/state.ts';
import { transferItems } from '../validation/transfer.ts';
import { impactOf } from './impact.ts';
import type { Impact } from './model.ts';

/** Thrown in the write of a deletion that is refused; its impact is found out after the write. */
export class HasDependents extends Error {
  override name = 'HasDependents';
  readonly state: AssuranceState;
  readonly row: StoryAdditionRow;
  /** The stories that point at it, by whatever type of link, and the added ones below it. */
  readonly stories: readonly string[];

  constructor(state: AssuranceState, row: StoryAdditionRow, what: string, stories: string[]) {
    super(`${row.storyId} has dependents: ${what}; cascade=true removes them.`);
    this.state = state;
    this.row = row;
    this.stories = stories;
  }
}

/** @throws HasDependents where something depends on the added story */
export function requireNoDependents(state: AssuranceState, row: StoryAdditionRow): void {
  if (row.state === 'absorbed') return;
  const { id, storyId } = row;
  const { effective, catalog, scenarios, commands, tests } = state;
  const links = effective.index.graph.edges.filter(
    ({ to, type }) => to === storyId && type !== 'contains',
  );
  const children = effective.additions.filter((one) => one.id !== id && one.parentId === storyId);
  const stories = new Set([...links.map((one) => one.from), ...children.map((one) => one.storyId)]);
  const imported = catalog.scenarios.filter(({ storyIds }) => storyIds.includes(storyId));
  const own = (lists: ReadonlyMap<string, readonly unknown[]>) => lists.get(storyId)?.length ?? 0;
  const counts = {
    traces: own(state.tracesOf),
    justifications: own(state.justificationsOf),
    scenarios: imported.length + own(scenarios.linksOf),
    commands: own(commands.linksOf),
    tests: own(tests.linksOf),
    edits: effective.edits.filter((edit) => edit.storyId === storyId).length,
    stories: stories.size,
  };
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  if (found.length === 0) return;
  const what = found.map(([name, count]) => `${count} ${name}`).join(', ');
  throw new HasDependents(state, row, what, [...stories]);
}

/** The problem of a deletion that is refused, with its impact. It may read of files: not in a write. */
export async function refusalOf(
  requirements: Requirements,
  { state, row, stories, message }: HasDependents,
): Promise<Problem> {
  const impact = await impactOfDeletion(requirements, state, row);
  const listed = new Set(impact.stories.map(({ id }) => id));
  // Their texts stay as they are, but not what they point at.
  for (const id of stories) {
    if (!listed.has(id)) impact.stories.push({ id, distance: 1, via: row.storyId });
  }
  return new Problem('conflict', message, { members: { impact } });
}

async function impactOfDeletion(
  requirements: Requirements,
  state: AssuranceState,
  row: StoryAdditionRow,
): Promise<Impact> {
  const after = { ...state, effective: withoutAddition(state.effective, row) };
  const lostLinks = state.traces.flatMap((trace) => {
    const becomes = traceStateOf(after, trace);
    return becomes === 'valid' || traceStateOf(state, trace) !== 'valid'
      ? []
      : { id: trace.id, becomes };
  });
  return {
    ...impactOf(state, [row.storyId]),
    traces: lostLinks,
    validations: await verdictsLost(requirements, state, after),
  };
}

function withoutAddition(effective: Effective, { id, storyId }: StoryAdditionRow): Effective {
  return effectiveOf({
    ...effective,
    edits: effective.edits.filter((edit) => edit.storyId !== storyId),
    additions: effective.additions.filter((one) => one.id !== id),
  });
}

async function verdictsLost(
  requirements: Requirements,
  before: AssuranceState,
  after: AssuranceState,
): Promise<Impact['validations']> {
  if (before.validationsOf.size === 0) return [];
  const { items } = await transferItems(requirements, before, undefined);
  const was = new Map(items.map(({ storyId, disposition }) => [storyId, disposition]));
  const later = await transferItems(requirements, after, undefined);
  return later.items.flatMap(({ storyId, disposition: becomes }) => {
    if (becomes !== 'invalidated' && becomes !== 'suspect' && becomes !== 'orphaned') return [];
    return was.get(storyId) === becomes ? [] : { storyId, becomes };
  });
}

/**
 * Removes what depends on an added story, as far as it is not in the sources. On one that was absorbed
 * nothing does, where another addition has its id by now.
 */
export async function removeDependents(
  db: Db,
  { effective }: AssuranceState,
  { id, storyId, projectId }: StoryAdditionRow,
  { actor, now }: Editor,
): Promise<void> {
  if (effective.additions.some((one) => one.storyId === storyId && one.id !== id)) return;
  for (const table of [traces, justifications])
    await db.delete(table).where(and(eq(table.projectId, projectId), eq(table.storyId, storyId)));
  for (const edit of effective.edits) {
    if (edit.storyId !== storyId) continue;
    await moveEdit(db, edit, 'withdrawn', now);
    await recordMove(db, {
      projectId,
      overlayId: edit.id,
      storyId,
      event: 'withdrawn',
      from: edit.state,
      to: 'withdrawn',
      revision: effective.revision?.number ?? 0,
      detail: 'with the addition it edits',
      actor,
      now,
    });
  }
}

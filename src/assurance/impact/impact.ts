// What a change of stories reaches: stories that rest on them, links that turn suspect, verdicts
// that hold no longer, tests to run again.
import { type Static, Type } from '@sinclair/typebox';
import { and, eq } from 'drizzle-orm';
import { Problem } from '../../errors.ts';
import { idOf, nullable, oneOf } from '../../model/schemas.ts';
import { type Effective, effectiveOf } from '../../requirements/graph/effective.ts';
import { fingerprinter, fingerprintPrefix } from '../../requirements/graph/fingerprint.ts';
import { reachedBy, upstreamLinks } from '../../requirements/graph/graph-index.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import { recordMove } from '../../requirements/overlay/changes.ts';
import { type Editor, moveEdit } from '../../requirements/overlay/edits.ts';
import type { EditContent } from '../../requirements/overlay/model.ts';
import type { Db } from '../../store/database.ts';
import {
  justifications,
  type StoryAdditionRow,
  type StoryEditRow,
  traces,
} from '../../store/tables/assurance.ts';
import { calledIn, standingOfTarget, traceStateOf, tracesTo } from '../coverage/story-links.ts';
import { ownTest } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { contentDisposition } from '../validation/dispositions.ts';

export const Impact = Type.Object(
  {
    stories: Type.Array(
      Type.Object({
        id: idOf('story'),
        distance: Type.Integer({ minimum: 0 }),
        via: nullable(Type.String()),
      }),
      { description: 'Stories that rest on the changed one, by their distance from it' },
    ),
    scenarios: Type.Array(Type.String({ description: 'A key' })),
    testCommands: Type.Array(Type.String(), {
      description: 'Ids of the commands that verify one of the stories, or ran a test of one last',
    }),
    routes: Type.Array(Type.String()),
    traces: Type.Array(Type.Object({ id: idOf('trace'), becomes: oneOf(['suspect', 'broken']) }), {
      description: 'Links that are valid, and what they become; what is broken already stays so',
    }),
    validations: Type.Array(
      Type.Object({
        storyId: idOf('story'),
        becomes: oneOf(['invalidated', 'suspect', 'orphaned']),
      }),
      { description: 'Verdicts that would no longer hold; `orphaned` is that of a deleted story' },
    ),
    testsToRerun: Type.Array(Type.Object({ kind: oneOf(['test', 'command']), id: Type.String() })),
    estimateMs: nullable(
      Type.Integer({ minimum: 0, description: 'How long these tests took when they last ran' }),
    ),
    names: Type.Record(Type.String(), Type.String(), {
      description: 'What they are called, by id: of stories, commands and tests the first 20 each',
    }),
  },
  { title: 'Impact', description: 'What a change of a story reaches' },
);
export type Impact = Static<typeof Impact>;

type Under = Effective['under'];

/**
 * @param changed - ids of stories whose own fingerprint changes
 * @param after - the fingerprints afterwards; of a text that nobody has ever written, unless given
 */
export function impactOf(
  state: AssuranceState,
  changed: readonly string[],
  after: Under = unseen(state.effective, changed),
): Impact {
  const stories = storiesReached(state.effective, changed);
  const targets = targetsOf(state, stories);
  return {
    stories,
    ...targets,
    names: namesOf(state, stories, targets),
    traces: linksLost(state, stories, after),
    validations: verdictsLost(state, stories, after),
  };
}

/** The impact of an edit of a story that there is: nothing, where no fingerprint would be another. */
export function impactOfEdit(
  state: AssuranceState,
  edit: Pick<EditContent, 'storyId' | 'set'>,
): Impact {
  const { storyId } = edit;
  const after = afterEdit(state.effective, edit);
  const impact = impactOf(state, [storyId], after);
  const today = state.effective.node(storyId)?.fingerprint ?? '';
  const isReached = impact.traces.length + impact.validations.length > 0;
  return isReached || after(storyId, today) !== today ? impact : impactOf(state, []);
}

/** Deep fingerprints take long where an edit reaches many stories: they are made where one may hold again. */
function afterEdit(
  effective: Effective,
  { storyId, set }: Pick<EditContent, 'storyId' | 'set'>,
): Under {
  const { index, settings, edits, node, under } = effective;
  const { nodes } = index.graph;
  const place = index.at.get(storyId) ?? -1;
  const prefix = fingerprintPrefix(settings.normative);
  const edited = { ...(nodes[place] as GraphNode), ...set };
  const text = fingerprinter(settings.normative)(edited, upstreamLinks(index, place));
  let isNew: boolean | undefined;
  let whole: Effective | undefined;
  return (id, stored) => {
    if (stored.startsWith('f') && id !== storyId) return under(id, stored);
    if (stored.startsWith(prefix)) return text;
    // No deep fingerprint of today is made of a text that nobody has today.
    isNew ??= nodes.every(({ fingerprint }) => fingerprint !== text);
    if (isNew && stored === node(id)?.deepFingerprint) return undefined;
    const edit = { storyId, setFields: set, state: 'accepted' } as StoryEditRow;
    whole ??= effectiveOf({ ...effective, edits: [...edits, edit] });
    return whole.under(id, stored);
  };
}

function unseen({ under }: Effective, changed: readonly string[]): Under {
  const own = new Set(changed);
  return (id, stored) => (own.has(id) || stored.startsWith('d') ? undefined : under(id, stored));
}

function storiesReached({ index }: Effective, changed: readonly string[]): Impact['stories'] {
  const { nodes } = index.graph;
  const origins = changed.flatMap((id) => index.at.get(id) ?? []);
  const { count, places, distances, via } = reachedBy(index, origins);
  const stories: Impact['stories'] = [];
  for (let at = 0; at < count; at += 1) {
    const node = nodes[places[at] as number] as GraphNode;
    if (!isNormative(node)) continue;
    const before = nodes[via[at] as number]?.id ?? null;
    stories.push({ id: node.id, distance: distances[at] as number, via: before });
  }
  return stories;
}

const NONE: readonly never[] = [];

function linksLost(
  state: AssuranceState,
  stories: Impact['stories'],
  after: Under,
): Impact['traces'] {
  const lost: Impact['traces'] = [];
  for (const { id: storyId } of stories) {
    for (const row of state.tracesOf.get(storyId) ?? NONE) {
      const stays = after(storyId, row.fingerprint) === row.fingerprint;
      if (!stays && traceStateOf(state, row) === 'valid')
        lost.push({ id: row.id, becomes: 'suspect' });
    }
  }
  return lost;
}

/** The verdicts that stand otherwise afterwards, and do not hold; whatever becomes of their tests. */
function verdictsLost(
  { validationsOf, effective: { under } }: AssuranceState,
  stories: Impact['stories'],
  after: Under,
): Impact['validations'] {
  const lost: Impact['validations'] = [];
  for (const { id: storyId } of stories) {
    const verdicts = validationsOf.get(storyId);
    const last = verdicts?.at(-1);
    if (!verdicts || !last) continue;
    const { disposition: becomes } = contentDisposition({ under: after }, verdicts, last);
    if (becomes === 'transferable' || becomes === 'restored') continue;
    const { disposition: was } = contentDisposition({ under }, verdicts, last);
    if (becomes !== was) lost.push({ storyId, becomes });
  }
  return lost;
}

function targetsOf(state: AssuranceState, stories: Impact['stories']) {
  const scenarios = new Set<string>();
  const routes = new Set<string>();
  const tests = { test: new Set<string>(), command: new Set<string>() };
  const inCatalog = new Set(state.routes.flatMap(({ storyIds }) => storyIds));
  const reached = new Set<string>();
  for (const { id: storyId } of stories) {
    if (inCatalog.has(storyId)) reached.add(storyId);
    for (const { type, target, state: own } of tracesTo(state, storyId)) {
      const { kind, id } = target;
      if (own === 'broken') continue;
      if (kind === 'route') routes.add(id);
      else if (type !== 'verifies') continue;
      else if (kind === 'scenario') scenarios.add(id);
      else if (kind === 'test' || kind === 'command') tests[kind].add(ownTest(state, target).id);
    }
  }
  for (const { method, template, storyIds } of state.routes)
    if (storyIds.some((id) => reached.has(id))) routes.add(`${method} ${template}`);
  const testsToRerun: Impact['testsToRerun'] = [];
  const testCommands = new Set<string>();
  let estimateMs: number | null = null;
  for (const kind of ['test', 'command'] as const) {
    for (const id of tests[kind]) {
      const target = { kind, id };
      const result = state.results.of(target);
      if (standingOfTarget(state, target, result) === 'retired') continue;
      testsToRerun.push(target);
      const command = kind === 'command' ? state.commands.find(id)?.id : result?.commandId;
      if (command) testCommands.add(command);
      // What a command took holds what its tests took.
      const isWithin = kind === 'test' && command && tests.command.has(command);
      if (result?.durationMs != null && !isWithin)
        estimateMs = (estimateMs ?? 0) + result.durationMs;
    }
  }
  return {
    scenarios: [...scenarios],
    routes: [...routes],
    testCommands: [...testCommands],
    testsToRerun,
    estimateMs,
  };
}

const MAX_NAMED = 20;

function namesOf(
  state: AssuranceState,
  stories: Impact['stories'],
  { testCommands, testsToRerun }: Pick<Impact, 'testCommands' | 'testsToRerun'>,
): Impact['names'] {
  const commands = testCommands.map((id) => ({ kind: 'command' as const, id }));
  return Object.fromEntries([
    ...stories
      .slice(0, MAX_NAMED)
      .map(({ id }) => [id, state.effective.node(id)?.title ?? id] as const),
    ...[commands, testsToRerun].flatMap((targets) =>
      targets.slice(0, MAX_NAMED).map((target) => [target.id, calledIn(state, target)] as const),
    ),
  ]);
}

/** @throws Problem `conflict`, with the impact, where something depends on the added story */
export function requireNoDependents(state: AssuranceState, row: StoryAdditionRow): void {
  if (row.state === 'absorbed') return;
  const { id, storyId } = row;
  const { effective } = state;
  const pointing = effective.index.graph.edges
    .filter(({ to, type }) => to === storyId && type !== 'contains')
    .map(({ from }) => from);
  const below = effective.additions
    .filter((one) => one.id !== id && one.parentId === storyId)
    .map((one) => one.storyId);
  const stories = new Set([...pointing, ...below]);
  const dependents = {
    traces: state.tracesOf.get(storyId),
    justifications: state.justificationsOf.get(storyId),
    scenarios: state.scenarios.linksOf.get(storyId),
    commands: state.commands.linksOf.get(storyId),
    tests: state.tests.linksOf.get(storyId),
    edits: effective.edits.filter((edit) => edit.storyId === storyId),
    stories: [...stories],
  };
  const found = Object.entries(dependents).filter(([, list]) => list && list.length > 0);
  if (found.length === 0) return;
  const impact = impactOfDeletion(state, row);
  const listed = new Set(impact.stories.map((one) => one.id));
  // Their texts stay as they are, but not what they point at.
  for (const other of stories)
    if (!listed.has(other)) impact.stories.push({ id: other, distance: 1, via: storyId });
  const names = found.map(([name, list]) => `${list?.length} ${name}`).join(', ');
  const message = `${storyId} has dependents: ${names}; cascade=true removes them.`;
  throw new Problem('conflict', message, { members: { impact } });
}

function impactOfDeletion(state: AssuranceState, { id, storyId }: StoryAdditionRow): Impact {
  const { effective, validationsOf, tracesOf } = state;
  const after = effectiveOf({
    ...effective,
    edits: effective.edits.filter((edit) => edit.storyId !== storyId),
    additions: effective.additions.filter((one) => one.id !== id),
  });
  const impact = impactOf(state, [storyId], after.under);
  const own = new Set(tracesOf.get(storyId)?.map((row) => row.id));
  const others = impact.validations.filter((one) => one.storyId !== storyId);
  return {
    ...impact,
    traces: impact.traces.map((one) => (own.has(one.id) ? { ...one, becomes: 'broken' } : one)),
    validations: validationsOf.has(storyId)
      ? [{ storyId, becomes: 'orphaned' }, ...others]
      : others,
  };
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
  const [to, revision] = ['withdrawn', effective.revision?.number ?? 0] as const;
  const detail = 'with the addition it edits';
  const move = { projectId, storyId, event: to, to, revision, detail, actor, now };
  for (const edit of effective.edits) {
    if (edit.storyId !== storyId) continue;
    await moveEdit(db, edit, to, now);
    await recordMove(db, { ...move, overlayId: edit.id, from: edit.state });
  }
}

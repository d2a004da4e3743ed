// What a change of stories reaches: stories that rest on them, links that turn suspect, verdicts
// that hold no longer, tests to run again.
import { type Static, Type } from '@sinclair/typebox';
import { idOf } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { type Effective, effectiveOf } from '../../requirements/graph/effective.ts';
import { reachedBy } from '../../requirements/graph/graph-index.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import type { EditContent } from '../../requirements/overlay/model.ts';
import type { StoryEditRow } from '../../store/tables/assurance.ts';
import { standingOfTarget, traceStateOf, tracesTo } from '../coverage/story-links.ts';
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
      {
        description:
          'Stories that rest on the changed one, by their distance from it; where the deletion of an addition is ' +
          'refused, at distance 1 also those that are linked to it otherwise, and the additions below it',
      },
    ),
    scenarios: Type.Array(Type.String(), {
      description: 'Keys of the scenarios there are that verify one of the stories',
    }),
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
      {
        description:
          'What becomes of verdicts that would not hold, and stand otherwise than they do; of those on a story that is ' +
          'deleted `orphaned`, where no other story has its text',
      },
    ),
    testsToRerun: Type.Array(Type.Object({ kind: oneOf(['test', 'command']), id: Type.String() })),
    estimateMs: nullable(
      Type.Integer({ minimum: 0, description: 'How long these tests took when they last ran' }),
    ),
  },
  { title: 'Impact', description: 'What a change of a story reaches' },
);
export type Impact = Static<typeof Impact>;

type Under = Effective['under'];

/**
 * The impact of a change.
 * @param changed - ids of stories whose own fingerprint changes
 * @param after - the fingerprints afterwards; those of a text that nobody has ever written, unless given
 */
export function impactOf(
  state: AssuranceState,
  changed: readonly string[],
  after: Under = unseen(state.effective, changed),
): Impact {
  const stories = storiesReached(state.effective, changed);
  return {
    stories,
    ...targetsOf(state, stories),
    traces: stories.flatMap(({ id: storyId }) =>
      (state.tracesOf.get(storyId) ?? []).flatMap((row) => {
        const stays = after(storyId, row.fingerprint) === row.fingerprint;
        if (stays || traceStateOf(state, row) !== 'valid') return [];
        return { id: row.id, becomes: 'suspect' as const };
      }),
    ),
    validations: verdictsLost(state, stories, after),
  };
}

/** The impact of an edit of a story that there is: nothing, where no fingerprint would be another. */
export function impactOfEdit(
  state: AssuranceState,
  { storyId, set }: Pick<EditContent, 'storyId' | 'set'>,
): Impact {
  const { effective } = state;
  const edit = { storyId, setFields: set, state: 'accepted' } as StoryEditRow;
  const { under: after } = effectiveOf({ ...effective, edits: [...effective.edits, edit] });
  const impact = impactOf(state, [storyId], after);
  const today = effective.node(storyId)?.fingerprint ?? '';
  const isReached = impact.traces.length + impact.validations.length > 0;
  return isReached || after(storyId, today) !== today ? impact : impactOf(state, []);
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

/** The verdicts that stand otherwise afterwards, and do not hold; whatever becomes of their tests. */
function verdictsLost(
  { validationsOf, effective: { under } }: AssuranceState,
  stories: Impact['stories'],
  after: Under,
): Impact['validations'] {
  return stories.flatMap(({ id: storyId }) => {
    const verdicts = validationsOf.get(storyId);
    const last = verdicts?.at(-1);
    if (!verdicts || !last) return [];
    const { disposition: becomes } = contentDisposition({ under: after }, verdicts, last);
    if (becomes === 'transferable' || becomes === 'restored') return [];
    const { disposition: was } = contentDisposition({ under }, verdicts, last);
    return becomes === was ? [] : { storyId, becomes };
  });
}

type Targets = Pick<
  Impact,
  'scenarios' | 'routes' | 'testCommands' | 'testsToRerun' | 'estimateMs'
>;

/** What verifies and serves some stories. */
function targetsOf(state: AssuranceState, stories: Impact['stories']): Targets {
  const reached = new Set(stories.map(({ id }) => id));
  const scenarios = new Set<string>();
  const routes = new Set<string>();
  const tests = { test: new Set<string>(), command: new Set<string>() };
  for (const storyId of reached) {
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

// What a change of stories reaches: stories that rest on them, links that turn suspect, verdicts
// that hold no longer, tests to run again.
import type { Effective } from '../../requirements/graph/effective.ts';
import { fieldsOfPrefix } from '../../requirements/graph/fingerprint.ts';
import { type GraphIndex, reachedBy } from '../../requirements/graph/graph-index.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import { applyOverlays } from '../../requirements/overlay/apply.ts';
import type { EditContent } from '../../requirements/overlay/model.ts';
import { standingOfTarget, traceStateOf, tracesTo } from '../coverage/story-links.ts';
import { ownTest } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { contentDisposition } from '../validation/dispositions.ts';
import type { Impact } from './model.ts';

type Under = Effective['under'];

/**
 * The impact of a change.
 *
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
  edit: Pick<EditContent, 'storyId' | 'set'>,
): Impact {
  const { storyId } = edit;
  const after = fingerprintsWith(state.effective, edit);
  const impact = impactOf(state, [storyId], after);
  const today = state.effective.node(storyId)?.fingerprint ?? '';
  const isReached = impact.traces.length + impact.validations.length > 0;
  return isReached || after(storyId, today) !== today ? impact : impactOf(state, []);
}

function unseen({ under }: Effective, changed: readonly string[]): Under {
  const own = new Set(changed);
  return (id, stored) => (own.has(id) || stored.startsWith('d') ? undefined : under(id, stored));
}

function fingerprintsWith(
  { indexUnder }: Effective,
  edit: Pick<EditContent, 'storyId' | 'set'>,
): Under {
  const laid = new Map<string, GraphIndex | undefined>();
  return (id, stored) => {
    // Fingerprints and deep ones have their profiles behind another letter.
    const profile = stored.slice(1, stored.indexOf(':'));
    if (!laid.has(profile)) {
      const [index, fields] = [indexUnder(stored), fieldsOfPrefix(stored)];
      const overlays = { edits: [{ id: '', ...edit }], additions: [] };
      laid.set(profile, index && fields && applyOverlays(index, overlays, fields));
    }
    const index = laid.get(profile);
    const node = index?.graph.nodes[index.at.get(id) ?? -1];
    return stored.startsWith('d') ? node?.deepFingerprint : node?.fingerprint;
  };
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

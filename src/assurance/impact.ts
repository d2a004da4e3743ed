// What a change of stories reaches: stories that rest on them, links that turn suspect, verdicts
// that hold no longer, tests to run again.
import type { Effective } from '../requirements/effective.ts';
import { fingerprintOf } from '../requirements/graph/fingerprint.ts';
import { reachedBy, upstreamLinks } from '../requirements/graph/graph-index.ts';
import { type GraphNode, isNormative } from '../requirements/graph/model.ts';
import type { EditValues } from '../requirements/overlay/model.ts';
import type { StoryTrace } from './coverage-model.ts';
import type { AssuranceState } from './state.ts';
import { standingOfTarget } from './story-links.ts';
import { targetKey } from './target-results.ts';

export interface Impact {
  /** By distance along refines, derives and depends; the changed stories themselves at 0. */
  stories: { id: string; distance: number; via: string | null }[];
  /** Keys of the scenarios that verify one of them. */
  scenarios: string[];
  /** Ids of the commands that verify one of them, or that ran a test of one last. */
  testCommands: string[];
  routes: string[];
  /** Links of the changed stories, and what they become. */
  traces: { id: string; becomes: 'suspect' | 'broken' }[];
  /** Verdicts that hold today. */
  validations: { storyId: string; becomes: 'invalidated' | 'suspect' | 'orphaned' }[];
  /** Tests and commands that verify one of the stories, as `<kind> <id>`. */
  testsToRerun: { kind: 'test' | 'command'; id: string }[];
  /** How long they took when they last ran; null where that is known of none of them. */
  estimateMs: number | null;
}

export const NO_IMPACT: Impact = {
  ...{ stories: [], scenarios: [], testCommands: [], routes: [] },
  ...{ traces: [], validations: [], testsToRerun: [], estimateMs: null },
};

/**
 * The impact of a change; linear in what it reaches.
 *
 * @param changed - ids of stories whose own fingerprint changes
 * @param gone - those of them that would be no more
 */
export function impactOf(
  state: AssuranceState,
  changed: readonly string[],
  gone: ReadonlySet<string> = new Set(),
): Impact {
  const { index } = state.effective;
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
  return {
    ...NO_IMPACT,
    stories,
    ...linksOf(state, stories, gone),
    ...verdictsOf(state, stories, gone),
  };
}

/** Whether an edit lets a story say something else, as far as its fingerprint tells. */
export function changesContent(
  { index, settings }: Effective,
  id: string,
  set: EditValues,
): boolean {
  const place = index.at.get(id);
  const node = place === undefined ? undefined : index.graph.nodes[place];
  if (place === undefined || !node) return false;
  const edited = { ...node, ...set };
  return (
    fingerprintOf(edited, upstreamLinks(index, place), settings.normative) !== node.fingerprint
  );
}

const NO_LINKS = {
  ...{ scenarios: [], testCommands: [], routes: [], traces: [], testsToRerun: [] },
  estimateMs: null,
};

type Links = Pick<
  Impact,
  'scenarios' | 'testCommands' | 'routes' | 'traces' | 'testsToRerun' | 'estimateMs'
>;

function linksOf(
  state: AssuranceState,
  stories: Impact['stories'],
  gone: ReadonlySet<string>,
): Links {
  const { tracesOf, effective, catalog, scenarios: stored, commands, tests: known } = state;
  const scenarios = new Set<string>();
  const routes = new Set<string>();
  const tests = new Map<string, Impact['testsToRerun'][number]>();
  const links: Impact['traces'] = [];
  const ids = new Set<string>();
  const named = catalog.scenarios.length + catalog.routes.length > 0;
  const unwritten = stored.linksOf.size + commands.linksOf.size + known.linksOf.size > 0;
  if (!named && !unwritten && tracesOf.size === 0) return NO_LINKS;

  function reach({ kind, id }: StoryTrace['target']): void {
    if (kind === 'scenario') scenarios.add(id);
    if (kind !== 'test' && kind !== 'command') return;
    const target = { kind, id: (kind === 'command' ? commands.find(id)?.id : undefined) ?? id };
    tests.set(targetKey(target), target);
  }

  for (const { id, distance } of stories) {
    if (named) ids.add(id);
    for (const trace of tracesOf.get(id) ?? []) {
      const { targetKind, targetId } = trace;
      if (distance === 0 && effective.under(id, trace.fingerprint) === trace.fingerprint)
        links.push({ id: trace.id, becomes: gone.has(id) ? 'broken' : 'suspect' });
      if (targetKind === 'route') routes.add(targetId);
      const kind = targetKind as StoryTrace['target']['kind'];
      if (trace.type === 'verifies') reach({ kind, id: targetId });
    }
    if (!unwritten) continue;
    for (const { linksOf: own } of [stored, commands, known]) {
      for (const { target } of own.get(id) ?? []) reach(target);
    }
  }
  for (const { key, storyIds } of catalog.scenarios) {
    if (storyIds.some((id) => ids.has(id))) scenarios.add(key);
  }
  for (const { method, template, storyIds } of catalog.routes) {
    if (storyIds.some((id) => ids.has(id))) routes.add(`${method} ${template}`);
  }
  return {
    ...{ scenarios: [...scenarios], routes: [...routes], traces: links },
    ...testsOf(state, [...tests.values()]),
  };
}

/** The tests that can be run, the commands that run them, and how long that took. */
function testsOf(
  state: AssuranceState,
  reached: Impact['testsToRerun'],
): Pick<Links, 'testCommands' | 'testsToRerun' | 'estimateMs'> {
  const testsToRerun: Impact['testsToRerun'] = [];
  const commands = new Set<string>();
  const durations: number[] = [];
  const rerun = new Set(reached.flatMap(({ kind, id }) => (kind === 'command' ? [id] : [])));
  for (const target of reached) {
    const result = state.results.of(target);
    if (standingOfTarget(state, target, result) === 'retired') continue;
    testsToRerun.push(target);
    const command = target.kind === 'command' ? target.id : result?.commandId;
    if (command) commands.add(command);
    // What a command took holds what its tests took.
    const within = target.kind === 'test' && command && rerun.has(command);
    if (result?.durationMs != null && !within) durations.push(result.durationMs);
  }
  return {
    ...{ testCommands: [...commands], testsToRerun },
    estimateMs: durations.length === 0 ? null : durations.reduce((sum, one) => sum + one, 0),
  };
}

function verdictsOf(
  { validationsOf, effective }: AssuranceState,
  stories: Impact['stories'],
  gone: ReadonlySet<string>,
): Pick<Impact, 'validations'> {
  const verdicts: Impact['validations'] = [];
  if (validationsOf.size === 0) return { validations: verdicts };
  for (const { id, distance } of stories) {
    const last = validationsOf.get(id)?.at(-1);
    if (!last) continue;
    const holds =
      effective.under(id, last.fingerprint) === last.fingerprint &&
      effective.under(id, last.deepFingerprint) === last.deepFingerprint;
    if (!holds) continue;
    const own = gone.has(id) ? 'orphaned' : 'invalidated';
    verdicts.push({ storyId: id, becomes: distance === 0 ? own : 'suspect' });
  }
  return { validations: verdicts };
}

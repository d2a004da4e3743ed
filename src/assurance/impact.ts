// What a change of stories reaches: stories that rest on them, links that turn suspect, verdicts
// that hold no longer, tests to run again.
import type { Effective } from '../requirements/effective.ts';
import { fingerprintOf } from '../requirements/graph/fingerprint.ts';
import { reachedBy, upstreamLinks } from '../requirements/graph/graph-index.ts';
import { type GraphNode, isNormative } from '../requirements/graph/model.ts';
import type { EditValues } from '../requirements/overlay/model.ts';
import type { StoryTrace } from './coverage-model.ts';
import type { KnownTest } from './result-index.ts';
import type { AssuranceState, TargetResult } from './state.ts';
import { standingOfTarget } from './story-links.ts';

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

/** What runs again. */
interface Reached {
  /** Tests that have a result: a set of objects takes far less time than one of texts. */
  known: Set<KnownTest>;
  /** The ids of other tests. */
  others: Set<string>;
  /** By their ids, as far as there are any. */
  commands: Set<string>;
}

function linksOf(
  state: AssuranceState,
  stories: Impact['stories'],
  gone: ReadonlySet<string>,
): Links {
  const {
    tracesOf,
    effective,
    catalog,
    routes: declared,
    scenarios: stored,
    commands,
    tests: known,
  } = state;
  const scenarios = new Set<string>();
  const routes = new Set<string>();
  const reached: Reached = { known: new Set(), others: new Set(), commands: new Set() };
  const links: Impact['traces'] = [];
  const ids = new Set<string>();
  const named = catalog.scenarios.length + declared.length > 0;
  const unwritten = [stored, commands, known].flatMap(({ linksOf: own }) =>
    own.size > 0 ? [own] : [],
  );
  if (!named && unwritten.length === 0 && tracesOf.size === 0) return NO_LINKS;

  function reach({ kind, id }: StoryTrace['target']): void {
    if (kind === 'test') {
      const test = known.tests.get(id);
      if (test) reached.known.add(test);
      else reached.others.add(id);
    } else if (kind === 'command') reached.commands.add(id);
    else if (kind === 'scenario') scenarios.add(id);
  }

  for (const { id, distance } of stories) {
    if (named) ids.add(id);
    for (const trace of tracesOf.get(id) ?? NONE) {
      const { targetKind, targetId } = trace;
      if (distance === 0 && effective.under(id, trace.fingerprint) === trace.fingerprint)
        links.push({ id: trace.id, becomes: gone.has(id) ? 'broken' : 'suspect' });
      if (targetKind === 'route') routes.add(targetId);
      if (trace.type !== 'verifies') continue;
      const kind = targetKind as StoryTrace['target']['kind'];
      // People may have named a command by its key.
      const command = kind === 'command' ? commands.find(targetId) : undefined;
      reach({ kind, id: command?.id ?? targetId });
    }
    for (const own of unwritten) {
      for (const { target } of own.get(id) ?? NONE) reach(target);
    }
  }
  for (const { key, storyIds } of catalog.scenarios) {
    if (storyIds.some((id) => ids.has(id))) scenarios.add(key);
  }
  for (const { method, template, storyIds } of declared) {
    if (storyIds.some((id) => ids.has(id))) routes.add(`${method} ${template}`);
  }
  return {
    ...{ scenarios: [...scenarios], routes: [...routes], traces: links },
    ...testsOf(state, reached),
  };
}

const NONE: readonly never[] = [];

/** The tests that can be run, the commands that run them, and how long that took. */
function testsOf(
  state: AssuranceState,
  { known, others, commands: reached }: Reached,
): Pick<Links, 'testCommands' | 'testsToRerun' | 'estimateMs'> {
  const testsToRerun: Impact['testsToRerun'] = [];
  const commands = new Set<string>();
  let [timed, estimateMs] = [0, 0];
  function add(kind: 'test' | 'command', id: string, result: TargetResult | undefined): void {
    const target = { kind, id };
    if (standingOfTarget(state, target, result) === 'retired') return;
    testsToRerun.push(target);
    const command = kind === 'command' ? id : result?.commandId;
    if (command) commands.add(command);
    // What a command took holds what its tests took.
    const within = kind === 'test' && command && reached.has(command);
    if (result?.durationMs == null || within) return;
    timed += 1;
    estimateMs += result.durationMs;
  }
  for (const { key, result } of known) add('test', key, result);
  for (const id of others) add('test', id, state.results.of({ kind: 'test', id }));
  for (const id of reached) add('command', id, state.results.of({ kind: 'command', id }));
  return {
    ...{ testCommands: [...commands], testsToRerun },
    estimateMs: timed === 0 ? null : estimateMs,
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

// What verifies and serves the stories that a change reaches: links that turn suspect, scenarios,
// routes, and tests and commands to run again.
import type { StoryTrace } from '../coverage/model.ts';
import { standingOfTarget } from '../coverage/story-links.ts';
import { listsByPlace } from '../results/lists-by-place.ts';
import { findTest, type KnownTest } from '../results/result-index.ts';
import type { AssuranceState, TargetResult } from '../state/state.ts';
import { leadsNowhere } from '../traceability/links.ts';
import type { Impact, ReachedStories } from './impact.ts';

type Tests = Pick<Impact, 'testCommands' | 'testsToRerun' | 'estimateMs'>;
type Links = Pick<Impact, 'scenarios' | 'routes' | 'traces'> & Tests;

const NONE: readonly never[] = [];

/** What links lead to. */
interface Targets {
  /** Tests that have a result: a set of objects takes far less time than one of texts. */
  known: Set<KnownTest>;
  /** The ids of other tests. */
  others: Set<string>;
  /** By their ids, as far as there are any. */
  commands: Set<string>;
  /** By their keys. */
  scenarios: Set<string>;
  /** As `<method> <template>`. */
  routes: Set<string>;
}

/** What the links of the stories lead to, and what names them; goes through each once. */
export function linksOf(state: AssuranceState, found: ReachedStories): Links {
  const targets: Targets = {
    ...{ known: new Set(), others: new Set(), commands: new Set() },
    ...{ scenarios: new Set(), routes: new Set() },
  };
  const traces = followStored(state, found, targets);
  followUnwritten(state, found, targets);
  addNamed(state, found, targets);
  return {
    ...{ scenarios: [...targets.scenarios], routes: [...targets.routes], traces },
    ...testsOf(state, targets),
  };
}

/** Follows the links that people made; gives those of the changed stories that hold today. */
function followStored(
  state: AssuranceState,
  { stories, places, changed, moves }: ReachedStories,
  targets: Targets,
): Impact['traces'] {
  const { tracesOf, effective, commands } = state;
  const traces: Impact['traces'] = [];
  if (tracesOf.size === 0) return traces;
  const rowsAt = listsByPlace(effective.index, tracesOf);
  for (const [at, { id: storyId }] of stories.entries()) {
    for (const row of rowsAt[places[at] as number] ?? NONE) {
      // It is broken, and stays so.
      if (leadsNowhere(state, row)) continue;
      const { id, type, targetKind, targetId, fingerprint } = row;
      const moved = changed.has(storyId) && moves(fingerprint);
      if (moved && effective.under(storyId, fingerprint) === fingerprint)
        traces.push({ id, becomes: 'suspect' });
      if (targetKind === 'route') targets.routes.add(targetId);
      if (type !== 'verifies') continue;
      const kind = targetKind as StoryTrace['target']['kind'];
      // People may have named a command by its key.
      const command = kind === 'command' ? commands.find(targetId) : undefined;
      reach(state, targets, { kind, id: command?.id ?? targetId });
    }
  }
  return traces;
}

/** Follows the links that no row holds. */
function followUnwritten(
  state: AssuranceState,
  { places }: ReachedStories,
  targets: Targets,
): void {
  const { effective, scenarios, commands, tests } = state;
  for (const { linksOf: links } of [scenarios, commands, tests]) {
    if (links.size === 0) continue;
    const linksAt = listsByPlace(effective.index, links);
    for (let at = 0; at < places.length; at += 1) {
      for (const { target } of linksAt[places[at] as number] ?? NONE) reach(state, targets, target);
    }
  }
}

function reach(
  { tests }: AssuranceState,
  targets: Targets,
  { kind, id }: StoryTrace['target'],
): void {
  if (kind === 'test') {
    const test = findTest(tests, id);
    if (test) targets.known.add(test);
    else targets.others.add(id);
  } else if (kind === 'command') targets.commands.add(id);
  else if (kind === 'scenario') targets.scenarios.add(id);
}

/** Adds the scenarios of the sources, and the routes, that name one of the stories. */
function addNamed(
  { effective, catalog, routes: declared }: AssuranceState,
  { places }: ReachedStories,
  { scenarios, routes }: Targets,
): void {
  if (catalog.scenarios.length + declared.length === 0) return;
  const { at, graph } = effective.index;
  const reached = new Uint8Array(graph.nodes.length);
  for (const place of places) reached[place] = 1;
  const named = (id: string) => reached[at.get(id) ?? -1] === 1;
  for (const { key, storyIds } of catalog.scenarios) {
    if (storyIds.some(named)) scenarios.add(key);
  }
  for (const { method, template, storyIds } of declared) {
    if (storyIds.some(named)) routes.add(`${method} ${template}`);
  }
}

/** The tests that can be run, the commands that run them, and how long that took. */
function testsOf(state: AssuranceState, { known, others, commands: reached }: Targets): Tests {
  const testsToRerun: Impact['testsToRerun'] = [];
  const commands = new Set<string>();
  let [timed, estimateMs] = [0, 0];
  function add(kind: 'test' | 'command', id: string, result: TargetResult | undefined): void {
    const target = { kind, id };
    if (standingOfTarget(state, target, result) === 'retired') return;
    testsToRerun.push(target);
    const command = kind === 'command' ? state.commands.find(id)?.id : result?.commandId;
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

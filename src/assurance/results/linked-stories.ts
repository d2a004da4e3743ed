// Tests that are named by something else than their own results, by links that people made and by the
// scenarios that they are runs of; and the stories that they verify so. A run pins what these say too.
import { setImmediate } from 'node:timers/promises';
import { testKey } from '../../quality/reports/test-key.ts';
import { type AsOf, type Effective, effectiveAsOf } from '../../requirements/graph/effective.ts';
import type { Graphs } from '../../requirements/graph/graphs.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import { yieldToEventLoop } from '../../runtime/scheduler.ts';
import type { Db } from '../../store/database.ts';
import type { TraceRow } from '../../store/tables/assurance.ts';
import type { StoredScenario, StoredScenarios, StoryCommands } from '../coverage/declared.ts';
import { isOfRequirements } from '../coverage/story-links.ts';
import {
  type CalledTests,
  keyCalled,
  NO_RESULTS,
  type PastStories,
  type StoryPrints,
  type TargetResult,
} from './model.ts';

export type LinkedStories = ReturnType<typeof linkedStories>;

/**
 * The stories that tests and commands verify without naming them.
 * @param ofScenario - the keys of the tests that may be a scenario's runs, by its key
 * @param called - the tests that links mean by other names than their keys
 */
export function linkedStories(
  traces: readonly Pick<TraceRow, 'storyId' | 'type' | 'targetKind' | 'targetId'>[],
  { linksOf }: Pick<StoredScenarios, 'linksOf'>,
  { find }: Pick<StoryCommands, 'find'>,
  ofScenario: ReadonlyMap<string, readonly string[]>,
  called: CalledTests = NO_RESULTS.called,
) {
  /** By the key of a test. */
  const ofTest = new Map<string, Set<string>>();
  /** By the id of a command. */
  const ofCommand = new Map<string, Set<string>>();
  const add = (to: Map<string, Set<string>>, key: string, storyId: string) => {
    const known = to.get(key);
    if (known) known.add(storyId);
    else to.set(key, new Set([storyId]));
  };
  const addScenario = (key: string, storyId: string) => {
    for (const test of ofScenario.get(key) ?? []) add(ofTest, test, storyId);
  };
  for (const { storyId, type, targetKind, targetId } of traces) {
    if (type !== 'verifies') continue;
    if (targetKind === 'test') add(ofTest, keyCalled(called, targetId) ?? targetId, storyId);
    else if (targetKind === 'scenario') addScenario(targetId, storyId);
    else if (targetKind === 'command') add(ofCommand, find(targetId)?.id ?? targetId, storyId);
  }
  for (const [storyId, links] of linksOf)
    for (const { target } of links) addScenario(target.id, storyId);
  return { ofTest, ofCommand };
}

const BATCH_SIZE = 500;

export async function wantedTests(
  traces: readonly Pick<TraceRow, 'targetKind' | 'targetId'>[],
  { scenarios }: Catalog,
  stored: readonly Pick<StoredScenario, 'key' | 'feature' | 'title'>[],
) {
  const linked = traces.filter(({ targetKind }) => targetKind === 'test');
  /** The keys of tests, and what else links call them by. */
  const ids = new Set(linked.map(({ targetId }) => targetId));
  /** The keys of the tests that may be a scenario's runs, by its key. */
  const ofScenario = new Map<string, readonly string[]>();
  for (const [at, scenario] of [...scenarios, ...stored].entries()) {
    if (at > 0 && at % BATCH_SIZE === 0) await setImmediate();
    const own = scenarioTests(scenario);
    ofScenario.set(scenario.key, own);
    for (const key of own) ids.add(key);
  }
  return { ids, ofScenario };
}

/**
 * The keys that a test has which is a scenario's run: it has the scenario's title, and stands in a
 * suite that is called as the feature, as cucumber and its kin report it.
 */
function scenarioTests(scenario: {
  feature: string | null;
  title: string;
  path?: string;
}): string[] {
  const { feature, title: name, path } = scenario;
  const suite = feature ? [feature] : [];
  const suites = [suite, ['cucumber-js', ...suite], ['Cucumber', ...suite]];
  const keys = suites.map((own) => testKey({ file: null, path: own, name, parameters: null }));
  if (path !== undefined) keys.push(testKey({ file: path, path: suite, name, parameters: null }));
  return keys;
}

export const NO_PAST: PastStories = { of: () => undefined };

/** Of more times than that, the latest are looked at. */
const MAX_TIMES = 50;

type LinkedResult = readonly [TargetResult | undefined, storyIds: readonly string[]];

export function openPast(reading: { graphs: Graphs; db: Db }) {
  let known: ReadonlyMap<string, ReadonlyMap<string, StoryPrints | null>> = new Map();
  return async (effective: Effective, results: Iterable<LinkedResult>): Promise<PastStories> => {
    const wanted = unpinned(effective, results);
    const latest = [...wanted.values()]
      .sort((a, b) => b.asOf.revision - a.asOf.revision)
      .slice(0, MAX_TIMES);
    const times = new Map<string, Map<string, StoryPrints | null>>();
    for (const { asOf, ids } of latest) {
      const key = keyOf(asOf);
      const prints = new Map(known.get(key));
      times.set(key, prints);
      const missing = [...ids].filter((id) => !prints.has(id));
      if (missing.length === 0) continue;
      const { node } = await effectiveAsOf(reading, effective, asOf);
      for (const id of missing) {
        const story = node(id);
        prints.set(id, story ? [story.fingerprint, story.deepFingerprint] : null);
      }
      await yieldToEventLoop();
    }
    known = times;
    return { of: (id, then) => times.get(keyOf(then))?.get(id) ?? undefined };
  };
}

function unpinned(effective: Effective, results: Iterable<LinkedResult>) {
  const times = new Map<string, { asOf: AsOf; ids: Set<string> }>();
  for (const [run, storyIds] of results) {
    if (!run?.requirements || isOfRequirements(effective, run)) continue;
    const key = keyOf(run.requirements);
    for (const id of storyIds) {
      if (!effective.index.at.has(id) || run.fingerprintOf(id) !== undefined) continue;
      const time = times.get(key) ?? { asOf: run.requirements, ids: new Set() };
      times.set(key, time);
      time.ids.add(id);
    }
  }
  return times;
}

function keyOf({ revision, overlayClock, profile }: AsOf): string {
  return `${revision} ${overlayClock} ${profile}`;
}

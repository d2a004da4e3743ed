// Tests that are named by something else than their own results, by links that people made and by the
// scenarios that they are runs of; and the stories that they verify so. A run pins what these say too.
import { setImmediate } from 'node:timers/promises';
import { testKey } from '../../quality/reports/test-key.ts';
import { keysCalled } from '../../quality/reports/test-names.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { TraceRow } from '../../store/tables/assurance.ts';
import type { StoredScenario, StoredScenarios, StoryCommands } from '../coverage/declared.ts';

export type LinkedStories = ReturnType<typeof linkedStories>;

/**
 * The stories that tests and commands verify without naming them.
 * @param ofScenario - the keys of the tests that may be a scenario's runs, by its key
 */
export function linkedStories(
  traces: readonly Pick<TraceRow, 'storyId' | 'type' | 'targetKind' | 'targetId'>[],
  { linksOf }: Pick<StoredScenarios, 'linksOf'>,
  { find }: Pick<StoryCommands, 'find'>,
  ofScenario: ReadonlyMap<string, readonly string[]>,
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
    if (targetKind === 'test') for (const key of keysCalled(targetId)) add(ofTest, key, storyId);
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
  /** The keys of tests. */
  const ids = new Set(linked.flatMap(({ targetId }) => keysCalled(targetId)));
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

// Tests that are named by something else than their own results, by links that people made and by the
// scenarios that they are runs of; and the stories that they verify so. A run pins what these say too.
import { setImmediate } from 'node:timers/promises';
import { testKey } from '../../quality/reports/test-key.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { TraceRow } from '../../store/tables/assurance.ts';
import type { StoredScenario, StoredScenarios, StoryCommands } from '../coverage/declared.ts';
import { type CalledTests, keyCalled, NONE_CALLED } from './model.ts';

export interface LinkedStories {
  /** By the key of a test; empty where no link or scenario leads to a test. */
  ofTest: ReadonlyMap<string, readonly string[]>;
  /** By the id of a command. */
  ofCommand: ReadonlyMap<string, readonly string[]>;
}

/**
 * The stories that tests and commands verify without naming them, each once.
 *
 * @param ofScenario - the keys of the tests that may be a scenario's runs, by its key
 * @param called - the tests that links mean by other names than their keys
 */
export function linkedStories(
  traces: readonly Pick<TraceRow, 'storyId' | 'type' | 'targetKind' | 'targetId'>[],
  { scenarios: imported }: Catalog,
  stored: Pick<StoredScenarios, 'linksOf'>,
  { find }: Pick<StoryCommands, 'find'>,
  ofScenario: ReadonlyMap<string, readonly string[]>,
  called: CalledTests = NONE_CALLED,
): LinkedStories {
  const ofTest = new Map<string, Set<string>>();
  const ofCommand = new Map<string, Set<string>>();
  function addScenario(key: string, storyId: string): void {
    for (const test of ofScenario.get(key) ?? []) add(ofTest, test, storyId);
  }
  for (const { storyId, type, targetKind, targetId } of traces) {
    if (type !== 'verifies') continue;
    if (targetKind === 'test') add(ofTest, keyCalled(called, targetId) ?? targetId, storyId);
    else if (targetKind === 'scenario') addScenario(targetId, storyId);
    else if (targetKind === 'command') add(ofCommand, find(targetId)?.id ?? targetId, storyId);
  }
  for (const { key, storyIds } of imported) for (const id of storyIds) addScenario(key, id);
  for (const [storyId, links] of stored.linksOf) {
    for (const { target } of links) addScenario(target.id, storyId);
  }
  return { ofTest: listed(ofTest), ofCommand: listed(ofCommand) };
}

function add(to: Map<string, Set<string>>, key: string, storyId: string): void {
  const known = to.get(key);
  if (known) known.add(storyId);
  else to.set(key, new Set([storyId]));
}

function listed(from: ReadonlyMap<string, ReadonlySet<string>>): Map<string, readonly string[]> {
  return new Map([...from].map(([key, ids]) => [key, [...ids]]));
}

export interface WantedTests {
  /** The keys of tests, and what else links call them by. */
  ids: ReadonlySet<string>;
  /** The keys of the tests that may be a scenario's runs, by its key. */
  ofScenario: ReadonlyMap<string, readonly string[]>;
}

const SCENARIO_BATCH_SIZE = 500;

export async function wantedTests(
  traces: readonly Pick<TraceRow, 'targetKind' | 'targetId'>[],
  { scenarios }: Catalog,
  stored: readonly Pick<StoredScenario, 'key' | 'feature' | 'title'>[],
): Promise<WantedTests> {
  const ids = new Set<string>();
  for (const { targetKind, targetId } of traces) {
    if (targetKind === 'test') ids.add(targetId);
  }
  const ofScenario = new Map<string, readonly string[]>();
  for (const [at, scenario] of [...scenarios, ...stored].entries()) {
    if (at > 0 && at % SCENARIO_BATCH_SIZE === 0) await setImmediate();
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
export function scenarioTests({
  feature,
  title,
  path,
}: {
  feature: string | null;
  title: string;
  path?: string;
}): string[] {
  const suite = feature === null || feature === '' ? [] : [feature];
  const places: [file: string | null, path: string[]][] = [
    [null, suite],
    [null, ['cucumber-js', ...suite]],
    [null, ['Cucumber', ...suite]],
  ];
  if (path !== undefined) places.push([path, suite]);
  return places.map(([file, suites]) =>
    testKey({ file, path: suites, name: title, parameters: null }),
  );
}

// The stories that tests and commands verify without naming them: by links that people made, and by
// the scenarios that tests are runs of. A run pins what these say too.
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { TraceRow } from '../../store/tables/assurance.ts';
import type { StoryCommands } from '../coverage/story-commands.ts';
import type { StoredScenarios } from '../coverage/story-scenarios.ts';
import { type CalledTests, keyCalled, NONE_CALLED } from './called-tests.ts';

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

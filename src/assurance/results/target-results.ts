// The targets of links: their latest results, what they are called, and how they are named.

import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { StoryCommands } from '../coverage/declared.ts';
import type { StoryTrace } from '../coverage/model.ts';
import type { AssuranceState } from '../state/state.ts';
import type { TargetResults } from './model.ts';
import { findTest, type ResultIndex } from './model.ts';

export function targetKey({ kind, id }: { kind: string; id: string }): string {
  return `${kind} ${id}`;
}

export function targetResults(size: number, of: TargetResults['of']): TargetResults {
  return {
    size,
    of,
    get(target) {
      const space = target.indexOf(' ');
      return of({ kind: target.slice(0, space), id: target.slice(space + 1) });
    },
  };
}

/**
 * The newest results of an index.
 *
 * @param ofScenario - the keys of the tests that may be a scenario's runs, by its key
 */
export function lookUpResults(
  { tests, called, commands }: Pick<ResultIndex, 'tests' | 'called' | 'commands'>,
  { find }: Pick<StoryCommands, 'find'>,
  ofScenario: ReadonlyMap<string, readonly string[]>,
): TargetResults {
  return targetResults(tests.size + commands.size, ({ kind, id }) => {
    if (kind === 'test') return findTest({ tests, called }, id)?.result;
    if (kind === 'command') return commands.get(find(id)?.id ?? '');
    if (kind !== 'scenario') return undefined;
    const runs = (ofScenario.get(id) ?? []).flatMap((key) => tests.get(key) ?? []);
    return runs.sort((a, b) => b.resultSeq - a.resultSeq)[0]?.result;
  });
}

const titles = new WeakMap<Catalog, ReadonlyMap<string, string>>();

/** The name of a target, where it has another one than its id: of tests, commands and scenarios. */
export function nameOf(
  { tests, commands, scenarios, catalog }: AssuranceState,
  { kind, id }: StoryTrace['target'],
): string | null {
  if (kind === 'test') return findTest(tests, id)?.name ?? null;
  if (kind === 'command') return commands.find(id)?.name ?? null;
  if (kind !== 'scenario') return null;
  return scenarios.find(id)?.title ?? titlesOf(catalog).get(id) ?? null;
}

function titlesOf(catalog: Catalog): ReadonlyMap<string, string> {
  const known =
    titles.get(catalog) ?? new Map(catalog.scenarios.map(({ key, title }) => [key, title]));
  titles.set(catalog, known);
  return known;
}

interface NamedTest {
  kind: string;
  id: string;
}

/**
 * A test as it is named here: a command by its id, since its key may become another command's, and a
 * test by its key, since others may come to have its name. One that is not there keeps the name that
 * it was reported by.
 */
export function ownTest<T extends NamedTest>(
  state: Pick<AssuranceState, 'commands' | 'tests'>,
  test: T,
): T {
  const id =
    test.kind === 'test' ? findTest(state.tests, test.id)?.key : commandOf(state, test)?.id;
  return id === undefined ? test : { ...test, id };
}

/** A test as other instances may know it: a command by its key. */
export function sharedTest<T extends NamedTest>(
  state: Pick<AssuranceState, 'commands'>,
  test: T,
): T {
  const command = commandOf(state, test);
  return command ? { ...test, id: command.key } : test;
}

function commandOf({ commands }: Pick<AssuranceState, 'commands'>, { kind, id }: NamedTest) {
  return kind === 'command' ? commands.find(id) : undefined;
}

// How tests of verdicts are named: here commands by their ids, and by their keys to other instances,
// which have ids of their own.
import { findTest } from '../results/result-index.ts';
import type { AssuranceState } from '../state/state.ts';

interface NamedTest {
  kind: string;
  id: string;
}

/**
 * A test as it is named here: a command by its id, since its key may become another command's, and a
 * test by its key, since others may come to have its name. One that is not there keeps the name that
 * it was told by.
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

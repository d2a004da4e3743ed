// The tests that links and verdicts mean by other names than their keys. Which test has a name is
// known once one is reported; a name that several tests have means none of them.
import { asCalled, isTestKey } from '../../quality/reports/test-names.ts';

/** Tests that are remembered of a name: with a second one it means none. */
const REMEMBERED = 2;

/** The keys of the tests that have a name, by the names as they are compared; of several the first. */
export type CalledTests = ReadonlyMap<string, readonly string[]>;

export const NONE_CALLED: CalledTests = new Map();

const namesIn = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>();

/** Those of the texts by which tests are meant that are no keys, as names are compared. */
export function namesAmong(wanted: ReadonlySet<string>): ReadonlySet<string> {
  const known = namesIn.get(wanted);
  if (known) return known;
  const names = new Set<string>();
  for (const text of wanted) if (!isTestKey(text)) names.add(asCalled(text));
  namesIn.set(wanted, names);
  return names;
}

/** The key of the test that a text means; undefined where no test, or several, have the name. */
export function keyCalled(called: CalledTests, text: string): string | undefined {
  const keys = keysCalled(called, text);
  return keys?.length === 1 ? keys[0] : undefined;
}

/** Whether a text is the name of several tests. */
export function isOfSeveral(called: CalledTests, text: string): boolean {
  return (keysCalled(called, text)?.length ?? 0) > 1;
}

function keysCalled(called: CalledTests, text: string): readonly string[] | undefined {
  return called.size === 0 ? undefined : called.get(asCalled(text));
}

/** Those of the names that are still looked for. */
export function stillCalled(called: CalledTests, names: ReadonlySet<string>): CalledTests {
  for (const name of called.keys())
    if (!names.has(name)) return new Map([...called].filter(([one]) => names.has(one)));
  return called;
}

/** Whether another test of a name would be remembered. */
export function takesAnother(called: CalledTests, name: string): boolean {
  return (called.get(name)?.length ?? 0) < REMEMBERED;
}

/**
 * Remembers the names of a test.
 *
 * @returns whether one of them is remembered as its own
 */
export function rememberCalled(
  called: Map<string, readonly string[]>,
  key: string,
  names: readonly string[],
): boolean {
  let isMeant = false;
  for (const name of names) {
    const keys = called.get(name) ?? [];
    if (!keys.includes(key)) {
      if (!takesAnother(called, name)) continue;
      called.set(name, [...keys, key]);
    }
    isMeant = true;
  }
  return isMeant;
}

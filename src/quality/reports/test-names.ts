// What people call a test by when they do not know its key: its file and suites, and its own name.
import { testKey } from './test-key.ts';

const BETWEEN = ' > ';

export function joinedName(path: readonly string[], name: string): string {
  return [...path, name].join(BETWEEN);
}

/** The keys that a test may have which is called so: what stands first is a file, or a suite. */
export function keysCalled(text: string): string[] {
  if (/^t1:[\w-]{27}$/.test(text)) return [text];
  const path = text.split(BETWEEN);
  const name = path.pop() ?? '';
  const [file = null, ...suites] = path;
  const keys = [testKey({ file: null, path, name, parameters: null })];
  if (file !== null) keys.push(testKey({ file, path: suites, name, parameters: null }));
  return keys;
}

// Real inputs that lie beside the project, in `../shared/data`, or where PQRS_SHARED says. They are
// not part of it, so tests on them pass over what is not there, and say so.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Finds a file or folder of the shared data.
 *
 * @returns undefined where it is not there; a line on the console says which was looked for
 */
export function sharedData(...path: string[]): string | undefined {
  const roots = [
    process.env.PQRS_SHARED,
    join(import.meta.dir, '..', '..', '..', 'shared'),
    join(import.meta.dir, '..', '..', '..', '..', 'shared'),
  ];
  for (const root of roots) {
    if (root === undefined || root === '') continue;
    const found = join(root, 'data', ...path);
    if (existsSync(found)) return found;
  }
  console.log(`skipped: no shared data ${join(...path)}`);
  return undefined;
}

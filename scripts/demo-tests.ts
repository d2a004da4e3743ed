// Writes src/demo/tests.txt: which test file names which stories of pqrs, for the commands of the
// demo project. `node scripts/run.mjs scripts/demo-tests.ts`, whenever tests name other stories.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { root } from './install.mjs';

/** The stories that each test file names in brackets, in the order of their numbers, by its path. */
export function storiesByFile(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const paths = [...new Glob('test/**/*.test.ts').scanSync(root)].map((path) =>
    path.replaceAll('\\', '/'),
  );
  for (const path of paths.sort()) {
    const text = readFileSync(join(root, path), 'utf8');
    const named = [...text.matchAll(/\[((?:PQRS-\w+)(?:, *PQRS-\w+)*)\]/g)];
    const ids = new Set(named.flatMap(([, list = '']) => list.split(/, */)));
    if (ids.size > 0)
      found.set(
        path,
        [...ids].sort((a, b) => numberOf(a) - numberOf(b)),
      );
  }
  return found;
}

function numberOf(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1));
}

/** A line for each file: its path, then the stories. */
export function demoTests(): string {
  return [...storiesByFile()].map(([path, ids]) => `${[path, ...ids].join(' ')}\n`).join('');
}

if (import.meta.main) writeFileSync(join(root, 'src', 'demo', 'tests.txt'), demoTests());

// Knows whether dist/pqrs is what the source would give: a hash of everything that goes into it
// is kept beside it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

/** The folder of the build's results. */
export const distFolder = join(root, 'dist');

/** The executable that `npm run build` makes. */
export const executable = join(distFolder, process.platform === 'win32' ? 'pqrs.exe' : 'pqrs');

/** Where the hash of the built source is kept. */
export const stateFile = join(distFolder, 'build.sha256');

/**
 * The hash (SHA-256, hexadecimal) of everything the executable is made from, and of the platform.
 * @returns {string}
 */
export function sourceHash() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}\n`);
  for (const path of inputs()) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Whether dist/ holds an executable made from the present source. */
export function isFresh() {
  return (
    existsSync(executable) &&
    existsSync(stateFile) &&
    readFileSync(stateFile, 'utf8') === sourceHash()
  );
}

function inputs() {
  const builders = readdirSync(join(root, 'scripts'))
    .filter((name) => name.startsWith('build'))
    .map((name) => `scripts/${name}`);
  const folders = ['src', 'drizzle', ...builders];
  return ['package.json', 'package-lock.json', 'tsconfig.json', ...folders.flatMap(filesIn)].sort();
}

/**
 * @param {string} path a file or folder, relative to the root
 * @returns {string[]} the files in it
 */
function filesIn(path) {
  const absolute = join(root, path);
  if (!existsSync(absolute)) return [];
  if (!statSync(absolute).isDirectory()) return [path];
  return readdirSync(absolute).flatMap((name) => filesIn(`${path}/${name}`));
}

// Finds the Bun that npm installed for this machine. The `bun` package would link it in a
// postinstall script, and install scripts are off here (.npmrc).
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const executableName = process.platform === 'win32' ? 'bun.exe' : 'bun';

/**
 * The path of a Bun that runs here: the platform package of npm (the plain build before the
 * baseline one for older processors), the linked one of the `bun` package, one on PATH.
 * @returns {string}
 */
export function findBun() {
  const bun = candidates().find(runs);
  if (bun !== undefined) return bun;
  console.error(`No Bun that runs on ${process.platform}-${process.arch} was found.`);
  process.exit(1);
}

/**
 * Runs Bun in the repository's root with inherited streams.
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export function runBun(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(findBun(), args, { cwd: root, stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

function candidates() {
  const scope = join(root, 'node_modules', '@oven');
  const packages = existsSync(scope) ? readdirSync(scope) : [];
  const found = packages
    .sort((a, b) => a.length - b.length)
    .map((name) => join(scope, name, 'bin', executableName))
    .filter((path) => existsSync(path));
  // Where no postinstall has run this is a short text that explains why.
  const linked = join(root, 'node_modules', 'bun', 'bin', 'bun.exe');
  if (existsSync(linked) && statSync(linked).size > 1_000_000) found.push(linked);
  return [...found, 'bun'];
}

/** @param {string} path */
function runs(path) {
  return spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0;
}

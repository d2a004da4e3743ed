// Installs the packages of package-lock.json when they are not there yet. Plain Node, because
// nothing is installed when it runs first.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const lockFile = join(root, 'package-lock.json');
const stamp = join(root, 'node_modules', '.pqrs-install');
const npmRecord = join(root, 'node_modules', '.package-lock.json');

/**
 * Runs `npm ci` unless node_modules already holds what package-lock.json asks for. Ends the
 * process with npm's exit code when it fails.
 */
export function ensureInstalled() {
  const lock = readFileSync(lockFile);
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  if (!isInstalledByNpm(JSON.parse(lock.toString()))) runInstaller();
  writeFileSync(stamp, wanted);
}

/**
 * Whether npm's own record of node_modules agrees with the lock file, as after a hand-run
 * `npm ci`. Optional packages may be missing: they are those of other platforms.
 * @param {{ packages: Record<string, { version?: string, optional?: boolean }> }} lock
 */
function isInstalledByNpm(lock) {
  if (!existsSync(npmRecord)) return false;
  const present = JSON.parse(readFileSync(npmRecord, 'utf8')).packages;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = present[path];
    return found === undefined ? wanted.optional === true : found.version === wanted.version;
  });
}

function runInstaller() {
  console.error('Installing packages (once) ...');
  const npmOptions = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const npmScript = process.env.npm_execpath ?? '';
  const attempts = [];
  if (/npm-cli\.c?js$/.test(npmScript)) {
    attempts.push({ file: process.execPath, args: [npmScript, ...npmOptions], shell: false });
  }
  attempts.push({ file: 'npm', args: npmOptions, shell: process.platform === 'win32' });
  if (process.versions.bun !== undefined) {
    const args = ['install', '--no-save', '--ignore-scripts'];
    attempts.push({ file: process.execPath, args, shell: false });
  }
  for (const { file, args, shell } of attempts) {
    // Standard output is left to the caller's own result.
    const result = spawnSync(file, args, { cwd: root, shell, stdio: ['ignore', 2, 2] });
    if (result.error !== undefined && 'code' in result.error && result.error.code === 'ENOENT') {
      continue;
    }
    if (result.status === 0) return;
    console.error(`Installing packages failed (${file} ${args.join(' ')}).`);
    process.exit(result.status ?? 1);
  }
  console.error('Installing packages failed: npm was not found.');
  process.exit(1);
}

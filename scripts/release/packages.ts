// The npm packages that go into the executables: those of node_modules, and those of other platforms,
// which npm does not install here.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../install.mjs';

export interface LockedPackage {
  name: string;
  version: string;
  integrity: string;
  license?: string;
  dev?: boolean;
  /** An optional one of another package, which pqrs has for its development. */
  devOptional?: boolean;
  optional?: boolean;
}

const cache = join(root, 'dist', 'packages');

/** The packages of package-lock.json, each under its path (`node_modules/libsql`). */
export function lockedPackages(): Map<string, LockedPackage> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const all: [string, LockedPackage][] = Object.entries<LockedPackage>(packages);
  return new Map(
    all
      .filter(([path]) => path !== '')
      .map(([path, one]) => [path, { ...one, name: path.replace(/^.*node_modules\//, '') }]),
  );
}

/**
 * The folder of a locked package: the installed one, or a copy that npm downloads once.
 * @throws when npm cannot get it, or it is not the locked one
 */
export async function packageFolder(name: string): Promise<string> {
  const locked = lockedPackages().get(`node_modules/${name}`);
  if (!locked) throw new Error(`package-lock.json has no ${name}`);
  const installed = join(root, 'node_modules', name);
  if (existsSync(join(installed, 'package.json'))) return installed;
  const folder = join(cache, `${name.replace('/', '-')}-${locked.version}`);
  if (existsSync(folder)) return join(folder, 'package');
  mkdirSync(cache, { recursive: true });
  const [{ filename }] = JSON.parse(
    npm(['pack', `${name}@${locked.version}`, '--json', '--pack-destination', cache]),
  ) as [{ filename: string }];
  const archive = join(cache, filename.replace(/^@/, '').replace('/', '-'));
  const bytes = readFileSync(archive);
  rmSync(archive);
  if (`sha512-${createHash('sha512').update(bytes).digest('base64')}` !== locked.integrity)
    throw new Error(`${name}@${locked.version} is not what package-lock.json names`);
  await new Bun.Archive(bytes).extract(`${folder}.tmp`);
  renameSync(`${folder}.tmp`, folder);
  return join(folder, 'package');
}

/**
 * Runs npm in the repository's root.
 * @returns its standard output
 * @throws with what it says of its failure
 */
export function npm(args: string[]): string {
  const script = process.env.npm_execpath ?? '';
  const [file = 'npm', ...first] = /npm-cli\.c?js$/.test(script) ? ['node', script] : ['npm'];
  const done = spawnSync(file, [...first, ...args], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  if (done.status === 0) return done.stdout.toString();
  const said = done.stderr?.toString().match(/^npm error (?!code).*/m)?.[0];
  throw new Error(said ?? done.error?.message ?? `npm ${args[0]} ended with ${done.status}`);
}

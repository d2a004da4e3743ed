// The commit and branch that a folder is checked out at, read from `.git` without running git
// (gitrepository-layout, git-pack-refs).
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { SourceState } from './ci-variables.ts';

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
/** References that lead to references: no repository nests them deeper. */
const DEPTH_MOST = 5;

/** Reads where the repository that a folder is in stands; what cannot be told is undefined. */
export async function readGitHead(folder: string): Promise<SourceState> {
  const nothing = { commit: undefined, branch: undefined };
  const gitFolder = await findGitFolder(resolve(folder));
  if (gitFolder === undefined) return nothing;
  const head = await textOf(join(gitFolder, 'HEAD'));
  if (head === undefined) return nothing;
  if (COMMIT.test(head)) return { commit: head, branch: undefined };
  const ref = refIn(head);
  // Repositories with reftables have this in the place of a reference.
  if (ref === undefined || ref === 'refs/heads/.invalid') return nothing;
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  return { commit: await commitOf(gitFolder, ref), branch };
}

async function findGitFolder(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, '.git');
    const about = await stat(path).catch(() => undefined);
    if (about?.isDirectory()) return path;
    if (about?.isFile()) {
      // Of a worktree or a submodule.
      const elsewhere = /^gitdir: (.+)$/.exec((await textOf(path)) ?? '')?.[1];
      return elsewhere === undefined ? undefined : resolve(at, elsewhere);
    }
    if (dirname(at) === at) return undefined;
  }
}

async function commitOf(gitFolder: string, ref: string): Promise<string | undefined> {
  const common = await textOf(join(gitFolder, 'commondir'));
  const folders = common === undefined ? [gitFolder] : [gitFolder, resolve(gitFolder, common)];
  let name = ref;
  for (let depth = 0; depth < DEPTH_MOST; depth += 1) {
    const value = await looseOrPacked(folders, name);
    if (value === undefined || COMMIT.test(value)) return value;
    const next = refIn(value);
    if (next === undefined) return undefined;
    name = next;
  }
  return undefined;
}

async function looseOrPacked(folders: string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const loose = await textOf(join(folder, name));
    if (loose !== undefined) return loose;
  }
  for (const folder of folders) {
    const packed = await textOf(join(folder, 'packed-refs'));
    const line = packed?.split('\n').find((one) => one.endsWith(` ${name}`));
    const commit = line?.split(' ', 1)[0];
    if (commit !== undefined && COMMIT.test(commit)) return commit;
  }
  return undefined;
}

/** The name in `ref: NAME`, where it is one that stays within the repository. */
function refIn(text: string): string | undefined {
  const name = /^ref: (refs\/\S+)$/.exec(text)?.[1];
  return name === undefined || name.split('/').includes('..') ? undefined : name;
}

async function textOf(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text?.trim();
}

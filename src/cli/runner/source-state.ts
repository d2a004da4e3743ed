// The commit and branch under test: what a CI system says in variables of the environment, else where the
// repository stands, read from `.git` without running git (gitrepository-layout, git-pack-refs).
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SourceState {
  commit: string | undefined;
  branch: string | undefined;
}

/** For each CI system, what holds the commit and what holds the branch: of the names the first that is set. */
const SYSTEMS: readonly (readonly [commit: string, ...branch: string[]])[] = [
  // GitHub, Gitea and Forgejo; the name of a tag is no branch (see below).
  ['GITHUB_SHA', 'GITHUB_HEAD_REF', 'GITHUB_REF'],
  // GitLab and Woodpecker.
  [
    ...(['CI_COMMIT_SHA', 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'] as const),
    ...['CI_COMMIT_SOURCE_BRANCH', 'CI_COMMIT_BRANCH'],
  ],
  ['BUILDKITE_COMMIT', 'BUILDKITE_BRANCH'],
  ['CIRCLE_SHA1', 'CIRCLE_BRANCH'],
  ['TRAVIS_COMMIT', 'TRAVIS_PULL_REQUEST_BRANCH', 'TRAVIS_BRANCH'],
  ['BUILD_SOURCEVERSION', 'SYSTEM_PULLREQUEST_SOURCEBRANCH', 'BUILD_SOURCEBRANCH'],
  ['BITBUCKET_COMMIT', 'BITBUCKET_BRANCH'],
  ['DRONE_COMMIT_SHA', 'DRONE_SOURCE_BRANCH', 'DRONE_BRANCH'],
  ['APPVEYOR_REPO_COMMIT', 'APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH', 'APPVEYOR_REPO_BRANCH'],
  // Jenkins, and many scripts beside it.
  ['GIT_COMMIT', 'CHANGE_BRANCH', 'BRANCH_NAME', 'GIT_BRANCH'],
  ['BUILD_VCS_NUMBER'],
  ['GIT_SHA'],
];

/** Reads the commit and branch of a folder. */
export async function readSourceState(
  folder: string,
  environment: Environment,
): Promise<SourceState> {
  const { commit, branch } = readCiVariables(environment);
  if (commit !== undefined && branch !== undefined) return { commit, branch };
  const head = await readGitHead(folder);
  if (commit === undefined) return head;
  return { commit, branch: head.commit === commit ? head.branch : undefined };
}

/** The commit and branch by the first system that names a commit. */
export function readCiVariables(environment: Environment): SourceState {
  for (const [commitName, ...branchNames] of SYSTEMS) {
    const commit = environment[commitName]?.trim();
    // Some say `HEAD` before they have looked.
    if (commit === undefined || !/^[0-9a-f]{7,64}$/i.test(commit)) continue;
    const ref = branchNames.map((name) => environment[name]?.trim()).find((value) => value) ?? '';
    const isBranch = !/^refs\/(?!heads\/)/.test(ref);
    const branch = isBranch ? ref.replace(/^(?:refs\/heads|origin)\//, '') : '';
    return { commit, branch: branch || undefined };
  }
  return { commit: undefined, branch: undefined };
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

export async function readGitHead(folder: string): Promise<SourceState> {
  const gitFolder = await findGitFolder(resolve(folder));
  const head = gitFolder && (await textOf(join(gitFolder, 'HEAD')));
  if (gitFolder === undefined || head === undefined)
    return { commit: undefined, branch: undefined };
  if (COMMIT.test(head)) return { commit: head, branch: undefined };
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1] ?? '..';
  // Repositories with reftables have `.invalid` in the place of a branch.
  if (ref === 'refs/heads/.invalid' || ref.split('/').includes('..'))
    return { commit: undefined, branch: undefined };
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
  for (const folder of folders) {
    const loose = await textOf(join(folder, ref));
    if (loose !== undefined) return COMMIT.test(loose) ? loose : undefined;
  }
  for (const folder of folders) {
    const packed = await textOf(join(folder, 'packed-refs'));
    const line = packed?.split('\n').find((one) => one.endsWith(` ${ref}`));
    const commit = line?.split(' ', 1)[0] ?? '';
    if (COMMIT.test(commit)) return commit;
  }
  return undefined;
}

async function textOf(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text?.trim();
}

// The commit and branch under test, as CI systems and repositories say.
import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  readCiVariables,
  readGitHead,
  readSourceState,
} from '../../../src/cli/runner/source-state.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

function folderOf(files: Record<string, string>): string {
  const folder = temporaryFolder('git');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe('CI systems', () => {
  test.each([
    ['GitHub, a push', { GITHUB_SHA: A, GITHUB_REF: 'refs/heads/feature/x' }, 'feature/x'],
    ['GitHub, a tag', { GITHUB_SHA: A, GITHUB_REF: 'refs/tags/v1' }, undefined],
    [
      'GitHub, a pull request',
      { GITHUB_SHA: A, GITHUB_HEAD_REF: 'fix', GITHUB_REF: 'refs/pull/1/merge' },
      'fix',
    ],
    ['GitLab', { CI_COMMIT_SHA: A, CI_COMMIT_BRANCH: 'main' }, 'main'],
    [
      'GitLab, a merge request',
      { CI_COMMIT_SHA: A, CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'mr' },
      'mr',
    ],
    ['Jenkins', { GIT_COMMIT: A, GIT_BRANCH: 'origin/main' }, 'main'],
    ['Azure', { BUILD_SOURCEVERSION: A, BUILD_SOURCEBRANCH: 'refs/heads/main' }, 'main'],
    ['TeamCity', { BUILD_VCS_NUMBER: A }, undefined],
  ])('%s', (_, environment, branch) => {
    expect(readCiVariables(environment as Record<string, string>)).toEqual({
      commit: A,
      branch: branch as string | undefined,
    });
  });

  test('nothing is known where nothing names a commit', () => {
    const none = { commit: undefined, branch: undefined };
    expect(readCiVariables({})).toEqual(none);
    expect(readCiVariables({ BUILDKITE_COMMIT: 'HEAD', BUILDKITE_BRANCH: 'main' })).toEqual(none);
    expect(readCiVariables({ GITHUB_SHA: '', GITHUB_REF: 'refs/heads/main' })).toEqual(none);
  });
});

describe('a repository', () => {
  test.each([
    [{ '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${A}\n` }, A, 'main'],
    [{ '.git/HEAD': `${A}\n` }, A, undefined],
    [
      {
        '.git/HEAD': 'ref: refs/heads/old\n',
        '.git/packed-refs': `# pack-refs with: peeled\n${B} refs/heads/older\n${A} refs/heads/old\n^${B}\n`,
      },
      A,
      'old',
    ],
    [{ '.git/HEAD': 'ref: refs/heads/unborn\n' }, undefined, 'unborn'],
    [{ '.git/HEAD': 'ref: refs/heads/.invalid\n' }, undefined, undefined],
    [{ '.git/HEAD': 'ref: refs/heads/../../secret\n' }, undefined, undefined],
    [
      { '.git/HEAD': 'ref: refs/heads/a\n', '.git/refs/heads/a': 'ref: refs/heads/a\n' },
      undefined,
      'a',
    ],
    [{ 'readme.md': 'none' }, undefined, undefined],
  ] as [Record<string, string>, string | undefined, string | undefined][])(
    'with %j',
    async (files, commit, branch) => {
      const folder = folderOf({ ...files, 'src/deep/x.ts': '' });
      expect(await readGitHead(join(folder, 'src/deep'))).toEqual({ commit, branch });
    },
  );

  test('as a worktree is read through what it points to', async () => {
    const folder = folderOf({
      'main/.git/HEAD': 'ref: refs/heads/main\n',
      'main/.git/packed-refs': `${A} refs/heads/topic\n`,
      'main/.git/worktrees/t/HEAD': 'ref: refs/heads/topic\n',
      'main/.git/worktrees/t/commondir': '../..\n',
      'tree/.git': 'gitdir: ../main/.git/worktrees/t\n',
    });
    expect(await readGitHead(join(folder, 'tree'))).toEqual({ commit: A, branch: 'topic' });
  });

  test('as git itself made it', async () => {
    const git = Bun.which('git');
    if (git === null) return console.log('skipped: git is not on this machine');
    const folder = temporaryFolder('git');
    const run = (...args: string[]) =>
      Bun.spawnSync([git, ...args], { cwd: folder, stdout: 'pipe', stderr: 'pipe' });
    run('init', '-q', '-b', 'trunk');
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
    run(...who, 'commit', '-q', '--allow-empty', '-m', 'one');
    run('pack-refs', '--all');
    const commit = run('rev-parse', 'HEAD').stdout.toString().trim();
    expect(commit).toMatch(/^[0-9a-f]{40}/);
    expect(await readGitHead(folder)).toEqual({ commit, branch: 'trunk' });
  });
});

test('the CI system goes before the repository, which fills in the branch of the same commit', async () => {
  const folder = folderOf({ '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': A });
  expect(await readSourceState(folder, {})).toEqual({ commit: A, branch: 'main' });
  expect(await readSourceState(folder, { GIT_COMMIT: A })).toEqual({ commit: A, branch: 'main' });
  expect(await readSourceState(folder, { GIT_COMMIT: B })).toEqual({
    commit: B,
    branch: undefined,
  });
});

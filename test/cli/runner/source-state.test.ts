// The commit and branch under test, as CI systems and repositories say.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  readCiJob,
  readCiVariables,
  readSourceState,
} from '../../../src/cli/runner/source-state.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

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

test.each([
  [{ GITHUB_RUN_ID: '7', GITHUB_RUN_ATTEMPT: '2', GITHUB_JOB: 'unit' }, 'github/7/2/unit'],
  [{ CI_JOB_ID: '12', CI_NODE_INDEX: '1' }, 'gitlab/12'],
  [
    { BUILD_TAG: 'jenkins-shop-3', NODE_NAME: 'a', EXECUTOR_NUMBER: '0' },
    'jenkins/jenkins-shop-3/a/0',
  ],
  [{ PQRS_JOB_ID: '7 shard 2', GITHUB_RUN_ID: '7' }, 'job/7 shard 2'],
  [{ GITHUB_RUN_ID: ' ' }, undefined],
  [{}, undefined],
])('the job of %j is %p', (environment, job) => {
  expect(readCiJob(environment as Record<string, string>)).toBe(job);
});

test('the CI system goes before git, which fills in the branch of the same commit', async () => {
  const git = Bun.which('git');
  if (git === null) return console.log('skipped: git is not on this machine');
  const folder = temporaryFolder('git');
  const run = (...args: string[]) =>
    Bun.spawnSync([git, ...args], { cwd: folder, stdout: 'pipe', stderr: 'pipe' });
  run('init', '-q', '-b', 'trunk');
  const { PATH } = process.env;
  expect(await readSourceState(folder, { PATH })).toEqual({ commit: undefined, branch: 'trunk' });
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  run(...who, 'commit', '-q', '--allow-empty', '-m', 'one');
  const commit = run('rev-parse', 'HEAD').stdout.toString().trim();
  expect(commit).toMatch(/^[0-9a-f]{40}/);
  const here = { commit, branch: 'trunk' };
  expect(await readSourceState(folder, { PATH })).toEqual(here);
  expect(await readSourceState(folder, { PATH, GIT_COMMIT: commit })).toEqual(here);
  const other = { commit: B, branch: undefined };
  expect(await readSourceState(folder, { PATH, GIT_COMMIT: B })).toEqual(other);
  run('checkout', '-q', '--detach');
  expect(await readSourceState(folder, { PATH })).toEqual({ commit, branch: undefined });
  const none = { commit: undefined, branch: undefined };
  expect(await readSourceState(join(folder, 'none'), { PATH })).toEqual(none);
});

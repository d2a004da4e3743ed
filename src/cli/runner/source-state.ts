// The commit and branch under test, and the job that tests it: what a CI system says in variables of the environment, else what git
// says of the folder.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

type Environment = Readonly<Record<string, string | undefined>>;

interface SourceState {
  commit: string | undefined;
  branch: string | undefined;
}

const GITLAB_BRANCHES = ['CI_COMMIT_SOURCE_BRANCH', 'CI_COMMIT_BRANCH'];

/** For each CI system, what holds the commit and what holds the branch: of the names the first that is set. */
const SYSTEMS: readonly (readonly [commit: string, ...branch: string[]])[] = [
  // GitHub, Gitea and Forgejo; the name of a tag is no branch (see below).
  ['GITHUB_SHA', 'GITHUB_HEAD_REF', 'GITHUB_REF'],
  // GitLab and Woodpecker.
  ['CI_COMMIT_SHA', 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME', ...GITLAB_BRANCHES],
  ['BUILDKITE_COMMIT', 'BUILDKITE_BRANCH'],
  ['CIRCLE_SHA1', 'CIRCLE_BRANCH'],
  ['BUILD_SOURCEVERSION', 'SYSTEM_PULLREQUEST_SOURCEBRANCH', 'BUILD_SOURCEBRANCH'],
  ['BITBUCKET_COMMIT', 'BITBUCKET_BRANCH'],
  ['DRONE_COMMIT_SHA', 'DRONE_SOURCE_BRANCH', 'DRONE_BRANCH'],
  // Jenkins, and many scripts beside it.
  ['GIT_COMMIT', 'CHANGE_BRANCH', 'BRANCH_NAME', 'GIT_BRANCH'],
  ['BUILD_VCS_NUMBER'],
];

export async function readSourceState(
  folder: string,
  environment: Environment,
): Promise<SourceState> {
  const { commit, branch } = readCiVariables(environment);
  if (commit !== undefined && branch !== undefined) return { commit, branch };
  const head = {
    commit: await git(folder, environment, 'rev-parse', '--verify', 'HEAD'),
    branch: await git(folder, environment, 'symbolic-ref', '--short', 'HEAD'),
  };
  if (commit === undefined) return head;
  return { commit, branch: head.commit === commit ? head.branch : undefined };
}

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

/**
 * For each CI system what names a job and its attempt; the runner tells the jobs of a matrix apart. Of
 * any other, what is put into PQRS_JOB_ID, which goes before all.
 */
const JOBS: Readonly<Record<string, readonly string[]>> = {
  job: ['PQRS_JOB_ID'],
  github: ['GITHUB_RUN_ID', 'GITHUB_RUN_ATTEMPT', 'GITHUB_JOB', 'RUNNER_NAME'],
  gitlab: ['CI_JOB_ID'],
  buildkite: ['BUILDKITE_JOB_ID'],
  circleci: ['CIRCLE_WORKFLOW_JOB_ID', 'CIRCLE_NODE_INDEX'],
  azure: ['BUILD_BUILDID', 'SYSTEM_JOBID', 'SYSTEM_JOBATTEMPT'],
  jenkins: ['BUILD_TAG', 'STAGE_NAME', 'NODE_NAME', 'EXECUTOR_NUMBER'],
};

/** Names the job of a CI system and its attempt; undefined outside of one. */
export function readCiJob(environment: Environment): string | undefined {
  for (const [system, names] of Object.entries(JOBS)) {
    const [first, ...others] = names.map((name) => environment[name]?.trim() ?? '');
    if (first) return [system, first, ...others].filter((part) => part !== '').join('/');
  }
  return undefined;
}

/** Undefined where git is not there, or has nothing to say. */
async function git(folder: string, { PATH, HOME }: Environment, ...args: string[]) {
  // What a repository sets up to run finds no token in its environment.
  const options = { cwd: folder, env: { PATH, HOME } };
  const { stdout } = await run('git', args, options).catch(() => ({ stdout: '' }));
  return stdout.trim() || undefined;
}

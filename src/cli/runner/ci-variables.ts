// What continuous integration systems say, in variables of the environment, of the commit they test.

/** Undefined where nothing tells. */
export interface SourceState {
  commit: string | undefined;
  branch: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** For each system, what holds the commit and what holds the branch: of the names the first that is set. */
const SYSTEMS: readonly { commit: readonly string[]; branch: readonly string[] }[] = [
  // GitHub, Gitea and Forgejo; the name of a tag is no branch (see below).
  { commit: ['GITHUB_SHA'], branch: ['GITHUB_HEAD_REF', 'GITHUB_REF'] },
  // GitLab and Woodpecker.
  {
    commit: ['CI_COMMIT_SHA'],
    branch: ['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME', 'CI_COMMIT_SOURCE_BRANCH', 'CI_COMMIT_BRANCH'],
  },
  { commit: ['BUILDKITE_COMMIT'], branch: ['BUILDKITE_BRANCH'] },
  { commit: ['CIRCLE_SHA1'], branch: ['CIRCLE_BRANCH'] },
  { commit: ['TRAVIS_COMMIT'], branch: ['TRAVIS_PULL_REQUEST_BRANCH', 'TRAVIS_BRANCH'] },
  {
    commit: ['BUILD_SOURCEVERSION'],
    branch: ['SYSTEM_PULLREQUEST_SOURCEBRANCH', 'BUILD_SOURCEBRANCH'],
  },
  { commit: ['BITBUCKET_COMMIT'], branch: ['BITBUCKET_BRANCH'] },
  { commit: ['DRONE_COMMIT_SHA'], branch: ['DRONE_SOURCE_BRANCH', 'DRONE_BRANCH'] },
  {
    commit: ['APPVEYOR_REPO_COMMIT'],
    branch: ['APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH', 'APPVEYOR_REPO_BRANCH'],
  },
  // Jenkins, and many scripts beside it.
  { commit: ['GIT_COMMIT'], branch: ['CHANGE_BRANCH', 'BRANCH_NAME', 'GIT_BRANCH'] },
  { commit: ['BUILD_VCS_NUMBER', 'GIT_SHA'], branch: [] },
];

/** The commit and branch by the first system that names a commit. */
export function readCiVariables(environment: Environment): SourceState {
  for (const system of SYSTEMS) {
    const commit = first(environment, system.commit);
    // Some say `HEAD` before they have looked.
    if (commit === undefined || !/^[0-9a-f]{7,64}$/i.test(commit)) continue;
    return { commit, branch: branchOf(first(environment, system.branch)) };
  }
  return { commit: undefined, branch: undefined };
}

function first(environment: Environment, names: readonly string[]): string | undefined {
  return names.map((name) => environment[name]?.trim()).find((value) => value);
}

function branchOf(ref: string | undefined): string | undefined {
  if (ref === undefined || /^refs\/(?!heads\/)/.test(ref)) return undefined;
  return ref.replace(/^(?:refs\/heads|origin)\//, '') || undefined;
}

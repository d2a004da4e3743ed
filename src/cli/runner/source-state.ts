// The commit and branch under test: what a CI system says, else where the repository stands.
import { readCiVariables, type SourceState } from './ci-variables.ts';
import { readGitHead } from './git-head.ts';

/** Tells the commit and branch of a folder; what cannot be told is undefined. */
export async function readSourceState(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SourceState> {
  const told = readCiVariables(environment);
  const { commit, branch } = told;
  if (commit !== undefined && branch !== undefined) return told;
  const head = await readGitHead(folder);
  if (commit === undefined) return head;
  return { commit, branch: head.commit === commit ? head.branch : undefined };
}

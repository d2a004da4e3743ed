// The project with what its owner sees of it, and how an owner changes it.
import type { Static } from '@sinclair/typebox';
import type {
  ProjectInput,
  ProjectReply,
  Project as ProjectSchema,
} from '../../../requirements/projects/model.ts';
import { type Answer, api, dataOf, type Having, useAnswer } from '../../core/api.ts';
import { useMe } from '../../frame/caller.ts';

export type Project = Static<typeof ProjectSchema>;
export type Token = NonNullable<Project['tokens']>[number];
type Reply = Static<typeof ProjectReply>;

export function useOwn(): Answer<Project> {
  const answer = useAnswer(
    () => api().projects.get({ query: { include: ['baselines', 'tokens', 'backups'] } }),
    [],
  );
  const page = answer.data as Having<typeof answer.data, 'items'> | undefined;
  return { ...answer, data: page?.items[0] as Project | undefined };
}

/** Whether the caller may change more of the project than its sources. */
export function useOwns(): boolean {
  const { capabilities, readOnly } = useMe().caller;
  return capabilities.includes('project:owner') && !readOnly;
}

/** @throws Problem */
export async function changeProject(fields: ProjectInput): Promise<Reply> {
  // Eden knows the body as the server reads it: with the fields of a form.
  return (await dataOf(api().projects.post(fields as never))) as Reply;
}

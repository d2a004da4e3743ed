// A project of its own for a test, with requirement sources that it brings itself.
import type { Answer } from './answer.ts';
import type { Client, Sending } from './client.ts';

export interface RequirementProject {
  slug: string;
  /** What a request needs to be made as its owner. */
  as: Sending;
  /** Imports sources given as texts by their paths. */
  send(sources: Record<string, string>, over?: object): Promise<Answer>;
  /** The same, and asserts that they were taken. */
  bring(sources: Record<string, string>, over?: object): Promise<void>;
  get<T>(path: string, query?: Sending['query']): Promise<T>;
}

/**
 * Makes a project with an owner; the caller's instance must be the tests' own.
 *
 * @param more - tells it from others that the same test makes
 */
export async function makeRequirementProject(
  api: Client,
  settings: object = {},
  more = '',
): Promise<RequirementProject> {
  const slug = `r-${api.unique}${more}`;
  const { token } = (
    await api.post('/projects', { slug, name: slug, settings }, { tokenShown: true })
  )
    .must(201)
    .json<{ token: string }>();
  const as = { headers: { authorization: `Bearer ${token}` } };
  const send = (sources: Record<string, string>, over: object = {}) => {
    const list = Object.entries(sources).map(([path, content]) => ({ path, content }));
    return api.post('/projects', { slug, sources: list, confirm: true, ...over }, as);
  };
  return {
    ...{ slug, as, send },
    async bring(sources, over) {
      (await send(sources, over)).must(200);
    },
    get: async <T>(path: string, query: Sending['query'] = {}) =>
      (await api.get(path, { ...as, query })).must(200).json<T>(),
  };
}

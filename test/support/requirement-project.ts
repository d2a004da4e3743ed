// A project of its own for a test, with requirement sources that it brings itself.
import type { Client, Sending } from './client.ts';

export interface RequirementProject {
  slug: string;
  /** What a request needs to be made as its owner. */
  as: Sending;
  /** Imports sources given as texts by their paths, and asserts that they were taken. */
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
  const { token } = (await api.post('/projects', { slug, settings }, { tokenShown: true }))
    .must(201)
    .json<{ token: string }>();
  const as = { headers: { authorization: `Bearer ${token}` } };
  return {
    slug,
    as,
    async bring(sources, over = {}) {
      const list = Object.entries(sources).map(([path, content]) => ({ path, content }));
      (await api.post('/projects', { slug, sources: list, confirm: true, ...over }, as)).must(200);
    },
    get: async <T>(path: string, query: Sending['query'] = {}) =>
      (await api.get(path, { ...as, query })).must(200).json<T>(),
  };
}

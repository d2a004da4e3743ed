// Reads a list page by page while others write.
import { expect } from 'bun:test';
import type { RequirementProject } from './requirement-project.ts';

const CURSOR_MOST = 300;

/** Reads page by page what items are called, and writes after the first ones. */
export async function walkPages<T>(
  { get }: Pick<RequirementProject, 'get'>,
  path: string,
  query: object,
  nameOf: (item: T) => string,
  writes: readonly (() => Promise<unknown>)[],
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null && pages.length < 60; ) {
    const at = cursor === '' ? {} : { cursor };
    const page: { items?: T[]; rows?: T[]; nextCursor: string | null } = await get(path, {
      ...{ ...query, ...at },
    });
    pages.push((page.items ?? page.rows ?? []).map(nameOf));
    cursor = page.nextCursor;
    expect(cursor?.length ?? 0).toBeLessThanOrEqual(CURSOR_MOST);
    if (cursor !== null) await writes[pages.length - 1]?.();
  }
  return pages;
}

// Which contents of the file store rows name: what a sweep must leave.
import { inArray } from 'drizzle-orm';
import type { Db } from './client/drizzle.ts';
import { attachments } from './tables/evidence.ts';
import { revisionSources, revisions } from './tables/requirements.ts';

const CONTENT_COLUMNS = [
  attachments.sha256,
  revisionSources.sha256,
  revisions.graphSha256,
  revisions.auditSha256,
  revisions.catalogSha256,
];

/** Every content that a row names, each once, in their order; of a database of an older schema too. */
export async function namedContents(db: Db): Promise<string[]> {
  const found = new Set<string>();
  for (const column of CONTENT_COLUMNS) {
    const rows = await db
      .selectDistinct({ sha256: column })
      .from(column.table)
      .catch((error: Error) => {
        if (/no such (?:table|column)/.test(`${error.cause}`)) return [];
        throw error;
      });
    for (const { sha256 } of rows) if (sha256 !== null) found.add(sha256);
  }
  return [...found].sort();
}

export function referencedContents(db: Db): (sha256s: string[]) => Promise<Set<string>> {
  return async (sha256s) => {
    const found = new Set<string>();
    for (const column of CONTENT_COLUMNS) {
      const isWanted = inArray(column, sha256s);
      const rows = await db.selectDistinct({ sha256: column }).from(column.table).where(isWanted);
      for (const { sha256 } of rows) if (sha256 !== null) found.add(sha256);
    }
    return found;
  };
}

export function isContentReferenced(db: Db): (sha256: string) => Promise<boolean> {
  return async (sha256) => (await referencedContents(db)([sha256])).has(sha256);
}

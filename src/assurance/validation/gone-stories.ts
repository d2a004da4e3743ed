// Stories that are gone, as far as they said what another story was judged on: with them it is not
// certain which of them a story is that says it later.
import { and, eq, gte, inArray } from 'drizzle-orm';
import type { Effective } from '../../requirements/graph/effective.ts';
import type { Db } from '../../store/database.ts';
import { type GoneStoryRow, goneStories, validations } from '../../store/tables/assurance.ts';
import { chunksOf } from '../state/chunks.ts';

/** When stories went. */
export interface Departure {
  /** The revision that came, or that there was when an addition was deleted. */
  revision: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Rows that a statement inserts: each binds five values. */
const ROWS_AT_A_TIME = 200;

/**
 * Keeps what stories said, inside the write in which they go.
 *
 * @param before - the graph in which they still are
 * @param ids - of those that go
 */
export async function keepGone(
  db: Db,
  before: Pick<Effective, 'projectId' | 'under'>,
  ids: readonly string[],
  departure: Departure,
): Promise<void> {
  if (ids.length === 0) return;
  const { projectId } = before;
  const judged = await db
    .selectDistinct({ fingerprint: validations.fingerprint })
    .from(validations)
    .where(eq(validations.projectId, projectId));
  const wanted = new Set(judged.map(({ fingerprint }) => fingerprint));
  // One of each profile that stories were judged under.
  const profiles = new Map([...wanted].map((one) => [one.slice(0, one.indexOf(':')), one]));
  const rows = ids.flatMap((storyId) =>
    [...profiles.values()].flatMap((stored) => {
      const fingerprint = before.under(storyId, stored);
      if (fingerprint === undefined || !wanted.has(fingerprint)) return [];
      return [{ projectId, storyId, fingerprint, ...departure }];
    }),
  );
  for (const some of chunksOf(rows, ROWS_AT_A_TIME)) await db.insert(goneStories).values(some);
}

/** Those that went with what one of these verdicts judged, since the first of them was made. */
export async function goneAlike(
  db: Db,
  projectId: string,
  verdicts: readonly { fingerprint: string; createdAt: number }[],
): Promise<Map<string, GoneStoryRow[]>> {
  const found: GoneStoryRow[] = [];
  const since = verdicts.reduce((least, { createdAt }) => Math.min(least, createdAt), Infinity);
  for (const some of chunksOf([...new Set(verdicts.map(({ fingerprint }) => fingerprint))])) {
    const rows = await db
      .select()
      .from(goneStories)
      .where(
        and(
          eq(goneStories.projectId, projectId),
          inArray(goneStories.fingerprint, some),
          gte(goneStories.at, since),
        ),
      );
    for (const row of rows) found.push(row);
  }
  return Map.groupBy(found, ({ fingerprint }) => fingerprint);
}

// Stories that are gone: what they said, when added ones were in force, and what was said of them last.
import { and, asc, eq, gte, inArray, or } from 'drizzle-orm';
import type { Effective } from '../../requirements/graph/effective.ts';
import type { Db } from '../../store/database.ts';
import {
  type GoneStoryRow,
  goneStories,
  type OverlayChangeRow,
  overlayChanges,
  type ValidationRow,
  validations,
} from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { chunksOf } from '../state/state.ts';
import { matchesCurrent, originalJudge } from './current.ts';
import { type Period, storyOf } from './renames.ts';

const BATCH_SIZE = 200;

/**
 * Records what stories said, inside the write in which they go, as far as another was judged on it: with
 * them it is not certain which of them a story is that says it later.
 *
 * @param before - the graph in which they still are
 * @param ids - of those that go
 */
export async function recordGone(
  db: Db,
  before: Pick<Effective, 'projectId' | 'under'>,
  ids: readonly string[],
  departure: { revision: number; at: number },
): Promise<void> {
  if (ids.length === 0) return;
  const { projectId } = before;
  const judged = await db
    .selectDistinct({ fingerprint: validations.fingerprint })
    .from(validations)
    .where(eq(validations.projectId, projectId));
  const wanted = new Set(judged.map(({ fingerprint }) => fingerprint));
  // One of each profile that stories were judged under.
  const profiles = new Map([...wanted].map((one) => [profileOf(one), one]));
  const rows = ids.flatMap((storyId) =>
    [...profiles.values()].flatMap((stored) => {
      const fingerprint = before.under(storyId, stored);
      if (fingerprint === undefined || !wanted.has(fingerprint)) return [];
      return [{ projectId, storyId, fingerprint, ...departure }];
    }),
  );
  for (const some of chunksOf(rows, BATCH_SIZE)) await db.insert(goneStories).values(some);
}

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

/**
 * The periods in which additions of a project were active, by the ids of their stories. They follow from
 * the moves: one that the sources took up may be deleted long after.
 */
export async function additionPeriods(db: Db, projectId: string): Promise<Map<string, Period[]>> {
  const { storyId, fromState, toState, at, seq } = overlayChanges;
  const moves = await db
    .select({ storyId, toState, at })
    .from(overlayChanges)
    .where(
      and(
        eq(overlayChanges.projectId, projectId),
        or(eq(fromState, 'active'), eq(toState, 'active')),
      ),
    )
    .orderBy(asc(seq));
  return periodsOf(moves);
}

export function periodsOf(
  moves: readonly Pick<OverlayChangeRow, 'storyId' | 'toState' | 'at'>[],
): Map<string, Period[]> {
  const periods = new Map<string, Period[]>();
  for (const { storyId, toState, at } of moves) {
    const own = periods.get(storyId) ?? [];
    periods.set(storyId, own);
    const last = own.at(-1);
    if (toState !== 'active') {
      if (last) last.until = Math.max(last.from, at);
    } else if (last?.until !== Infinity) {
      // Clocks of requests are not in the order of their writes.
      own.push({ from: Math.max(at, last?.until ?? at), until: Infinity });
    }
  }
  return periods;
}

type Judged = Pick<AssuranceState, 'validationsOf' | 'effective'>;

interface GoneVerdicts {
  at: ReadonlyMap<string, number>;
  texts: ReadonlySet<string>;
  /** Fingerprint and deep fingerprint of one verdict of each pair of profiles. */
  profiles: readonly (readonly [own: string, deep: string])[];
  /** By both: the newest that a person said first, but for those that it passed. */
  refused: ReadonlyMap<string, ValidationRow>;
}

const cache = new WeakMap<Judged['validationsOf'], GoneVerdicts>();

function goneVerdicts({ validationsOf, effective }: Judged): GoneVerdicts {
  const { at } = effective.index;
  const known = cache.get(validationsOf);
  if (known?.at === at) return known;
  const texts = new Set<string>();
  const profiles = new Map<string, readonly [string, string]>();
  const refused = new Map<string, ValidationRow>();
  for (const [id, verdicts] of validationsOf) {
    const last = verdicts.at(-1);
    if (!last || storyOf(effective, id)) continue;
    const { fingerprint, deepFingerprint } = last;
    texts.add(fingerprint);
    profiles.set(`${profileOf(fingerprint)} ${profileOf(deepFingerprint)}`, [
      fingerprint,
      deepFingerprint,
    ]);
    if (last.verdict === 'passed' || originalJudge(validationsOf, last) !== 'person') continue;
    const key = `${fingerprint} ${deepFingerprint}`;
    if ((refused.get(key)?.seq ?? 0) < last.seq) refused.set(key, last);
  }
  const made = { at, texts, profiles: [...profiles.values()], refused };
  cache.set(validationsOf, made);
  return made;
}

export function hasGone(state: Judged): boolean {
  return goneVerdicts(state).texts.size > 0;
}

/** Whether a story that nobody has judged may be one that is gone, and was judged last on its text. */
export function mayBeRenamed(state: Judged, storyId: string): boolean {
  if (state.validationsOf.has(storyId)) return false;
  const { texts, profiles } = goneVerdicts(state);
  return profiles.some(([own]) => texts.has(state.effective.under(storyId, own) ?? ''));
}

/**
 * What a person said last of a story that is gone, other than that it passed, where that said what a
 * story and all it rests on say today: under whatever name, a person decides.
 *
 * @returns undefined where this story was judged since on what it says today
 */
export function refusedBefore(
  { validationsOf, effective }: Judged,
  storyId: string,
): ValidationRow | undefined {
  const { profiles, refused } = goneVerdicts({ validationsOf, effective });
  if (refused.size === 0) return undefined;
  const alike = profiles.flatMap(
    (pair) => refused.get(pair.map((stored) => effective.under(storyId, stored)).join(' ')) ?? [],
  );
  const newest = alike.sort((a, b) => a.seq - b.seq).at(-1);
  const own = validationsOf.get(storyId)?.findLast((row) => matchesCurrent(effective, row));
  return newest && newest.seq > (own?.seq ?? 0) ? newest : undefined;
}

function profileOf(fingerprint: string): string {
  return fingerprint.slice(0, fingerprint.indexOf(':'));
}

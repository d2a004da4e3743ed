// Walks through pages of a project's stories, whatever revisions come between the pages: a cursor
// names the revision at which its walk began, and each page goes by the order of that.
import { and, eq, gt } from 'drizzle-orm';
import { invalid, type Problem } from '../../errors.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { readRevision } from '../../requirements/projects/read-revision.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { Db } from '../../store/database.ts';
import { overlayChanges, storyAdditions } from '../../store/tables/assurance.ts';
import { isAbsorption } from '../overlay/absorbed-additions.ts';
import { addedKey, firstKey, type WalkKeys, walkKeys } from './walk-keys.ts';

/** Where a walk stands, as a cursor says it. */
export interface WalkPlace {
  /** The revision at which it began, then those that brought what it has come by since. */
  revisions: readonly number[];
  /** The key of the story seen last. */
  key: number;
  /** What the list says beside it. */
  beside: number;
}

/** The order of a walk. */
export interface Walk extends WalkKeys {
  revisions: readonly number[];
  /** Whether lists in source order are in the order of the walk. */
  isToday: boolean;
}

/** What comes with yet another revision is in no walk that has met so many. */
const REVISIONS_MOST = 4;
const ANCHOR = /^(?:0|[1-9]\d{0,14})(?:\.[1-9]\d{0,14}){0,3}~(?:0|[1-9]\d{0,14})$/;

/** Reads what a cursor says. @throws Problem `invalid` for what no walk is called */
export function placeOfWalk(
  seen: { key: number; anchor: string | undefined } | undefined,
): WalkPlace | undefined {
  if (!seen) return undefined;
  const { key, anchor = '' } = seen;
  if (!ANCHOR.test(anchor) || key < 0) throw noCursor();
  const [revisions = '', beside] = anchor.split('~');
  return { revisions: revisions.split('.').map(Number), key, beside: Number(beside) };
}

function noCursor(): Problem {
  return invalid('/cursor', 'is not a cursor of this service');
}

/** What a cursor says beside the key. */
export function anchorOf(walk: Walk, key: number, beside: number): string {
  return `${walk.revisions.slice(0, walk.restsOn(key)).join('.')}~${beside}`;
}

const kept = new WeakMap<Effective, Map<string, Walk>>();
const KEPT = 4;

/**
 * The order of a walk.
 *
 * @param effective - what is walked through
 * @param place - where it stands; undefined where it begins
 * @throws Problem `invalid` for a revision that there is not
 */
export async function walkThrough(
  requirements: Requirements,
  effective: Effective,
  place: WalkPlace | undefined,
): Promise<Walk> {
  const current = effective.revision?.number ?? 0;
  const named = place?.revisions ?? [current];
  const isKnown = named.includes(current) || named.length === REVISIONS_MOST;
  const revisions = isKnown ? named : [...named, current];
  const known = kept.get(effective) ?? new Map<string, Walk>();
  kept.set(effective, known);
  const name = revisions.join('.');
  const before = known.get(name);
  if (before) return before;
  const isToday = revisions.length === 1 && revisions[0] === current;
  const keys = isToday ? keysOfToday(effective) : await keysOf(requirements, effective, revisions);
  const walk = { ...keys, revisions, isToday };
  known.set(name, walk);
  for (const oldest of known.keys()) {
    if (known.size <= KEPT) break;
    known.delete(oldest);
  }
  return walk;
}

function keysOfToday({ canonical, additions }: Effective): WalkKeys {
  const seqs = activeSeqs(additions);
  return {
    keyOf(storyId) {
      const place = canonical.at.get(storyId);
      if (place !== undefined) return firstKey(place);
      const seq = seqs.get(storyId);
      return seq === undefined ? undefined : addedKey(seq);
    },
    isFirst: () => true,
    restsOn: () => 1,
  };
}

async function keysOf(
  requirements: Requirements,
  { projectId, revision, canonical, additions }: Effective,
  revisions: readonly number[],
): Promise<WalkKeys> {
  const layers = await Promise.all(
    revisions.map((number) =>
      number === revision?.number
        ? canonical.at.keys()
        : idsOf(requirements, projectId, number, revision?.number ?? 0),
    ),
  );
  const seqs = await absorbedSince(requirements.database.read, projectId, revisions[0] ?? 0);
  for (const [storyId, seq] of activeSeqs(additions)) seqs.set(storyId, seq);
  return walkKeys(layers, (storyId) => seqs.get(storyId));
}

async function idsOf(
  requirements: Requirements,
  projectId: string,
  number: number,
  current: number,
): Promise<string[]> {
  if (number === 0) return [];
  if (number > current) throw noCursor();
  const revision = await readRevision(requirements, projectId, number);
  const graph = revision && (await requirements.graphs.graph(revision));
  return graph?.nodes.map(({ id }) => id) ?? [];
}

function activeSeqs(additions: Effective['additions']): Map<string, number> {
  const active = additions.filter(({ state }) => state === 'active');
  return new Map(active.map(({ storyId, seq }) => [storyId, seq]));
}

/** The additions in force that a later revision has taken up: their stories are still there. */
async function absorbedSince(
  db: Db,
  projectId: string,
  revision: number,
): Promise<Map<string, number>> {
  const rows = await db
    .select({ storyId: storyAdditions.storyId, seq: storyAdditions.seq })
    .from(storyAdditions)
    .innerJoin(
      overlayChanges,
      and(
        isAbsorption(projectId),
        eq(overlayChanges.fromState, 'active'),
        gt(overlayChanges.revision, revision),
      ),
    )
    .where(eq(storyAdditions.projectId, projectId));
  return new Map(rows.map(({ storyId, seq }) => [storyId, seq]));
}

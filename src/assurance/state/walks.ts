// Pages of a project's stories go in the order of one revision: a cursor names it and the position of
// the item seen last, and the list goes on there to its end, whatever is imported meanwhile. Additions
// follow in the order in which they were made.
import { asc, eq } from 'drizzle-orm';
import { invalid } from '../../errors.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { Db } from '../../store/database.ts';
import { storyAdditions } from '../../store/tables/assurance.ts';

/** The order of pages, in the API document. */
export const WALK_TEXT =
  'Pages go in the order of the revision at which the first of them was read, to its end, whatever is imported or written ' +
  'between them; additions follow in the order in which they were made.';

export interface WalkPlace {
  revision: number;
  key: number;
  /** The list's own number beside it. */
  beside: number;
}

export type Walk = Awaited<ReturnType<typeof walkThrough>>;

const ADDED = 2 ** 50;
export const GONE_KEY = 2 ** 51;

const ANCHOR = /^(?:0|[1-9]\d{0,14})~(?:0|[1-9]\d{0,14})$/;

export function placeOfWalk(
  seen: { key: number; anchor: string | undefined } | undefined,
): WalkPlace | undefined {
  if (!seen) return undefined;
  const { key, anchor = '' } = seen;
  if (!ANCHOR.test(anchor) || key < 0) throw noCursor();
  const [revision = 0, beside = 0] = anchor.split('~').map(Number);
  return { revision, key, beside };
}

const noCursor = () => invalid('/cursor', 'is not a cursor of this service');

export function anchorOf({ revision }: Walk, beside: number): string {
  return `${revision}~${beside}`;
}

/** @param place - of the item seen last; undefined for the first page */
export async function walkThrough(
  { database, graphs }: Requirements,
  effective: Effective,
  place: WalkPlace | undefined,
) {
  const { projectId, canonical } = effective;
  const current = effective.revision?.number ?? 0;
  const revision = place?.revision ?? current;
  if (revision > current) throw noCursor();
  let { nodes } = canonical.graph;
  let at = canonical.at;
  if (revision !== current) {
    const row = revision === 0 ? undefined : await graphs.revision(projectId, revision);
    nodes = row ? (await graphs.graph(row)).nodes : [];
    at = new Map(nodes.map(({ id }, nodeAt) => [id, nodeAt]));
  }
  const additions = await additionsOf(database.read, effective);
  const keyOf = (storyId: string) => {
    const seq = at.has(storyId) ? undefined : additions.get(storyId);
    return seq === undefined ? at.get(storyId) : ADDED + seq;
  };
  return {
    revision,
    keyOf,
    /** The stories from a key on, that included. */
    *from(first: number): Generator<{ key: number; storyId: string }> {
      for (let key = first; key < nodes.length; key += 1)
        yield { key, storyId: nodes[key]?.id ?? '' };
      for (const [storyId, seq] of additions) {
        if (ADDED + seq >= first && !at.has(storyId)) yield { key: ADDED + seq, storyId };
      }
    },
  };
}

const additionsKnown = new WeakMap<Effective, Promise<ReadonlyMap<string, number>>>();

/** The numbers of all additions there ever were by their stories, in the order of the numbers. */
function additionsOf(db: Db, effective: Effective): Promise<ReadonlyMap<string, number>> {
  const known = additionsKnown.get(effective) ?? readAdditions(db, effective.projectId);
  additionsKnown.set(effective, known);
  return known;
}

async function readAdditions(db: Db, projectId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .select({ storyId: storyAdditions.storyId, seq: storyAdditions.seq })
    .from(storyAdditions)
    .where(eq(storyAdditions.projectId, projectId))
    .orderBy(asc(storyAdditions.seq));
  // Of a story that was added again the last one counts, and it stands there.
  const latest = new Map(rows.map(({ storyId, seq }) => [storyId, seq]));
  return new Map([...latest].sort(([, a], [, b]) => a - b));
}

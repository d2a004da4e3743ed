// The effective graph as it was: a revision with the edits and additions that were in force, by the
// moves on record.
import { and, asc, eq, inArray, lte } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import {
  overlayChanges,
  type StoryAdditionRow,
  type StoryEditRow,
  storyAdditions,
  storyEdits,
} from '../../store/tables/assurance.ts';
import { type Effective, effectiveOf } from './effective.ts';
import { fieldsOfPrefix } from './fingerprint.ts';
import { type GraphIndex, indexGraph } from './graph-index.ts';
import type { Graphs } from './graphs.ts';

export interface AsOf {
  revision: number;
  /** The clock of the edits and additions laid on it; null where the sources alone are meant. */
  overlayClock: number | null;
  /** What fingerprints covered, as their prefix; null where that of the revision is meant. */
  profile: string | null;
}

interface Reading {
  graphs: Graphs;
  db: Db;
}

const MAX_CACHED = 2;
const cached = new WeakMap<Graphs, Map<string, Effective>>();

/**
 * The effective graph of a project at a time, its fingerprints made as they were then.
 *
 * @throws Problem `not_found` for a revision that there is not
 */
export async function effectiveAsOf(
  { graphs, db }: Reading,
  today: Effective,
  { revision, overlayClock, profile }: AsOf,
): Promise<Effective> {
  const { projectId, settings } = today;
  const key = JSON.stringify([projectId, revision, overlayClock, profile, settings.normative]);
  const known = cached.get(graphs) ?? new Map<string, Effective>();
  cached.set(graphs, known);
  const before = known.get(key);
  if (before) return before;
  const [row, canonical] = await canonicalOf(graphs, today, revision);
  const overlays = await overlaysAt(db, projectId, overlayClock);
  const normative = fieldsOfPrefix(profile ?? canonical.graph.nodes[0]?.fingerprint ?? '');
  const made = effectiveOf({
    projectId,
    revision: row,
    canonical,
    ...overlays,
    settings: normative ? { ...settings, normative } : settings,
    overlayClock: overlayClock ?? 0,
  });
  known.set(key, made);
  const [oldest = ''] = known.keys();
  if (known.size > MAX_CACHED) known.delete(oldest);
  return made;
}

async function canonicalOf(
  graphs: Graphs,
  { projectId, revision: latest, canonical }: Effective,
  number: number,
): Promise<[Effective['revision'], GraphIndex]> {
  if (number === 0) return [undefined, indexGraph({ nodes: [], edges: [] })];
  const row = await graphs.revision(projectId, number);
  if (row.graphSha256 === latest?.graphSha256) return [row, canonical];
  return [row, indexGraph(await graphs.graph(row))];
}

type Overlays = Pick<Effective, 'edits' | 'additions'>;

const IDS_AT_ONCE = 500;

/** The edits and additions that were in force; edits in the order in which they had come into it. */
async function overlaysAt(
  db: Db,
  projectId: string,
  overlayClock: number | null,
): Promise<Overlays> {
  if (overlayClock === null) return { edits: [], additions: [] };
  const moves = await db
    .select({ id: overlayChanges.overlayId, to: overlayChanges.toState })
    .from(overlayChanges)
    .where(and(eq(overlayChanges.projectId, projectId), lte(overlayChanges.seq, overlayClock)))
    .orderBy(asc(overlayChanges.seq));
  const inForce = new Set<string>();
  for (const { id, to } of moves) {
    if (to === 'accepted' || to === 'active') inForce.add(id);
    else inForce.delete(id);
  }
  const ids = [...inForce];
  const edits: StoryEditRow[] = [];
  const additions: StoryAdditionRow[] = [];
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const some = ids.slice(from, from + IDS_AT_ONCE);
    edits.push(...(await db.select().from(storyEdits).where(inArray(storyEdits.id, some))));
    additions.push(
      ...(await db.select().from(storyAdditions).where(inArray(storyAdditions.id, some))),
    );
  }
  const place = new Map(ids.map((id, at) => [id, at]));
  const inOrder = (a: { id: string }, b: { id: string }) =>
    (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0);
  return {
    edits: edits.map((row) => ({ ...row, state: 'accepted' })).sort(inOrder),
    additions: additions.map((row) => ({ ...row, state: 'active' })).sort((a, b) => a.seq - b.seq),
  };
}

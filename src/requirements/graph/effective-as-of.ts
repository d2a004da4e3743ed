// The effective graph as it was: a revision with the edits and additions that were in force, by the
// moves on record.
import { and, asc, eq, getTableColumns, lte, max, ne } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { overlayChanges, storyAdditions, storyEdits } from '../../store/tables/assurance.ts';
import { type Effective, effectiveOf } from './effective.ts';
import { fieldsOfPrefix } from './fingerprint.ts';
import { indexGraph } from './graph-index.ts';
import type { Graphs } from './graphs.ts';

export interface AsOf {
  revision: number;
  /** The clock of the edits and additions laid on it; null where the sources alone are meant. */
  overlayClock: number | null;
  /** What fingerprints covered, as their prefix; null where that of the revision is meant. */
  profile: string | null;
}

const MAX_CACHED = 2;
const cached = new WeakMap<Graphs, Map<string, Effective>>();

/**
 * The effective graph of a project at a time, its fingerprints made as they were then.
 * @throws Problem `not_found` for a revision that there is not
 */
export async function effectiveAsOf(
  { graphs, db }: { graphs: Graphs; db: Db },
  today: Effective,
  asOf: AsOf,
): Promise<Effective> {
  const { projectId, settings } = today;
  const known = cached.get(graphs) ?? new Map<string, Effective>();
  cached.set(graphs, known);
  const { revision: number, overlayClock, profile } = asOf;
  const key = JSON.stringify([projectId, number, overlayClock, profile, settings.normative]);
  const before = known.get(key);
  if (before) return before;
  const revision = number === 0 ? undefined : await graphs.revision(projectId, number);
  const canonical =
    revision && revision.graphSha256 === today.revision?.graphSha256
      ? today.canonical
      : indexGraph(revision ? await graphs.graph(revision) : { nodes: [], edges: [] });
  const normative = fieldsOfPrefix(profile ?? canonical.graph.nodes[0]?.fingerprint ?? '');
  const made = effectiveOf({
    projectId,
    revision,
    canonical,
    ...(await overlaysAt(db, projectId, overlayClock ?? 0)),
    settings: normative ? { ...settings, normative } : settings,
    overlayClock: overlayClock ?? 0,
  });
  known.set(key, made);
  const [oldest = ''] = known.keys();
  if (known.size > MAX_CACHED) known.delete(oldest);
  return made;
}

/** The edits and additions that were in force; edits in the order in which they had come into it. */
async function overlaysAt(db: Db, projectId: string, clock: number) {
  const { overlayId, toState, seq, event } = overlayChanges;
  // SQLite gives the other columns of the row that has the maximum.
  const last = db
    .select({ id: overlayId, state: toState, seq: max(seq).as('last_seq') })
    .from(overlayChanges)
    // What merely changed stays where it is.
    .where(and(eq(overlayChanges.projectId, projectId), lte(seq, clock), ne(event, 'changed')))
    .groupBy(overlayId)
    .as('last');
  const edits = await db
    .select(getTableColumns(storyEdits))
    .from(storyEdits)
    .innerJoin(last, and(eq(last.id, storyEdits.id), eq(last.state, 'accepted')))
    .orderBy(asc(last.seq));
  const additions = await db
    .select(getTableColumns(storyAdditions))
    .from(storyAdditions)
    .innerJoin(last, and(eq(last.id, storyAdditions.id), eq(last.state, 'active')))
    .orderBy(storyAdditions.seq);
  return {
    edits: edits.map((row) => ({ ...row, state: 'accepted' as const })),
    additions: additions.map((row) => ({ ...row, state: 'active' as const })),
  };
}

// The effective graph of each project, cached until something that it is made of changes.
import { and, asc, eq, getTableColumns, inArray, lte, max, ne } from 'drizzle-orm';
import { dropIdle } from '../../runtime/idle.ts';
import { runInSlices } from '../../runtime/scheduler.ts';
import { keyedLock } from '../../store/client/keyed-lock.ts';
import type { Database, Db } from '../../store/database.ts';
import {
  overlayChanges,
  type StoryAdditionRow,
  type StoryEditRow,
  storyAdditions,
  storyEdits,
} from '../../store/tables/assurance.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { applyOverlays } from '../overlay/apply.ts';
import { overlayClock } from '../overlay/changes.ts';
import { type ContentVersions, getProject, readContentVersions } from '../projects/projects.ts';
import { readSettings, type Settings } from '../projects/settings.ts';
import { looksLikeId } from '../sources/item-ids.ts';
import type { GraphDiff } from './diff.ts';
import { fieldsOfPrefix, fingerprintPrefix } from './fingerprint.ts';
import { type GraphIndex, indexSteps } from './graph-index.ts';
import type { Graphs } from './graphs.ts';
import { type Graph, type GraphNode, isNormative } from './model.ts';

interface Parts {
  projectId: string;
  /** The latest revision; undefined before the first. */
  revision: RevisionRow | undefined;
  settings: Settings;
  canonical: GraphIndex;
  /** Edits that are proposed, accepted or conflicted, the oldest decision first. */
  edits: readonly StoryEditRow[];
  overlayClock: number;
  additions: readonly StoryAdditionRow[];
}

export interface Effective extends Parts {
  index: GraphIndex;
  node(id: string): GraphNode | undefined;
  /**
   * Today's fingerprint of a node, plain or deep (`d1.`), made the way a stored one was: equal
   * where the content is that of then. Undefined where the node is gone, or the algorithm is not
   * known.
   */
  under(id: string, stored: string): string | undefined;
  /** The effective graph with fingerprints made the way a stored one was; undefined as above. */
  indexUnder(stored: string): GraphIndex | undefined;
}

export type EffectiveGraphs = ReturnType<typeof openEffectiveGraphs>;

export const MAX_CACHED = { projects: 16, nodes: 150_000 };

export function evictOldest<T>(cached: Map<string, T>, nodesOf: (one: T) => number): void {
  let nodes = 0;
  for (const one of cached.values()) nodes += nodesOf(one);
  for (const [oldest, one] of cached) {
    const fits = cached.size <= MAX_CACHED.projects && nodes <= MAX_CACHED.nodes;
    if (fits || cached.size <= 1) return;
    nodes -= nodesOf(one);
    cached.delete(oldest);
  }
}

const EMPTY: Graph = { nodes: [], edges: [] };

export function openEffectiveGraphs({ database }: { database: Database }, graphs: Graphs) {
  const cached = new Map<string, { version: number; value: Promise<Effective>; nodes: number }>();
  const indexes = new WeakMap<Graph, GraphIndex>();
  database.onRecovered(() => cached.clear());

  async function load(projectId: string): Promise<Effective> {
    const { read } = database;
    const project = await getProject(read, projectId);
    const revision =
      project.revision > 0 ? await graphs.revision(projectId, project.revision) : undefined;
    const graph = revision ? await graphs.graph(revision) : EMPTY;
    const canonical = indexes.get(graph) ?? (await runInSlices(indexSteps(graph)));
    indexes.set(graph, canonical);
    return effectiveOf({
      projectId,
      revision,
      settings: readSettings(project.settings),
      canonical,
      overlayClock: await overlayClock(read, projectId),
      edits: await openEdits(read, projectId),
      additions: await openAdditions(read, projectId),
    });
  }

  function make(projectId: string, version: number) {
    const entry = { version, value: load(projectId), nodes: 0 };
    entry.value.then(
      ({ index }) => {
        entry.nodes = index.graph.nodes.length;
        evictOldest(cached, ({ nodes }) => nodes);
      },
      () => {
        if (cached.get(projectId) === entry) cached.delete(projectId);
      },
    );
    return entry;
  }

  return {
    /** @param versions - of the project, where they have been read already */
    async of(projectId: string, versions?: ContentVersions): Promise<Effective> {
      // Read first: a change that comes while the rest is read makes another version.
      const { graph: version } = versions ?? (await readContentVersions(database, projectId));
      const known = cached.get(projectId);
      const entry = known?.version === version ? known : make(projectId, version);
      cached.delete(projectId);
      cached.set(projectId, entry);
      return entry.value;
    },
    /**
     * Runs work alone among all that changes what a project's stories say or how they were judged,
     * in the order of the calls; imports do not wait.
     */
    alone: keyedLock(),
  };
}

export function effectiveOf(parts: Parts): Effective {
  const overlays = overlaysOf(parts);
  return withIndex(parts, applyOverlays(parts.canonical, overlays, overlays.normative));
}

/** What is in force of a project's edits and additions. */
export function overlaysOf({ settings: { normative }, edits, additions }: Parts) {
  return {
    normative,
    edits: edits
      .filter(({ state }) => state === 'accepted')
      .map(({ storyId, setFields }) => ({ storyId, set: setFields })),
    additions: additions.filter(({ state }) => state === 'active'),
  };
}

/** The verdicts of a project that hold before and not after. */
export type CostsOf = (
  projectId: string,
  before: Effective,
  after: Effective,
) => Promise<GraphDiff['verdicts']>;

export function withoutOverlays(effective: Effective): Effective {
  return withIndex(effective, effective.canonical);
}

function withIndex(parts: Parts, index: GraphIndex): Effective {
  const profiles = new Map<string, GraphIndex>();
  function indexUnder(stored: string): GraphIndex | undefined {
    const known = profiles.get(stored.slice(1, stored.indexOf(':') + 1));
    if (known) return known;
    const fields = fieldsOfPrefix(stored);
    if (!fields) return undefined;
    // A caller may name the fields in any order, and some of them twice.
    const profile = fingerprintPrefix(fields).slice(1);
    const none = { edits: [], additions: [] };
    const made = profiles.get(profile) ?? applyOverlays(index, none, fields);
    profiles.set(profile, made);
    return made;
  }
  return {
    ...parts,
    index,
    node: (id) => index.graph.nodes[index.at.get(id) ?? -1],
    under(id, stored) {
      const place = index.at.get(id) ?? -1;
      const field = stored.startsWith('d') ? 'deepFingerprint' : 'fingerprint';
      // Nearly all are made as today's are, and need not be made anew.
      if (index.graph.nodes[place]?.[field] === stored) return stored;
      return indexUnder(stored)?.graph.nodes[place]?.[field];
    },
    indexUnder,
  };
}

/** Edits that are proposed, accepted or conflicted, in the order of their decisions. */
export async function openEdits(db: Db, ofProject: string): Promise<StoryEditRow[]> {
  const { projectId, state, decidedAt, seq } = storyEdits;
  return db
    .select()
    .from(storyEdits)
    .where(and(eq(projectId, ofProject), inArray(state, ['proposed', 'accepted', 'conflicted'])))
    .orderBy(asc(decidedAt), asc(seq));
}

/** Additions that are proposed or active, the oldest first. */
export async function openAdditions(db: Db, ofProject: string): Promise<StoryAdditionRow[]> {
  const { projectId, state, seq } = storyAdditions;
  return db
    .select()
    .from(storyAdditions)
    .where(and(eq(projectId, ofProject), inArray(state, ['proposed', 'active'])))
    .orderBy(asc(seq));
}

const unlikely = new WeakMap<Graph, ReadonlySet<string>>();

/**
 * The normative ids that look like none, such as `LOGIN` or `12`: who looks for ids in texts has to
 * know them.
 */
export function unlikelyIds({ index: { graph } }: Pick<Effective, 'index'>): ReadonlySet<string> {
  const known = unlikely.get(graph);
  if (known) return known;
  const found = graph.nodes.filter((node) => isNormative(node) && !looksLikeId(node.id));
  const made = new Set(found.map(({ id }) => id));
  unlikely.set(graph, made);
  return made;
}

/** A revision as its sources had it, without what was laid on it, under the settings of today. */
export async function effectiveAt(
  graphs: Graphs,
  today: Effective,
  number: number,
): Promise<Effective> {
  const revision = await graphs.revision(today.projectId, number);
  return effectiveOf({
    ...today,
    revision,
    canonical: await canonicalOf(graphs, today, revision),
    edits: [],
    additions: [],
    overlayClock: 0,
  });
}

export interface AsOf {
  revision: number;
  /** The clock of the edits and additions laid on it; null where the sources alone are meant. */
  overlayClock: number | null;
  /** What fingerprints covered, as their prefix; null where that of the revision is meant. */
  profile: string | null;
}

async function canonicalOf(
  graphs: Graphs,
  { revision: latest, canonical }: Effective,
  revision: RevisionRow | undefined,
): Promise<GraphIndex> {
  if (revision && revision.graphSha256 === latest?.graphSha256) return canonical;
  return runInSlices(indexSteps(revision ? await graphs.graph(revision) : EMPTY));
}

const MAX_PAST = 2;
const past = new WeakMap<Graphs, ReturnType<typeof openPast>>();

function openPast() {
  const known = new Map<string, Effective>();
  return { known, touch: dropIdle(known) };
}

/** The effective graph of a project at a time, its fingerprints made as they were then. */
export async function effectiveAsOf(
  { graphs, db }: { graphs: Graphs; db: Db },
  today: Effective,
  asOf: AsOf,
): Promise<Effective> {
  const { projectId, settings } = today;
  const { known, touch } = past.get(graphs) ?? openPast();
  past.set(graphs, { known, touch });
  const { revision: number, overlayClock, profile } = asOf;
  const key = JSON.stringify([projectId, number, overlayClock, profile, settings.normative]);
  const before = known.get(key);
  if (before) {
    touch(before);
    return before;
  }
  const revision = number === 0 ? undefined : await graphs.revision(projectId, number);
  const canonical = await canonicalOf(graphs, today, revision);
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
  touch(made);
  const [oldest = ''] = known.keys();
  if (known.size > MAX_PAST) known.delete(oldest);
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

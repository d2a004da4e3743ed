// The effective graph of each project, cached until something that it is made of changes.
import { and, asc, eq, inArray } from 'drizzle-orm';
import { keyedLock } from '../../store/client/keyed-lock.ts';
import type { Database, Db } from '../../store/database.ts';
import {
  type StoryAdditionRow,
  type StoryEditRow,
  storyAdditions,
  storyEdits,
} from '../../store/tables/assurance.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { applyOverlays, type Overlays } from '../overlay/apply.ts';
import { overlayClock } from '../overlay/changes.ts';
import type { AdditionContent, EditContent } from '../overlay/model.ts';
import { readContentVersions } from '../projects/content-versions.ts';
import { getProject } from '../projects/projects.ts';
import { readSettings, type Settings } from '../projects/settings.ts';
import { looksLikeId } from '../sources/item-ids.ts';
import { fieldsOfPrefix, fingerprintPrefix } from './fingerprint.ts';
import { type GraphIndex, indexGraph } from './graph-index.ts';
import type { Graphs } from './graphs.ts';
import { type Graph, type GraphNode, isNormative } from './model.ts';

export interface Effective {
  projectId: string;
  /** The latest revision; undefined before the first. */
  revision: RevisionRow | undefined;
  settings: Settings;
  /** The graph of the revision as the sources give it. */
  canonical: GraphIndex;
  /** The same with accepted edits and active additions. */
  index: GraphIndex;
  /** Edits that are proposed, accepted or conflicted, the oldest decision first. */
  edits: readonly StoryEditRow[];
  /** Counts up with every move of an overlay. */
  overlayClock: number;
  /** Additions that are proposed or active. */
  additions: readonly StoryAdditionRow[];
  node(id: string): GraphNode | undefined;
  /**
   * Today's fingerprint of a node, made the way a stored one was: the two are equal where its
   * content is that of then. Works for deep fingerprints (`d1.`) too.
   *
   * @returns undefined where the node is gone, or the stored one is of no known algorithm
   */
  under(id: string, stored: string): string | undefined;
  /**
   * The effective graph with all fingerprints made the way a stored one was; made once.
   *
   * @returns undefined where the stored one is of no known algorithm
   */
  indexUnder(stored: string): GraphIndex | undefined;
}

export interface EffectiveGraphs {
  of(projectId: string): Promise<Effective>;
  /**
   * Runs work alone among all that changes what a project's stories say or how they were judged, in
   * the order of the calls; imports do not wait.
   */
  alone<T>(projectId: string, work: () => Promise<T>): Promise<T>;
}

const EMPTY: Graph = { nodes: [], edges: [] };
const NO_OVERLAYS: Overlays = { edits: [], additions: [] };
export const MAX_CACHED = { projects: 16, nodes: 150_000 };

/** Drops those unused for longest, until what is left is within the bounds. */
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

export function openEffectiveGraphs(
  { database }: { database: Database },
  graphs: Graphs,
): EffectiveGraphs {
  const cached = new Map<string, { version: number; value: Promise<Effective>; nodes: number }>();
  const indexes = new WeakMap<Graph, GraphIndex>();
  database.onRecovered(() => cached.clear());

  function canonicalIndex(graph: Graph): GraphIndex {
    const index = indexes.get(graph) ?? indexGraph(graph);
    indexes.set(graph, index);
    return index;
  }

  async function load(projectId: string): Promise<Effective> {
    const { read } = database;
    const project = await getProject(read, projectId);
    const revision =
      project.revision > 0 ? await graphs.revision(projectId, project.revision) : undefined;
    const graph = revision ? await graphs.graph(revision) : EMPTY;
    const clock = await overlayClock(read, projectId);
    return effectiveOf({
      projectId,
      revision,
      settings: readSettings(project.settings),
      canonical: canonicalIndex(graph),
      edits: await openEdits(read, projectId),
      additions: await openAdditions(read, projectId),
      overlayClock: clock,
    });
  }

  return {
    async of(projectId) {
      // Read first: a change that comes while the rest is read makes another version.
      const { graph: version } = await readContentVersions(database.read, projectId);
      let entry = cached.get(projectId);
      cached.delete(projectId);
      if (entry?.version !== version) entry = undefined;
      if (entry === undefined) {
        const made = { version, value: load(projectId), nodes: 0 };
        entry = made;
        made.value.then(
          ({ index }) => {
            made.nodes = index.graph.nodes.length;
            evictOldest(cached, ({ nodes }) => nodes);
          },
          () => {
            if (cached.get(projectId) === made) cached.delete(projectId);
          },
        );
      }
      cached.set(projectId, entry);
      return entry.value;
    },
    alone: keyedLock(),
  };
}

type Parts = Omit<Effective, 'index' | 'node' | 'under' | 'indexUnder'>;

export function effectiveOf(parts: Parts): Effective {
  const accepted = parts.edits.filter(({ state }) => state === 'accepted').map(editContent);
  const active = parts.additions.filter(({ state }) => state === 'active').map(additionContent);
  const { canonical, settings } = parts;
  const index = applyOverlays(
    canonical,
    { edits: accepted, additions: active },
    settings.normative,
  );
  return withIndex(parts, index);
}

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
    const made = profiles.get(profile) ?? applyOverlays(index, NO_OVERLAYS, fields);
    profiles.set(profile, made);
    return made;
  }
  return {
    ...parts,
    index,
    node(id) {
      const place = index.at.get(id);
      return place === undefined ? undefined : index.graph.nodes[place];
    },
    under(id, stored) {
      const place = index.at.get(id);
      const node = place === undefined ? undefined : indexUnder(stored)?.graph.nodes[place];
      return stored.startsWith('d') ? node?.deepFingerprint : node?.fingerprint;
    },
    indexUnder,
  };
}

/** Edits that are proposed, accepted or conflicted, in the order of their decisions. */
export async function openEdits(db: Db, projectId: string): Promise<StoryEditRow[]> {
  const states = ['proposed', 'accepted', 'conflicted'];
  const rows = await db
    .select()
    .from(storyEdits)
    .where(and(eq(storyEdits.projectId, projectId), inArray(storyEdits.state, states)))
    .orderBy(asc(storyEdits.seq));
  return rows.sort((a, b) => (a.decidedAt ?? 0) - (b.decidedAt ?? 0) || a.seq - b.seq);
}

/** Additions that are proposed or active, the oldest first. */
export async function openAdditions(db: Db, projectId: string): Promise<StoryAdditionRow[]> {
  return db
    .select()
    .from(storyAdditions)
    .where(
      and(
        eq(storyAdditions.projectId, projectId),
        inArray(storyAdditions.state, ['proposed', 'active']),
      ),
    )
    .orderBy(asc(storyAdditions.seq));
}

export function editContent({ id, storyId, setFields }: StoryEditRow): EditContent {
  return { id, storyId, set: setFields };
}

export function additionContent(row: StoryAdditionRow): AdditionContent {
  const { id, storyId, parentId, title, statement } = row;
  return {
    id,
    storyId,
    parentId,
    title,
    statement,
    kind: row.kind as AdditionContent['kind'],
    acceptance: row.acceptance,
    links: row.links,
  };
}

const unlikely = new WeakMap<Graph, ReadonlySet<string>>();

/**
 * The ids of all that is normative in the effective graph but for those that look like ids, such as
 * `LOGIN` or `12`: who looks for ids in texts has to know them. Most projects have none.
 */
export function unlikelyIds({ index: { graph } }: Pick<Effective, 'index'>): ReadonlySet<string> {
  const made =
    unlikely.get(graph) ??
    new Set(
      graph.nodes.filter((node) => isNormative(node) && !looksLikeId(node.id)).map(({ id }) => id),
    );
  unlikely.set(graph, made);
  return made;
}

// What a new graph does to the stories of the one before.
import type { Graph } from '../graph/model.ts';
import { isNormative } from '../graph/model.ts';

/** Ids of stories, and how many there are: those of a large import are not all named. */
export interface NamedStories {
  count: number;
  ids: string[];
}

export interface GraphChanges {
  /** How many stories there were. */
  stories: number;
  added: NamedStories;
  removed: NamedStories;
  /** Those of another fingerprint. */
  changed: NamedStories;
}

const MAX_IDS = 100;

/** The stories of a graph by their fingerprints. */
export function fingerprintsOf({ nodes }: Pick<Graph, 'nodes'>): ReadonlyMap<string, string> {
  return new Map(nodes.filter(isNormative).map(({ id, fingerprint }) => [id, fingerprint]));
}

/** What became of the stories `before`, in the order of their graphs. */
export function graphChanges(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): GraphChanges {
  const gone = [...before.keys()].filter((id) => !after.has(id));
  const fresh = [...after.keys()].filter((id) => !before.has(id));
  const changed = [...after].flatMap(([id, fingerprint]) =>
    before.has(id) && before.get(id) !== fingerprint ? [id] : [],
  );
  const named = (ids: string[]): NamedStories => ({
    count: ids.length,
    ids: ids.slice(0, MAX_IDS),
  });
  return {
    stories: before.size,
    added: named(fresh),
    removed: named(gone),
    changed: named(changed),
  };
}

// What was derived of revisions as it is read: their graphs' bytes, made once at the import, and what was
// parsed of them, cached for the revisions that were asked for last.
import type { TokenRegistry } from '../../access/tokens.ts';
import type { Services } from '../../services.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import type { Finding } from '../audit/finding.ts';
import type { Catalog } from '../import/read-sources.ts';
import { getRevision } from '../projects/revisions.ts';
import { openDerivation } from './derive-again.ts';
import type { Graph } from './model.ts';

/** All that read content: @throws ContentGone */
export interface Graphs {
  /** A revision by its number. @throws Problem `not_found` */
  revision(projectId: string, number: number): Promise<RevisionRow>;
  /** The JSON of a revision's graph, `{ revision, nodes, edges }`. */
  bytes(revision: RevisionRow): Promise<Uint8Array<ArrayBuffer>>;
  graph(revision: Pick<RevisionRow, 'graphSha256' | 'graphBytes'>): Promise<Graph>;
  findings(revision: RevisionRow): Promise<Finding[]>;
  /** The scenarios and routes of a revision's sources; none for one that was made without. */
  catalog(revision: RevisionRow): Promise<Catalog>;
}

const MAX_REVISIONS = 1000;
const MAX_BYTES = 64 * 1024 * 1024;

/** A cache of contents that never change, of bounded size; those unused for longest go first. */
function createCache<T>(load: (sha256: string, bytes: number) => Promise<T>) {
  const cached = new Map<string, { value: Promise<T>; bytes: number }>();
  return (sha256: string, bytes: number): Promise<T> => {
    const known = cached.get(sha256);
    const entry = known ?? { value: load(sha256, bytes), bytes };
    cached.delete(sha256);
    cached.set(sha256, entry);
    if (known) return known.value;
    entry.value.catch(() => cached.get(sha256) === entry && cached.delete(sha256));
    let size = 0;
    for (const one of cached.values()) size += one.bytes;
    for (const [oldest, one] of cached) {
      if (size <= MAX_BYTES || oldest === sha256) break;
      size -= one.bytes;
      cached.delete(oldest);
    }
    return entry.value;
  };
}

export function openGraphs(services: Services): Graphs {
  const { files, database } = services;
  const deriveAgain = openDerivation(services);
  // Revisions never change.
  const revisions = new Map<string, RevisionRow>();
  const read = async (sha256: string, size: number) =>
    (await files.load(sha256, size)) ?? deriveAgain(sha256, size);
  const parse = async (sha256: string, size: number) =>
    JSON.parse(new TextDecoder().decode(await read(sha256, size)));
  const bytes = createCache(read);
  const graphs = createCache<Graph>(parse);
  const audits = createCache<Finding[]>(parse);
  const catalogs = createCache<Catalog>(parse);
  return {
    async revision(projectId, number) {
      const key = `${projectId} ${number}`;
      const known = revisions.get(key);
      if (known) return known;
      const row = await getRevision(database.read, projectId, number);
      if (revisions.size >= MAX_REVISIONS) revisions.clear();
      revisions.set(key, row);
      return row;
    },
    bytes: (revision) => bytes(revision.graphSha256, revision.graphBytes),
    graph: (revision) => graphs(revision.graphSha256, revision.graphBytes),
    findings: (revision) => audits(revision.auditSha256, revision.auditBytes),
    async catalog({ catalogSha256, catalogBytes }) {
      if (catalogSha256 === null) return { scenarios: [], routes: [] };
      return catalogs(catalogSha256, catalogBytes ?? 0);
    },
  };
}

/**
 * The revision that a read is about: the one that is asked for, else the latest.
 * @returns undefined where the project has none yet
 * @throws Problem `not_found` for a number that there is not
 */
export async function readRevision(
  { graphs, tokens }: { graphs: Graphs; tokens: TokenRegistry },
  projectId: string,
  number: number | undefined,
): Promise<RevisionRow | undefined> {
  const latest = tokens.project(projectId)?.revision ?? 0;
  if (latest === 0 && number === undefined) return undefined;
  return graphs.revision(projectId, number ?? latest);
}

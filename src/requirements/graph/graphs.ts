// The graphs of revisions as they are read: their bytes, made once at the import, and what was
// parsed of them, both kept for the revisions that were asked for last.
import type { Context } from '../../http/api/context.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import type { Finding } from '../audit/finding.ts';
import type { Catalog } from '../import/read-sources.ts';
import { getRevision } from '../projects/revisions.ts';
import { openDerivation } from './derive-again.ts';
import type { Graph } from './model.ts';

export interface Graphs {
  /** A revision by its number, if it was read before: revisions never change. */
  known(projectId: string, number: number): RevisionRow | undefined;
  /** A revision by its number. @throws Problem `not_found` */
  revision(projectId: string, number: number): Promise<RevisionRow>;
  /** The JSON of a revision's graph, `{ revision, nodes, edges }`. Like the others: @throws ContentGone */
  bytes(revision: RevisionRow): Promise<Uint8Array<ArrayBuffer>>;
  graph(revision: Pick<RevisionRow, 'graphSha256' | 'graphBytes'>): Promise<Graph>;
  findings(revision: RevisionRow): Promise<Finding[]>;
  /** The scenarios and routes of a revision's sources; none for one that was made without. */
  catalog(revision: RevisionRow): Promise<Catalog>;
}

const REVISIONS_KEPT = 1000;
const BYTES_KEPT = 64 * 1024 * 1024;

/** A cache of contents that never change, of bounded size; those unused for longest go first. */
function createCache<T>(load: (sha256: string, bytes: number) => Promise<T>) {
  const kept = new Map<string, { value: Promise<T>; bytes: number }>();
  let size = 0;
  return (sha256: string, bytes: number): Promise<T> => {
    const known = kept.get(sha256);
    if (known) {
      kept.delete(sha256);
      kept.set(sha256, known);
      return known.value;
    }
    const value = load(sha256, bytes);
    kept.set(sha256, { value, bytes });
    size += bytes;
    value.catch(() => {
      if (kept.get(sha256)?.value !== value) return;
      kept.delete(sha256);
      size -= bytes;
    });
    for (const [oldest, entry] of kept) {
      if (size <= BYTES_KEPT || oldest === sha256) break;
      size -= entry.bytes;
      kept.delete(oldest);
    }
    return value;
  };
}

/** Opens the graphs of an instance. */
export function openGraphs(context: Context): Graphs {
  const { files, database } = context;
  const deriveAgain = openDerivation(context);
  const revisions = new Map<string, Map<number, RevisionRow>>();
  let kept = 0;
  async function read(sha256: string, size: number): Promise<Uint8Array<ArrayBuffer>> {
    return (await files.load(sha256, size)) ?? (await deriveAgain(sha256, size));
  }
  async function parse<T>(sha256: string, size: number): Promise<T> {
    return JSON.parse(new TextDecoder().decode(await read(sha256, size))) as T;
  }
  const bytes = createCache(read);
  const graphs = createCache<Graph>(parse);
  const audits = createCache<Finding[]>(parse);
  const catalogs = createCache<Catalog>(parse);
  return {
    known: (projectId, number) => revisions.get(projectId)?.get(number),
    async revision(projectId, number) {
      const row = await getRevision(database.read, projectId, number);
      if (kept >= REVISIONS_KEPT) {
        revisions.clear();
        kept = 0;
      }
      const own = revisions.get(projectId) ?? new Map<number, RevisionRow>();
      revisions.set(projectId, own);
      own.set(number, row);
      kept += 1;
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

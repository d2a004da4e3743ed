// What was derived of revisions as it is read: their graphs' bytes, made once at the import, and what was
// parsed of them, cached for the revisions that were asked for last.
import { createHash } from 'node:crypto';
import { eq, or } from 'drizzle-orm';
import type { TokenRegistry } from '../../access/tokens.ts';
import { dropIdle } from '../../runtime/idle.ts';
import { runInSlices } from '../../runtime/scheduler.ts';
import type { Services } from '../../services.ts';
import { keyedLock } from '../../store/client/keyed-lock.ts';
import { reportGone } from '../../store/errors.ts';
import { restoreContent } from '../../store/files/files.ts';
import { type RevisionRow, revisions } from '../../store/tables/requirements.ts';
import type { Finding } from '../audit/findings.ts';
import type { Catalog } from '../import/read-sources.ts';
import { settingsOf } from '../projects/projects.ts';
import { getRevision, loadSources, sourcesOf, textAttributesOf } from '../projects/revisions.ts';
import type { Graph } from './model.ts';
import { parseFindings, parseGraph } from './parse.ts';

/** All that read content: @throws Problem `gone` */
export type Graphs = ReturnType<typeof openGraphs>;

const MAX_REVISIONS = 1000;
const MAX_BYTES = 64 * 1024 * 1024;

/** A cache of contents that never change, of bounded size and for as long as they are asked for. */
function createCache<T>(load: (sha256: string, bytes: number) => Promise<T>) {
  const cached = new Map<string, { value: Promise<T>; bytes: number }>();
  const touch = dropIdle(cached);
  return (sha256: string, bytes: number): Promise<T> => {
    const known = cached.get(sha256);
    const entry = known ?? { value: load(sha256, bytes), bytes };
    cached.delete(sha256);
    cached.set(sha256, entry);
    touch(entry);
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

export function openGraphs(services: Services) {
  const { files, database } = services;
  const deriveAgain = openDerivation(services);
  // Revisions never change.
  const revisions = new Map<string, RevisionRow>();
  const read = async (sha256: string, size: number) =>
    (await files.load(sha256, size)) ?? deriveAgain(sha256, size);
  const parse = async (sha256: string, size: number) =>
    JSON.parse(new TextDecoder().decode(await read(sha256, size)));
  const bytes = createCache(read);
  const graphs = createCache<Graph>(async (sha256, size) =>
    runInSlices(parseGraph(await read(sha256, size))),
  );
  const audits = createCache<Finding[]>(async (sha256, size) =>
    runInSlices(parseFindings(await read(sha256, size))),
  );
  const catalogs = createCache<Catalog>(async (sha256, size) => {
    // The ids of the stories are for the next import.
    const { scenarios, routes }: Catalog = await parse(sha256, size);
    return { scenarios, routes };
  });
  return {
    async revision(projectId: string, number: number): Promise<RevisionRow> {
      const key = `${projectId} ${number}`;
      const known = revisions.get(key);
      if (known) return known;
      const row = await getRevision(database.read, projectId, number);
      if (revisions.size >= MAX_REVISIONS) revisions.clear();
      revisions.set(key, row);
      return row;
    },
    /** The JSON of a revision's graph, `{ revision, nodes, edges }`. */
    bytes: (revision: RevisionRow) => bytes(revision.graphSha256, revision.graphBytes),
    /** The same, the caller's own. */
    ownBytes: (revision: RevisionRow) => read(revision.graphSha256, revision.graphBytes),
    graph: (revision: Pick<RevisionRow, 'graphSha256' | 'graphBytes'>) =>
      graphs(revision.graphSha256, revision.graphBytes),
    findings: (revision: Pick<RevisionRow, 'auditSha256' | 'auditBytes'>) =>
      audits(revision.auditSha256, revision.auditBytes),
    /** The scenarios and routes of a revision's sources; none for one that was made without. */
    async catalog({ catalogSha256, catalogBytes }: RevisionRow): Promise<Catalog> {
      if (catalogSha256 === null) return { scenarios: [], routes: [] };
      return catalogs(catalogSha256, catalogBytes ?? 0);
    },
  };
}

/**
 * The revision that is asked for, else the latest; undefined where the project has none yet.
 * @throws Problem `not_found`
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

// Makes derived content again, and stores it, if it comes out with the same SHA-256: another
// version or other settings may give another one. @throws Problem `gone` where it does not, or a
// source is missing or damaged
type DeriveAgain = (sha256: string, bytes: number) => Promise<Uint8Array<ArrayBuffer>>;

export function openDerivation(services: Services): DeriveAgain {
  const { files, log, database } = services;
  const serialized = keyedLock();
  return (sha256, bytes) =>
    serialized('', async () => {
      // The one before may have stored this one too.
      const stored = await files.load(sha256, bytes);
      if (stored) return stored;
      const { graphSha256, auditSha256, catalogSha256 } = revisions;
      const [revision] = await database.read
        .select()
        .from(revisions)
        .where(or(eq(graphSha256, sha256), eq(auditSha256, sha256), eq(catalogSha256, sha256)))
        .limit(1);
      if (!revision) throw new Error(`no revision names the content ${sha256}`);
      const what = `What revision ${revision.number} was read as`;
      const derived = await derive(services, revision);
      const recorded = [revision.graphSha256, revision.auditSha256, revision.catalogSha256];
      for (const [hash, content] of derived) {
        if (!recorded.includes(hash)) continue;
        await restoreContent(files, hash, content).catch((error) =>
          log.warn({ err: error }, 'what was derived again could not be stored'),
        );
      }
      const again = derived.get(sha256);
      if (!again) throw reportGone(services, what, sha256);
      log.warn({ sha256 }, `${what} was missing or damaged, and is made again`);
      return again;
    });
}

async function derive(
  services: Services,
  revision: RevisionRow,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const { read } = services.database;
  const { projectId, number } = revision;
  const files = await loadSources(services, await sourcesOf(read, revision));
  const before = number > 1 ? await getRevision(read, projectId, number - 1) : undefined;
  const textAttributes = textAttributesOf(before ? await sourcesOf(read, before) : []);
  const { normative } = await settingsOf(read, projectId);
  // Loaded here, for the sake of the start: every reader hangs on it.
  const { runImport } = await import('../import/run-import.ts');
  const made: Uint8Array<ArrayBuffer>[] = [];
  const again = await runImport(
    { files, normative, revision: number, textAttributes },
    { onGraph: (graph) => made.push(Buffer.concat(graph)) },
  );
  made.push(again.findings, again.catalog);
  return new Map(made.map((bytes) => [createHash('sha256').update(bytes).digest('hex'), bytes]));
}

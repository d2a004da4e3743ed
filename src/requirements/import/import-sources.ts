// Importing: a source set becomes the next revision of a project, whole or not at all.
import { createHash } from 'node:crypto';
import type { Actor } from '../../access/caller.ts';
import { Problem } from '../../errors.ts';
import { recordAudit } from '../../evidence/logs/entries.ts';
import { collectBuffers } from '../../runtime/worker.ts';
import type { Services } from '../../services.ts';
import type { Db } from '../../store/database.ts';
import { restoreContent, type StagedFile, storeBytes } from '../../store/files/files.ts';
import { isContentReferenced } from '../../store/references.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { openAdditions, openEdits } from '../graph/effective.ts';
import { type Graphs, openDerivation } from '../graph/graphs.ts';
import { getProject } from '../projects/projects.ts';
import {
  addRevision,
  latestRevision,
  loadSources,
  type NewRevision,
  type NewSource,
  sourcesOf,
  textAttributesOf,
} from '../projects/revisions.ts';
import { patchSettings, readSettings } from '../projects/settings.ts';
import { READERS_VERSION, type SourceFile, type SourceFormat } from '../sources/model.ts';
import type { ImportFile } from './read-sources.ts';
import type { ImportedText, ImportJob } from './run-import.ts';

export interface ImportInput {
  projectId: string;
  files: ImportFile[];
  /** `merge` keeps the files of the latest revision that are not given anew. */
  mode: 'replace' | 'merge';
  /** The revision that the sender has seen; undefined where it does not say. */
  baseRevision: number | undefined;
  /** Whether more than half of the stories may go. */
  confirm?: boolean;
  /** A merge patch of the project's settings that comes with the sources. */
  settings?: unknown;
  actor: Actor;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Hashing lets other requests go first after so many bytes. */
const BATCH_BYTES = 1024 * 1024;

export interface PreparedImport {
  /** Undefined where the set is that of the latest revision, and no newer readers read it. */
  write: ((db: Db) => Promise<RevisionRow>) | undefined;
  /** What it would be; its contents are on disk until `end`. Undefined as above. */
  revision: NewRevision | undefined;
  /** Reads into memory the graphs that open edits, additions and verdicts are compared with. */
  readGraph(graphs: Graphs): Promise<void>;
  /** Must be called when the write has ended, however it did. */
  end(): Promise<void>;
}

/**
 * Reads a source set and puts all that it gives on disk, as the revision after the latest. To be
 * called, and its end awaited, while no other import into the project runs: see `importTurns`.
 * @throws Problem `conflict` where the base is no longer the latest, `invalid` where nothing parses,
 *   `drops_stories` where more than half of the stories would go and nobody has confirmed it
 */
export async function prepareImport(
  services: Services,
  input: ImportInput,
): Promise<PreparedImport> {
  const { database, files: store } = services;
  const { projectId, mode, actor } = input;
  const latest = await latestRevision(database.read, projectId);
  requireBase(input, latest);
  const sourcesBefore = latest ? await sourcesOf(database.read, latest) : [];
  const given = new Set(input.files.map(({ path }) => path));
  const unchanged = mode === 'merge' ? sourcesBefore.filter(({ path }) => !given.has(path)) : [];
  const files = [...(await loadSources(services, unchanged)), ...input.files];
  // Loaded when sources first come, for the sake of the start: every reader hangs on them.
  const { openDetector } = await import('../sources/detect.ts');
  const { runImport } = await import('./run-import.ts');
  const detect = openDetector(files.filter(({ format }) => !format || format === 'doorstop'));
  const hashed = await hashAll(files, detect);
  const sourceSet = hashOfSet(hashed);
  if (latest?.sourceSet === sourceSet && latest.readersVersion >= READERS_VERSION) {
    for (const { sha256, bytes } of hashed) await restoreContent(store, sha256, bytes);
    return {
      write: undefined,
      revision: undefined,
      readGraph: async () => {},
      end: async () => {},
    };
  }
  // The body of the request has been taken apart by now.
  collectBuffers();
  const number = (latest?.number ?? 0) + 1;
  const { settings } = await getProject(database.read, projectId);
  const job: ImportJob = {
    files: hashed,
    normative: readSettings(patchSettings(settings, input.settings ?? {})).normative,
    revision: number,
    textAttributes: textAttributesOf(sourcesBefore),
  };
  if (latest?.catalogSha256 && !input.confirm)
    job.before = await openDerivation(services)(latest.catalogSha256, latest.catalogBytes ?? 0);
  const staged: StagedFile[] = [];
  const stage = async (...chunks: Uint8Array[]): Promise<StagedFile> => {
    const file = await storeBytes(store, ...chunks);
    staged.push(file);
    return file;
  };
  const stageAll = async (files: readonly ImportFile[]) => {
    for (const { bytes } of files) await stage(bytes);
  };
  // Unpins the contents; those that no row names by then go.
  const end = async () => {
    for (const file of staged) {
      await file.discard();
      await store.remove(file.sha256, isContentReferenced(database.read));
    }
  };
  try {
    // While one thread reads, the other waits for the disk; what is staged is unpinned by `end`.
    const storing: Promise<unknown>[] = [];
    let staging: Promise<StagedFile> | undefined;
    const read = await runImport(job, {
      onParsed: (parsed) => storing.push(stageAll(parsed)),
      onGraph(bytes) {
        staging = stage(...bytes);
        storing.push(staging);
      },
    }).finally(() => Promise.allSettled(storing));
    await Promise.all(storing);
    requireSomething(read);
    requireStories(read);
    const graph = (await staging) as StagedFile;
    const audit = await stage(read.findings);
    const catalog = await stage(read.catalog);
    const revision: NewRevision = {
      projectId,
      graphSha256: graph.sha256,
      graphBytes: graph.bytes,
      auditSha256: audit.sha256,
      auditBytes: audit.bytes,
      catalogSha256: catalog.sha256,
      catalogBytes: catalog.bytes,
      sourceSet,
      readersVersion: READERS_VERSION,
      ...read.counts,
      authorToken: actor.tokenId,
      authorLabel: actor.label,
      createdAt: input.now,
    };
    const content = new Map(hashed.map((file) => [file.path, file]));
    const sources = read.sources.map((source): NewSource => {
      const file = content.get(source.path);
      return {
        ...source,
        sha256: file?.sha256 ?? '',
        bytes: file?.size ?? 0,
        textAttribute: file?.textAttribute ?? null,
      };
    });
    return {
      async write(db) {
        const added = await addRevision(db, number, revision, sources);
        const { nodes, edges } = added;
        await recordAudit(db, {
          projectId,
          action: 'revision.imported',
          actor,
          fields: { revision: number, mode, sources: sources.length, nodes, edges },
          now: input.now,
        });
        return added;
      },
      revision,
      async readGraph(graphs) {
        const edits = await openEdits(database.read, projectId);
        const additions = await openAdditions(database.read, projectId);
        if (edits.length + additions.length > 0) await graphs.graph(revision);
      },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** `size` stays where the bytes have moved to a worker. */
type HashedFile = ImportFile & { sha256: string; size: number };

async function hashAll(
  files: readonly ImportFile[],
  detect: (file: SourceFile) => SourceFormat | null,
): Promise<HashedFile[]> {
  const hashed: HashedFile[] = [];
  for (const file of files) {
    const hash = createHash('sha256');
    for (let at = 0; at < file.bytes.byteLength; at += BATCH_BYTES) {
      hash.update(file.bytes.subarray(at, at + BATCH_BYTES));
      await new Promise((next) => setImmediate(next));
    }
    const format = file.format ?? detect(file);
    const size = file.bytes.byteLength;
    hashed.push({ ...file, format, size, sha256: hash.digest('hex') });
  }
  return hashed;
}

function requireBase({ baseRevision }: ImportInput, latest: RevisionRow | undefined): void {
  const number = latest?.number ?? 0;
  if (baseRevision === undefined || baseRevision === number) return;
  throw new Problem('conflict', `The latest revision is ${number}.`, {
    errors: [{ pointer: '/baseRevision', detail: `is not the latest revision, ${number}` }],
  });
}

/** @throws Problem `invalid`, with the findings, where no file gave anything */
function requireSomething({ readable, worst }: ImportedText): void {
  if (readable) return;
  const errors = worst.map(({ path, line, detail }) => ({
    pointer: '/sources',
    detail: `${path}${line > 0 ? `:${line}` : ''}: ${detail}`,
  }));
  throw new Problem('invalid', 'None of the sources could be read.', { errors });
}

/** @throws Problem `drops_stories`, with the counts, where more than half of the stories would go */
function requireStories({ loss }: ImportedText): void {
  if (!loss) return;
  const { stories, dropped } = loss;
  if (dropped * 2 <= stories) return;
  const detail = `would drop ${dropped} of ${stories} stories`;
  throw new Problem('drops_stories', `The import ${detail}.`, {
    errors: [{ pointer: '/sources', detail: `${detail}; "confirm": true does so` }],
    members: { stories, dropped },
  });
}

function hashOfSet(files: readonly HashedFile[]): string {
  const sorted = files
    .map(({ path, format, sha256: hash, textAttribute }) =>
      // Sets without one have the hash that they had before there were any.
      textAttribute === undefined ? [path, format, hash] : [path, format, hash, textAttribute],
    )
    .sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

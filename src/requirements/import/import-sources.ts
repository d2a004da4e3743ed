// Importing: a source set becomes the next revision of a project, whole or not at all.
import { createHash } from 'node:crypto';
import type { Actor } from '../../access/caller.ts';
import { Problem } from '../../errors.ts';
import { recordAudit } from '../../evidence/logs/audit.ts';
import type { Context } from '../../http/api/context.ts';
import { collectBuffers } from '../../runtime/memory.ts';
import type { Db } from '../../store/database.ts';
import {
  type FileStore,
  restoreContent,
  type StagedFile,
  storeBytes,
} from '../../store/files/files.ts';
import { isContentReferenced } from '../../store/references.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import { openDerivation } from '../graph/derive-again.ts';
import { openAdditions, openEdits } from '../graph/effective.ts';
import type { Graphs } from '../graph/graphs.ts';
import { getProject } from '../projects/projects.ts';
import {
  addRevision,
  latestRevision,
  loadSource,
  type NewRevision,
  type NewSource,
  sourcesOf,
  textAttributesOf,
} from '../projects/revisions.ts';
import { patchSettings, readSettings } from '../projects/settings.ts';
import { READERS_VERSION, type SourceFile, type SourceFormat } from '../sources/model.ts';
import { hasVerdicts } from '../verdicts.ts';
import type { OnProgress } from './progress.ts';
import type { ImportFile } from './read-sources.ts';
import type { ImportedText } from './run-import.ts';

export interface ImportWish {
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

/** Hashing gives others a turn after so many bytes. */
const TURN_BYTES = 1024 * 1024;

/** An import that is ready to be written: its contents are on disk, and pinned. */
export interface PreparedImport {
  /** Undefined where the set is that of the latest revision, and no newer readers read it. */
  write: ((db: Db) => Promise<RevisionRow>) | undefined;
  /** Reads into memory what edits, additions and verdicts are to be held against. */
  readGraph(graphs: Graphs): Promise<void>;
  /** Must be called when the write has ended, however it did. */
  end(): Promise<void>;
}

/**
 * Reads a source set and puts all that it gives on disk, as the revision after the latest. To be
 * called, and its end awaited, in one of the project's turns: see `importTurns`.
 *
 * @param onProgress - is told how far it is
 * @throws Problem `conflict` where the base is no longer the latest, `invalid` where nothing parses,
 *   `drops_stories` where more than half of the stories would go and nobody has confirmed it
 */
export async function prepareImport(
  context: Context,
  wish: ImportWish,
  onProgress?: OnProgress,
): Promise<PreparedImport> {
  const { database, files: store } = context;
  const latest = await latestRevision(database.read, wish.projectId);
  requireBase(wish, latest);
  const files =
    wish.mode === 'merge' && latest ? await mergeFiles(context, latest, wish.files) : wish.files;
  // Loaded when sources first come, for the sake of the start: every reader hangs on them.
  const { openDetector } = await import('../sources/detect.ts');
  const { openRunner } = await import('./run-import.ts');
  const runner = openRunner(files, context);
  const staged: StagedFile[] = [];
  try {
    const detect = openDetector(files.filter(({ format }) => !format || format === 'doorstop'));
    const hashed = await hashAll(files, detect, onProgress);
    const sourceSet = hashOfSet(hashed);
    if (latest?.sourceSet === sourceSet && latest.readersVersion >= READERS_VERSION) {
      for (const { sha256, bytes } of hashed) await restoreContent(store, sha256, bytes);
      return { write: undefined, readGraph: async () => {}, end: async () => {} };
    }
    // The body of the request has been taken apart by now.
    collectBuffers();
    const number = (latest?.number ?? 0) + 1;
    const { settings } = await getProject(database.read, wish.projectId);
    const { normative } = readSettings(patchSettings(settings, wish.settings ?? {}));
    const sourcesBefore = latest ? await sourcesOf(database.read, latest) : [];
    const before =
      latest && !wish.confirm
        ? await openDerivation(context)(latest.graphSha256, latest.graphBytes)
        : undefined;
    const job = {
      files: hashed,
      normative,
      revision: number,
      textAttributes: textAttributesOf(sourcesBefore),
      ...(before ? { before } : {}),
    };
    const sizes = new Map(hashed.map(({ path, bytes }) => [path, bytes.byteLength]));
    const reading = runner.run(job, onProgress);
    // Side by side: while one thread makes the graph, this one waits for the disk.
    const stored = reading.files.then(() => stageAll(store, staged, hashed));
    const drawn = reading.graph.then((bytes) => stage(store, staged, bytes));
    const [read, graph] = await allEnded(reading.text, drawn, stored);
    requireSomething(read);
    requireStories(read);
    onProgress?.('storing', 0, 1);
    const texts = [read.findings, read.catalog];
    const [audit, catalog] = (await Promise.all(
      texts.map((bytes) => stage(store, staged, bytes)),
    )) as [StagedFile, StagedFile];
    onProgress?.('storing', 1, 1);
    const revision: NewRevision = {
      projectId: wish.projectId,
      ...{
        graphSha256: graph.sha256,
        graphBytes: graph.bytes,
        auditSha256: audit.sha256,
        auditBytes: audit.bytes,
        catalogSha256: catalog.sha256,
        catalogBytes: catalog.bytes,
      },
      sourceSet,
      readersVersion: READERS_VERSION,
      ...read.counts,
      ...{ authorToken: wish.actor.tokenId, authorLabel: wish.actor.label, createdAt: wish.now },
    };
    const content = new Map(hashed.map((file) => [file.path, file]));
    const sources = read.sources.map((source): NewSource => {
      const file = content.get(source.path);
      return {
        ...source,
        sha256: file?.sha256 ?? '',
        bytes: sizes.get(source.path) ?? 0,
        textAttribute: file?.textAttribute ?? null,
      };
    });
    return {
      async write(db) {
        const now = await latestRevision(db, wish.projectId);
        if ((now?.number ?? 0) !== number - 1) throw overtaken(wish, now);
        const added = await addRevision(db, number, revision, sources);
        const { nodes, edges } = added;
        await recordAudit(db, {
          ...{ projectId: wish.projectId, action: 'revision.imported', actor: wish.actor },
          fields: { revision: number, mode: wish.mode, sources: sources.length, nodes, edges },
          now: wish.now,
        });
        return added;
      },
      async readGraph(graphs) {
        const { read } = database;
        const { projectId } = wish;
        const isJudged = await hasVerdicts(read, projectId);
        const open = [
          ...(await openEdits(read, projectId)),
          ...(await openAdditions(read, projectId)),
        ];
        if (open.length > 0 || isJudged) await graphs.graph(revision);
        if (latest && isJudged) await graphs.graph(latest);
      },
      end: () => drop(context, staged),
    };
  } catch (error) {
    await drop(context, staged);
    throw error;
  } finally {
    runner.close();
  }
}

/** What all give; where one fails, not before the others have ended too. */
async function allEnded<A, B, C>(...all: [Promise<A>, Promise<B>, Promise<C>]): Promise<[A, B, C]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}

type HashedFile = ImportFile & { sha256: string };

/** The files with their formats and hashes; a large one lets others have a turn on the way. */
async function hashAll(
  files: readonly ImportFile[],
  detect: (file: SourceFile) => SourceFormat | null,
  onProgress: OnProgress | undefined,
): Promise<HashedFile[]> {
  const total = files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  const hashed: HashedFile[] = [];
  let done = 0;
  let told = 0;
  for (const file of files) {
    const hash = createHash('sha256');
    for (let at = 0; at < file.bytes.byteLength; at += TURN_BYTES) {
      const slice = file.bytes.subarray(at, at + TURN_BYTES);
      hash.update(slice);
      done += slice.byteLength;
      if (done - told < TURN_BYTES) continue;
      told = done;
      onProgress?.('reading', done, total);
      await new Promise((next) => setImmediate(next));
    }
    hashed.push({ ...file, format: file.format ?? detect(file), sha256: hash.digest('hex') });
  }
  return hashed;
}

async function stageAll(
  store: FileStore,
  staged: StagedFile[],
  files: readonly ImportFile[],
): Promise<void> {
  for (const { bytes } of files) await stage(store, staged, bytes);
}

async function stage(
  store: FileStore,
  staged: StagedFile[],
  bytes: Uint8Array,
): Promise<StagedFile> {
  const file = await storeBytes(store, bytes);
  staged.push(file);
  return file;
}

/** Unpins the contents; those that no row names by then go. */
async function drop({ files, database }: Context, staged: StagedFile[]): Promise<void> {
  for (const file of staged) {
    await file.discard();
    await files.remove(file.sha256, isContentReferenced(database.read));
  }
}

function requireBase(wish: ImportWish, latest: RevisionRow | undefined): void {
  if (wish.baseRevision !== undefined && wish.baseRevision !== (latest?.number ?? 0))
    throw overtaken(wish, latest);
}

/** Who has named no base is not told that it was wrong: the same import may succeed now. */
function overtaken({ baseRevision }: ImportWish, latest: RevisionRow | undefined): Problem {
  if (baseRevision === undefined) {
    return new Problem('unavailable', 'Another revision came in between; try again.', {
      headers: { 'Retry-After': '1' },
    });
  }
  const number = latest?.number ?? 0;
  return new Problem('conflict', `The latest revision is ${number}.`, {
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

async function mergeFiles(
  context: Context,
  latest: RevisionRow,
  given: ImportFile[],
): Promise<ImportFile[]> {
  const anew = new Set(given.map(({ path }) => path));
  const kept: ImportFile[] = [];
  for (const source of await sourcesOf(context.database.read, latest)) {
    if (anew.has(source.path)) continue;
    const bytes = await loadSource(context, source);
    kept.push({
      path: source.path,
      bytes,
      format: source.format as SourceFormat | null,
      textAttribute: source.textAttribute ?? undefined,
    });
  }
  return [...kept, ...given];
}

function hashOfSet(files: readonly HashedFile[]): string {
  const sorted = files
    .map(({ path, format, sha256: hash, textAttribute }) =>
      // Sets without one have the hash that they had before there were any.
      textAttribute === undefined ? [path, format, hash] : [path, format, hash, textAttribute],
    )
    .sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
  return sha256(Buffer.from(JSON.stringify(sorted)));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

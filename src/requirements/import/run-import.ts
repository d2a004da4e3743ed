// Reads a source set where it disturbs nobody: small ones at once, others in a worker.
import { startWorker } from '../../runtime/worker.ts';
import type { Finding } from '../audit/finding.ts';
import type { NormativeField } from '../graph/fingerprint.ts';
import { type Graph, isNormative } from '../graph/model.ts';
import type { TextAttributes } from '../sources/model.ts';
import type { ImportStage, OnProgress } from './progress.ts';
import { type ImportFile, type ReadSource, readSources } from './read-sources.ts';

export interface ImportJob {
  files: readonly ImportFile[];
  normative: NormativeField[];
  /** The number of the revision that it will be. */
  revision: number;
  /** Of the revision before. */
  textAttributes?: TextAttributes | undefined;
  /** The graph of the revision before, as JSON, where the new one is to be compared with it. */
  before?: Uint8Array | undefined;
}

/** What an import gives, its large parts as JSON in UTF-8, which moves between threads as it is. */
export interface ImportedText {
  /** `{ revision, nodes, edges }`. */
  graph: Uint8Array<ArrayBuffer>;
  /** A list of findings. */
  findings: Uint8Array<ArrayBuffer>;
  /** `{ scenarios, routes }`. */
  catalog: Uint8Array<ArrayBuffer>;
  sources: ReadSource[];
  counts: { nodes: number; edges: number; errors: number; warnings: number };
  /** Whether a file was read whole, or gave something all the same. */
  readable: boolean;
  /** The worst findings, for a refusal. */
  worst: Finding[];
  /** How many stories there were, and how many of them are gone; where it was compared with the graph before. */
  loss: { stories: number; dropped: number } | undefined;
}

export type ImportMessage =
  | { progress: [stage: ImportStage, done: number, total: number] }
  | { done: ImportedText }
  | { failed: string };

const MAX_WORST = 50;

export function importText(job: ImportJob, onProgress?: OnProgress): ImportedText {
  const { files, normative, revision, textAttributes } = job;
  const before = job.before && storiesOf(JSON.parse(new TextDecoder().decode(job.before)));
  const read = readSources(files, normative, onProgress, { textAttributes });
  const { graph, catalog, findings, sources } = read;
  const count = (severity: string) => findings.filter((one) => one.severity === severity).length;
  return {
    graph: jsonBytes({ revision, ...graph }),
    findings: jsonBytes(findings),
    catalog: jsonBytes(catalog),
    sources,
    counts: {
      nodes: graph.nodes.length,
      edges: graph.edges.length,
      errors: count('error'),
      warnings: count('warning'),
    },
    readable:
      catalog.scenarios.length > 0 ||
      sources.some(({ status, items }) => items > 0 || status === 'parsed'),
    worst: findings.slice(0, MAX_WORST),
    loss: before && { stories: before.size, dropped: before.difference(storiesOf(graph)).size },
  };
}

function storiesOf({ nodes }: Graph): Set<string> {
  return new Set(nodes.filter(isNormative).map(({ id }) => id));
}

function jsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** A set of fewer bytes is read in less time than a worker takes to start. */
const AT_ONCE_BYTES = 128 * 1024;

export interface WorkerKeeper {
  whenStopping(listener: () => void): () => void;
}

/**
 * Reads a source set; the result is the same wherever it is read.
 *
 * @param keeper - keeps the worker for a while, if there is one: a second import is faster in it
 */
export async function runImport(
  job: ImportJob,
  onProgress?: OnProgress,
  keeper?: WorkerKeeper,
): Promise<ImportedText> {
  const bytes = job.files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  if (bytes <= AT_ONCE_BYTES) return importText(job, onProgress);
  const worker = idle?.take() ?? startWorker('requirements/import/worker.ts');
  const { promise, resolve, reject } = Promise.withResolvers<ImportedText>();
  worker.onmessage = ({ data }: MessageEvent<ImportMessage>) => {
    if ('progress' in data) onProgress?.(...data.progress);
    else if ('done' in data) resolve(data.done);
    else reject(new Error(`the import failed: ${data.failed}`));
  };
  worker.onerror = ({ message }) => reject(new Error(`the import failed: ${message}`));
  worker.postMessage(job);
  const read = await promise.catch((error) => {
    worker.terminate();
    throw error;
  });
  if (keeper && !idle) keepIdle(worker, keeper);
  else worker.terminate();
  return read;
}

const IDLE_MS = 60_000;
let idle: { take(): Worker } | undefined;

function keepIdle(worker: Worker, keeper: WorkerKeeper): void {
  const take = () => {
    clearTimeout(timer);
    forget();
    idle = undefined;
    return worker;
  };
  const end = () => take().terminate();
  const timer = setTimeout(end, IDLE_MS);
  timer.unref?.();
  const forget = keeper.whenStopping(end);
  // That of the last import holds what was read.
  worker.onmessage = null;
  worker.onerror = end;
  idle = { take };
}

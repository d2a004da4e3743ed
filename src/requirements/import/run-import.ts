// Reads a source set where it disturbs nobody: small ones at once, others in a worker.
import { jsonParts } from '../../model/parts.ts';
import { startWorker } from '../../runtime/worker.ts';
import type { Finding } from '../audit/findings.ts';
import type { NormativeField } from '../graph/fingerprint.ts';
import type { TextAttributes } from '../sources/model.ts';
import { type Catalog, type ImportFile, type ReadSource, readSources } from './read-sources.ts';

export interface ImportJob {
  files: readonly ImportFile[];
  normative: NormativeField[];
  /** The number of the revision that it will be. */
  revision: number;
  /** Of the revision before. */
  textAttributes?: TextAttributes | undefined;
  /** The catalog of the revision before, as JSON, where the stories are to be compared with its. */
  before?: Uint8Array | undefined;
}

/** What an import gives, its large parts as JSON in UTF-8, which moves between threads as it is. */
export interface ImportedText {
  /** A list of findings. */
  findings: Uint8Array<ArrayBuffer>;
  /** `{ scenarios, routes, stories }`. */
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

/** `{ revision, nodes, edges }` as JSON in UTF-8, in pieces. */
export type GraphBytes = Uint8Array<ArrayBuffer>[];

export type ImportMessage =
  | { parsed: readonly ImportFile[] }
  | { graph: GraphBytes }
  | { done: ImportedText }
  | { failed: string };

const MAX_WORST = 50;

/**
 * @param onGraph - takes the graph, while there is more to do
 * @param onParsed - the files are needed no more
 */
export function importText(
  job: ImportJob,
  onGraph: (graph: GraphBytes) => void,
  onParsed?: () => void,
): ImportedText {
  const { files, normative, revision, textAttributes } = job;
  const catalogBefore: Catalog | undefined =
    job.before && JSON.parse(new TextDecoder().decode(job.before));
  const before = catalogBefore?.stories && new Set(catalogBefore.stories);
  const read = readSources(files, normative, {
    textAttributes,
    onParsed,
    onGraph({ nodes, edges }) {
      const parts = jsonParts({ revision, nodes, edges });
      onGraph([...parts.map((part) => new TextEncoder().encode(part))]);
    },
  });
  const { graph, catalog, findings, sources } = read;
  const count = (severity: string) => findings.filter((one) => one.severity === severity).length;
  return {
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
    loss: before && {
      stories: before.size,
      dropped: before.difference(new Set(catalog.stories)).size,
    },
  };
}

function jsonBytes(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** A set of fewer bytes is read in less time than a worker takes to start. */
const AT_ONCE_BYTES = 128 * 1024;

/** Smaller buffers may be shared with others. */
const MOVED_BYTES = 1024 * 1024;

/** The large buffers of files, which move between threads instead of being copied. */
export function movable(files: readonly ImportFile[]): ArrayBuffer[] {
  const large = files.flatMap(({ bytes: { buffer } }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength >= MOVED_BYTES ? buffer : [],
  );
  return [...new Set(large)];
}

export interface ImportOptions {
  /** Takes the files when they are needed no more: large ones have moved, and the job's are empty. */
  onParsed?(files: readonly ImportFile[]): void;
  /** Takes the graph, while there is more to do. */
  onGraph?(graph: GraphBytes): void;
}

/** Reads a source set; the result is the same wherever it is read. */
export async function runImport(
  job: ImportJob,
  { onParsed, onGraph }: ImportOptions = {},
): Promise<ImportedText> {
  const bytes = job.files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  if (bytes <= AT_ONCE_BYTES) {
    onParsed?.(job.files);
    return importText(job, (graph) => onGraph?.(graph));
  }
  const worker = startWorker('requirements/import/worker.ts');
  const { promise, resolve, reject } = Promise.withResolvers<ImportedText>();
  worker.onmessage = ({ data }: MessageEvent<ImportMessage>) => {
    if ('parsed' in data) onParsed?.(data.parsed);
    else if ('graph' in data) onGraph?.(data.graph);
    else if ('done' in data) resolve(data.done);
    else reject(new Error(`the import failed: ${data.failed}`));
  };
  worker.onerror = ({ message }) => reject(new Error(`the import failed: ${message}`));
  worker.postMessage(job, movable(job.files));
  return promise.finally(() => worker.terminate());
}

// Reads a source set where it disturbs nobody: small ones at once, others in a worker.
import { collectNow } from '../../runtime/memory.ts';
import { startWorker } from '../../runtime/worker.ts';
import type { Finding } from '../audit/finding.ts';
import type { NormativeField } from '../graph/fingerprint.ts';
import { type Graph, isNormative } from '../graph/model.ts';
import type { TextAttributes } from '../sources/model.ts';
import { type ImportStage, type OnProgress, seldom } from './progress.ts';
import { type ImportFile, type ReadSource, readSources } from './read-sources.ts';

export interface ImportJob {
  files: ImportFile[];
  normative: NormativeField[];
  /** The number of the revision that it will be. */
  revision: number;
  /** Of the revision before. */
  textAttributes?: TextAttributes | undefined;
  /** The graph of the revision before, as JSON, where the new one is to be compared with it. */
  before?: Uint8Array;
}

/** What an import gives, its large parts as JSON in UTF-8, which moves between threads as it is. */
export interface ImportedText {
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

/** What a worker says: how far it is, that it needs the files no more, and how it ended. */
export type ImportMessage =
  | { progress: [stage: ImportStage, done: number, total: number] }
  | { parsed: [at: number, bytes: Uint8Array][] }
  | { graph: Uint8Array<ArrayBuffer> }
  | { done: ImportedText }
  | { failed: string };

const WORST_SHOWN = 50;
const NOTHING = new Uint8Array();

/**
 * Reads a source set where it is called.
 *
 * @param onGraph - is given the graph, `{ revision, nodes, edges }` as JSON, while there is more to do
 */
export function importText(
  job: ImportJob,
  onGraph: (graph: Uint8Array<ArrayBuffer>) => void,
  onProgress?: OnProgress,
): ImportedText {
  const before = job.before && storiesOf(JSON.parse(new TextDecoder().decode(job.before)));
  // It need not lie there while all else is made.
  delete job.before;
  const { graph, catalog, findings, sources } = readSources(
    job.files,
    job.normative,
    onProgress,
    (made) => onGraph(jsonBytes({ revision: job.revision, ...made })),
    { textAttributes: job.textAttributes },
  );
  const count = (severity: string) => findings.filter((one) => one.severity === severity).length;
  return {
    findings: jsonBytes(findings),
    catalog: jsonBytes(catalog),
    sources,
    counts: {
      ...{ nodes: graph.nodes.length, edges: graph.edges.length },
      ...{ errors: count('error'), warnings: count('warning') },
    },
    readable:
      catalog.scenarios.length > 0 ||
      sources.some(({ status, items }) => items > 0 || status === 'parsed'),
    worst: findings.slice(0, WORST_SHOWN),
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

/** An import under way. */
export interface RunningImport {
  /** `{ revision, nodes, edges }` as JSON. Rejects where the import fails before. */
  graph: Promise<Uint8Array<ArrayBuffer>>;
  text: Promise<ImportedText>;
  /**
   * Resolves when the bytes of the job's files may be used again: large ones move to the worker and
   * back. Rejects where the import fails before.
   */
  files: Promise<void>;
}

/** Where a source set is read. */
export interface ImportRunner {
  /** Reads one; the result is the same wherever it is read. */
  run(job: ImportJob, onProgress?: OnProgress): RunningImport;
  /** Must be called in the end; what still runs is broken off. */
  close(): void;
}

/** Who may keep a worker for the next import, until it stops. */
export interface WorkerKeeper {
  whenStopping(listener: () => void): () => void;
}

/**
 * Opens a place to read a source set in: a worker starts while its job is still being made.
 *
 * @param files - of the set
 * @param keeper - keeps the worker for a while, if there is one: a second import is faster in it
 */
export function openRunner(
  files: readonly { bytes: Uint8Array }[],
  keeper?: WorkerKeeper,
): ImportRunner {
  const bytes = files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  if (bytes <= AT_ONCE_BYTES) {
    return { run: runHere, close: () => {} };
  }
  const worker = takeIdle() ?? startWorker('requirements/import/worker.ts');
  let running = 0;
  return {
    run(job, onProgress) {
      running += 1;
      const under = inWorker(worker, job, onProgress);
      under.text.then(
        () => {
          running -= 1;
        },
        () => {},
      );
      return under;
    },
    close() {
      if (running > 0 || !keeper || idle) worker.terminate();
      else keepIdle(worker, keeper);
    },
  };
}

/** For how long a worker waits for another import. */
const KEPT_MS = 60_000;

let idle: { worker: Worker; forget: () => void } | undefined;

function takeIdle(): Worker | undefined {
  const worker = idle?.worker;
  idle?.forget();
  return worker;
}

function keepIdle(worker: Worker, keeper: WorkerKeeper): void {
  const end = () => {
    forget();
    worker.terminate();
  };
  const timer = setTimeout(end, KEPT_MS);
  timer.unref?.();
  const letGo = keeper.whenStopping(end);
  // Those of the last job hold it, and the graph that was made of it.
  worker.onmessage = null;
  worker.onerror = end;
  const forget = () => {
    clearTimeout(timer);
    letGo();
    idle = undefined;
  };
  idle = { worker, forget };
}

function runHere(job: ImportJob, onProgress?: OnProgress): RunningImport {
  const graph = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  graph.promise.catch(() => {});
  const text = (async () => importText(job, graph.resolve, onProgress))();
  text.catch(graph.reject);
  return { graph: graph.promise, text, files: Promise.resolve() };
}

function inWorker(
  worker: Worker,
  job: ImportJob,
  onProgress: OnProgress | undefined,
): RunningImport {
  const text = Promise.withResolvers<ImportedText>();
  const files = Promise.withResolvers<void>();
  const graph = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  // Whoever waits for the text alone hears of a failure there.
  files.promise.catch(() => {});
  graph.promise.catch(() => {});
  const fail = (why: string) => {
    const error = new Error(`the import failed: ${why}`);
    files.reject(error);
    graph.reject(error);
    text.reject(error);
  };
  worker.onmessage = ({ data }: MessageEvent<ImportMessage>) => {
    if ('progress' in data) onProgress?.(...data.progress);
    else if ('parsed' in data) {
      for (const [at, bytes] of data.parsed) {
        const file = job.files[at];
        if (file) file.bytes = bytes;
      }
      files.resolve();
    } else if ('graph' in data) graph.resolve(data.graph);
    else if ('done' in data) text.resolve(data.done);
    else fail(data.failed);
  };
  worker.onerror = (event) => fail(event.message);
  const { before } = job;
  const large = largeBuffers(before ? { files: [...job.files, { bytes: before }] } : job);
  worker.postMessage(job, [...new Set(large.map(([, { buffer }]) => buffer))]);
  return { graph: graph.promise, text: text.promise, files: files.promise };
}

/**
 * Buffers of so many bytes move between threads instead of being copied. Smaller ones may be shared
 * with others, such as the pool of small ones.
 */
const LARGE_BYTES = 1024 * 1024;

/** The files in large buffers, each with its place. */
function largeBuffers({
  files,
}: {
  files: readonly { bytes: Uint8Array }[];
}): [at: number, bytes: Uint8Array<ArrayBuffer>][] {
  return files.flatMap(({ bytes }, at): [number, Uint8Array<ArrayBuffer>][] =>
    bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength >= LARGE_BYTES
      ? [[at, bytes as Uint8Array<ArrayBuffer>]]
      : [],
  );
}

/** Does a job of a runner, in its worker, and uses it up; tells how far it is, at most so often. */
export function workOn(
  job: ImportJob,
  say: (message: ImportMessage, transfer: ArrayBuffer[]) => void,
): void {
  try {
    const tell = seldom((...said) => say({ progress: said }, []));
    const done = importText(
      job,
      (graph) => say({ graph }, [graph.buffer]),
      (stage, ...said) => {
        if (stage === 'graph') {
          // The files go back, and what parsing has left behind goes away: it would else lie there
          // beside all that is still to be made.
          const parsed = largeBuffers(job);
          say({ parsed }, [...new Set(parsed.map(([, { buffer }]) => buffer))]);
          for (const file of job.files) file.bytes = NOTHING;
          collectNow();
        }
        tell(stage, ...said);
      },
    );
    say({ done }, [done.findings.buffer, done.catalog.buffer]);
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error);
    say({ failed }, []);
  }
}

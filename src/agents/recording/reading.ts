// Reads a report into rows for the database, without the values that must not be stored: a small one
// at once, a large one in a worker, where it disturbs nobody.
import { createMask } from '../../masking/mask.ts';
import type { FieldFault } from '../../quality/reports/model.ts';
import { type ReportSummary, readReport } from '../../quality/reports/read.ts';
import { type MaskText, type RowBatch, rowBatches } from '../../quality/runs/rows.ts';
import { startWorker } from '../../runtime/worker.ts';
import { readContent } from '../../store/files/io.ts';

export interface ReadJob {
  /** The bytes of the report, or the path of the file that holds them. */
  content: Uint8Array | string;
  mediaType: string | undefined;
  root: string | undefined;
  exitCode?: number | null | undefined;
  /** What must not be stored, as far as it is known before. */
  secrets: readonly string[];
  /** Ids of the project's stories that do not look like ids, and link all the same. */
  storyIds: ReadonlySet<string>;
}

export interface ReadHooks {
  /**
   * Takes the caller's fields at the top of our own JSON, and the faults of the others there,
   * before the first batch; gives what must not be stored.
   */
  onFields(
    fields: Record<string, unknown>,
    faults: readonly FieldFault[],
  ): Promise<readonly string[]>;
  /** Stores a batch, behind those given before; what comes next is read meanwhile. */
  onRows(batch: RowBatch): Promise<void>;
}

const MAX_AHEAD = 4;

export async function readRows(job: ReadJob, hooks: ReadHooks): Promise<ReportSummary> {
  const { content, mediaType, root, exitCode, secrets, storyIds } = job;
  let mask = createMask(secrets);
  const bytes = typeof content === 'string' ? readContent(content) : once(content);
  const parts = readReport(mask ? mask.chunks(bytes) : bytes, {
    mediaType,
    root,
    exitCode,
    storyIds,
    async onRunFields(fields, faults) {
      mask = createMask([...secrets, ...(await hooks.onFields(fields, faults))]);
      return mask?.text;
    },
  });
  let position = 0;
  const storing: Promise<void>[] = [];
  for await (const part of parts) {
    if (part.type === 'summary') {
      await Promise.all(storing);
      return mask ? masked(part.summary, mask.text) : part.summary;
    }
    for (const batch of rowBatches(part.results, position, mask?.text)) {
      if (storing.length >= MAX_AHEAD) await storing.shift();
      const stored = hooks.onRows(batch);
      // It is awaited above; until then a failure is not unhandled.
      stored.catch(() => {});
      storing.push(stored);
    }
    position += part.results.length;
  }
  throw new Error('a report without a summary');
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function masked({ head, files, problems, ...summary }: ReportSummary, mask: MaskText) {
  const texts = Object.entries(head).map(([name, value]) => [
    name,
    typeof value === 'string' ? mask(value) : value,
  ]);
  return {
    ...summary,
    head: Object.fromEntries(texts) as typeof head,
    files: new Set([...files].map(mask)),
    problems: problems.map((problem) => ({ ...problem, detail: mask(problem.detail) })),
  };
}

export type FromWorker =
  | { ask: keyof ReadHooks; args: unknown[] }
  | { done: ReportSummary }
  | { failed: string };
/** Its job, and the answers to what it asked for, in that order. */
export type ToWorker = { job: ReadJob } | { answer: unknown };

/** Reads a report, in a worker where it is a file. @throws what the hooks throw */
export async function readRowsAside(job: ReadJob, hooks: ReadHooks): Promise<ReportSummary> {
  if (typeof job.content !== 'string') return readRows(job, hooks);
  const worker = startWorker('agents/recording/worker.ts', { small: true });
  const end = Promise.withResolvers<ReportSummary>();
  const post = (message: ToWorker) => worker.postMessage(message);
  let ended = false;
  let answered = Promise.resolve();
  const answer = async (ask: keyof ReadHooks, args: unknown[]) => {
    if (ended) return;
    const hook = hooks[ask] as (...args: unknown[]) => Promise<unknown>;
    post({ answer: await hook(...args) });
  };
  worker.onerror = ({ message }) => end.reject(new Error(`reading a report failed: ${message}`));
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if ('done' in data) end.resolve(data.done);
    else if ('failed' in data) end.reject(new Error(`reading a report failed: ${data.failed}`));
    else {
      answered = answered.then(() => answer(data.ask, data.args));
      answered.catch(end.reject);
    }
  };
  post({ job });
  try {
    return await end.promise;
  } finally {
    ended = true;
    worker.terminate();
    // What is being stored is there before the caller takes it away.
    await answered.catch(() => {});
  }
}

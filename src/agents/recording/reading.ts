// Reads a report into rows for the database, without the values that must not be stored: a small one
// at once, a large one in a worker, where it disturbs nobody.
import { createMask } from '../../masking/mask.ts';
import type { FieldFault } from '../../quality/reports/model.ts';
import { type ReportSummary, readReport } from '../../quality/reports/read.ts';
import { RUN_FIELD_NAMES } from '../../quality/runs/fields.ts';
import { type MaskText, type RowBatch, rowBatches } from '../../quality/runs/rows.ts';
import { startWorker } from '../../runtime/worker.ts';
import { readContent } from '../../store/files/content.ts';

export interface ReadJob {
  /** The bytes of the report, or the path of the file that holds them. */
  content: Uint8Array | string;
  mediaType: string | undefined;
  root: string | undefined;
  /** What must not be stored, as far as it is known before. */
  secrets: readonly string[];
  /** Ids of the project's stories that do not look like ids, and link all the same. */
  storyIds: ReadonlySet<string>;
}

export interface ReadHooks {
  /**
   * Takes the caller's fields at the top of our own JSON, and the faults of the others there, before
   * the first batch; gives what must not be stored.
   */
  onFields(
    fields: Record<string, unknown>,
    faults: readonly FieldFault[],
  ): Promise<readonly string[]>;
  /** Stores a batch, behind those given before; what comes next is read meanwhile. */
  onRows(batch: RowBatch): Promise<void>;
}

export interface ReadRows extends Omit<ReportSummary, 'files'> {
  /** The files that results name, NUL between them: so they move between threads at once. */
  files: string;
}

const MAX_AHEAD = 4;

/** Reads a report. @throws what the hooks throw */
export async function readRows(job: ReadJob, hooks: ReadHooks): Promise<ReadRows> {
  const { content, mediaType, root, secrets, storyIds } = job;
  let mask = createMask(secrets);
  const bytes = typeof content === 'string' ? readContent(content) : once(content);
  const parts = readReport(mask ? mask.chunks(bytes) : bytes, {
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(root === undefined ? {} : { root }),
    storyIds,
    runFields: RUN_FIELD_NAMES,
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
      const { files, ...summary } = mask ? masked(part.summary, mask.text) : part.summary;
      return { ...summary, files: [...files].join('\0') };
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

function masked(summary: ReportSummary, mask: MaskText): ReportSummary {
  const { head } = summary;
  const text = (value: string | null) => (value === null ? null : mask(value));
  return {
    ...summary,
    head: {
      ...head,
      name: text(head.name),
      tool: text(head.tool),
      reportId: text(head.reportId),
      environment: text(head.environment),
      branch: text(head.branch),
      commit: text(head.commit),
      properties: Object.fromEntries(
        Object.entries(head.properties).map(([name, value]) => [mask(name), mask(value)]),
      ),
    },
    files: new Set([...summary.files].map(mask)),
    problems: summary.problems.map((problem) => ({ ...problem, detail: mask(problem.detail) })),
  };
}

/** To the worker: its job, what must not be stored, that the oldest batch under way is stored. */
export type ReadRequest = { job: ReadJob } | { secrets: readonly string[] } | { stored: true };

export type ReadMessage =
  | { fields: Record<string, unknown>; faults: readonly FieldFault[] }
  | { rows: RowBatch }
  | { done: ReadRows }
  | { failed: string };

/** Reads a report, in a worker where it is a file. @throws what the hooks throw */
export async function readRowsAside(job: ReadJob, hooks: ReadHooks): Promise<ReadRows> {
  if (typeof job.content !== 'string') return readRows(job, hooks);
  const worker = startWorker('agents/recording/worker.ts', { small: true });
  const end = Promise.withResolvers<ReadRows>();
  const post = (request: ReadRequest) => worker.postMessage(request);
  let ended = false;
  let storing = Promise.resolve();
  worker.onerror = ({ message }) => end.reject(new Error(`reading a report failed: ${message}`));
  worker.onmessage = ({ data }: MessageEvent<ReadMessage>) => {
    if ('rows' in data) {
      storing = storing.then(async () => {
        if (ended) return;
        await hooks.onRows(data.rows);
        post({ stored: true });
      });
      storing.catch(end.reject);
    } else if ('fields' in data) {
      hooks
        .onFields(data.fields, data.faults)
        .then((secrets) => post({ secrets }))
        .catch(end.reject);
    } else if ('done' in data) end.resolve(data.done);
    else end.reject(new Error(`reading a report failed: ${data.failed}`));
  };
  post({ job });
  try {
    return await end.promise;
  } finally {
    ended = true;
    worker.terminate();
    // What is being stored is there before the caller takes it away.
    await storing.catch(() => {});
  }
}

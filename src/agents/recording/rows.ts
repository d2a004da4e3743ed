// Reads a report into rows for the database, with what was lent to its agent taken out: what a
// worker does with a large report, and the thread of the requests with a small one.

import { createMask } from '../../masking/mask.ts';
import type { FieldFault, ReportProblem } from '../../quality/reports/model.ts';
import { type ReportSummary, readReport } from '../../quality/reports/read.ts';
import { RUN_FIELD_NAMES } from '../../quality/runs/fields.ts';
import { type MaskText, type RowBatch, rowBatches } from '../../quality/runs/rows.ts';
import { readContent } from '../../store/files/content.ts';

export interface ReadJob {
  /** The bytes of the report, or the path of the file that holds them. */
  content: Uint8Array | string;
  mediaType: string | undefined;
  /** The folder where the tests ran. */
  root: string | undefined;
  /** What must not be stored, as far as it is known before. */
  secrets: readonly string[];
  /** Ids of the project's stories that do not look like ids, and link all the same. */
  storyIds: ReadonlySet<string>;
}

export interface ReadHooks {
  /**
   * Is told of the caller's fields at the top of our own JSON, and of what is wrong with the others
   * there, before the first batch; gives what must not be stored.
   */
  onFields(
    fields: Record<string, unknown>,
    faults: readonly FieldFault[],
  ): Promise<readonly string[]>;
  /** Stores a batch, behind those given before; what comes next is read meanwhile. */
  onRows(batch: RowBatch): Promise<void>;
}

/** Batches that are read and not stored yet. */
const AHEAD = 4;

/** What a report proved to be. */
export interface ReadRows extends Omit<ReportSummary, 'files'> {
  /** The files that results name, NUL between them: so they move between threads at once. */
  files: string;
}

/**
 * Reads a report.
 *
 * @throws what the hooks throw
 */
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
      const { files, ...summary } = maskedSummary(part.summary, mask?.text);
      return { ...summary, files: [...files].join('\0') };
    }
    for (const batch of rowBatches(part.results, position, mask?.text)) {
      if (storing.length >= AHEAD) await storing.shift();
      const stored = hooks.onRows(batch);
      // Heard of when it is waited for.
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

function maskedSummary(summary: ReportSummary, mask: MaskText | undefined): ReportSummary {
  if (!mask) return summary;
  const { head } = summary;
  const text = (value: string | null) => (value === null ? null : mask(value));
  return {
    ...summary,
    head: {
      ...head,
      ...{ name: text(head.name), tool: text(head.tool), reportId: text(head.reportId) },
      ...{ environment: text(head.environment), branch: text(head.branch) },
      commit: text(head.commit),
      properties: Object.fromEntries(
        Object.entries(head.properties).map(([name, value]) => [mask(name), mask(value)]),
      ),
    },
    files: new Set([...summary.files].map(mask)),
    problems: summary.problems.map(
      (problem): ReportProblem => ({ ...problem, detail: mask(problem.detail) }),
    ),
  };
}

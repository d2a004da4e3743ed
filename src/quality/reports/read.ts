// Reads a test report as a stream: bytes in, batches of results with their keys out, and at the end
// what the report said of itself, what it holds, and what is wrong with it.
import { setImmediate } from 'node:timers/promises';
import { BATCH_SIZE, createCollector, type OnRunFields, type ReaderContext } from './collect.ts';
import {
  createProblems,
  DETECT_BYTES,
  detectFormat,
  emptyHead,
  type KeyedResult,
  NO_REPORT,
  READER_LIMITS,
  type ReaderFormat,
  type ReaderLimits,
  type ReportFormat,
  type ReportHead,
  type ReportProblem,
  type ReportReader,
  type ResultTotals,
} from './model.ts';
import { createStoryLinks } from './story-links.ts';
import { objectOf } from './text.ts';

export type { KeyedResult } from './model.ts';

export interface ReportSummary {
  format: ReportFormat | undefined;
  head: ReportHead;
  totals: ResultTotals;
  files: ReadonlySet<string>;
  problems: ReportProblem[];
  bytes: number;
}

export type ReportPart =
  | { type: 'results'; results: KeyedResult[] }
  | { type: 'summary'; summary: ReportSummary };

export interface ReadOptions {
  format?: ReaderFormat;
  mediaType?: string | undefined;
  /** The folder of the project where the tests ran: files are named relative to it. */
  root?: string | undefined;
  /** How the process ended that made the report. */
  exitCode?: number | null | undefined;
  /** Ids of the project's stories that do not look like ids, and link all the same. */
  storyIds?: ReadonlySet<string>;
  limits?: Partial<ReaderLimits>;
  /** A root or an exit code among these fields goes before the one above. */
  onRunFields?: OnRunFields;
}

/** What a reader is given at a time, so that a large chunk does not make all results at once. */
const SLICE = 64 * 1024;

/**
 * Reads a report.
 * @param chunks - its bytes; a chunk is not used again after the next was asked for
 * @returns batches of results as they come, then one summary; nothing in a report throws
 */
export async function* readReport(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ReadOptions = {},
): AsyncGenerator<ReportPart, void, undefined> {
  const limits = { ...READER_LIMITS, ...options.limits };
  const problems = createProblems();
  const links = createStoryLinks(options.storyIds);
  const collector = createCollector(problems, links, limits.results);
  collector.setRoot(options.root);
  collector.setExitCode(options.exitCode);
  const context: ReaderContext = {
    limits,
    emit: collector.take,
    problems,
    links,
    async onRunFields(runFields, faults) {
      if (typeof runFields.root === 'string') collector.setRoot(runFields.root);
      const { exitCode } = objectOf(runFields.execution) ?? {};
      if (typeof exitCode === 'number') collector.setExitCode(exitCode);
      return options.onRunFields?.(runFields, faults);
    },
  };
  let reader: ReportReader | undefined;
  let start: Uint8Array = new Uint8Array(0);
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    let fresh = chunk;
    if (reader === undefined) {
      start = Buffer.concat([start, chunk]);
      if (options.format === undefined && start.length < DETECT_BYTES) continue;
      reader = await openReader(options, start, context);
      if (reader === undefined) break;
      fresh = start;
    }
    for (let at = 0; at < fresh.length; at += SLICE) {
      reader.write(fresh.subarray(at, at + SLICE));
      for (const results of collector.batches(BATCH_SIZE)) yield { type: 'results', results };
      // Others run while a report is read that lies in memory whole.
      if (at + SLICE < fresh.length) await setImmediate();
    }
  }
  if (reader === undefined) {
    reader = await openReader(options, start, context);
    reader?.write(start);
  }
  if (bytes === 0 && reader === undefined) problems.add('cut_off', 'the report is empty');
  else if (reader === undefined) problems.add('not_a_report', NO_REPORT);
  await reader?.end();
  collector.end();
  for (const results of collector.batches(1)) yield { type: 'results', results };
  const { totals, files } = collector;
  const { format, head = emptyHead() } = reader ?? {};
  const summary = { format, head, totals, files, problems: problems.list(), bytes };
  yield { type: 'summary', summary };
}

async function openReader(
  { format, mediaType }: ReadOptions,
  start: Uint8Array,
  context: ReaderContext,
): Promise<ReportReader | undefined> {
  const detected = format ?? detectFormat(mediaType, start);
  if (detected === undefined) return undefined;
  if (detected === 'junit') return (await import('./junit.ts')).createJunitReader(context);
  if (detected === 'tap') return (await import('./tap.ts')).createTapReader(context);
  return (await import('./json.ts')).createJsonReader(context, detected);
}

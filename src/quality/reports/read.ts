// Reads a test report as a stream: bytes in, batches of results with their keys out, and at the end
// what the report said of itself, what it holds, and what is wrong with it.
import { setImmediate } from 'node:timers/promises';
import { isFlaky } from '../runs/flaky.ts';
import { DETECT_BYTES, detectFormat } from './detect.ts';
import {
  emptyHead,
  noTotals,
  type OnRunFields,
  type Problems,
  READER_LIMITS,
  type ReaderContext,
  type ReaderFormat,
  type ReaderLimits,
  type ReportFormat,
  type ReportHead,
  type ReportProblem,
  type ReportReader,
  type ReportResult,
  type ResultTotals,
} from './model.ts';
import { createProblems } from './problems.ts';
import { createStoryLinks } from './story-links.ts';
import { createTestKeys, fileUnder } from './test-key.ts';

/** A result with its key; its file is relative to the root. */
export interface KeyedResult extends ReportResult {
  testKey: string;
  flaky: boolean;
}

export interface ReportSummary {
  /** Undefined where the report is in none that is known. */
  format: ReportFormat | undefined;
  head: ReportHead;
  totals: ResultTotals;
  /** The files that results name, relative to the root. */
  files: ReadonlySet<string>;
  problems: ReportProblem[];
  bytes: number;
  /** The caller's own fields of our own JSON (see `runFields`). */
  runFields: Record<string, unknown>;
}

export type ReportPart =
  | { type: 'results'; results: KeyedResult[] }
  | { type: 'summary'; summary: ReportSummary };

export interface ReadOptions {
  /** By the media type and the first bytes unless given. */
  format?: ReaderFormat;
  mediaType?: string;
  /** The folder of the project where the tests ran: files are named relative to it. */
  root?: string;
  /** Ids of the project's stories that do not look like ids, and link all the same. */
  storyIds?: ReadonlySet<string>;
  /** Results in a batch. */
  batch?: number;
  limits?: Partial<ReaderLimits>;
  /** Fields at the top of our own JSON that are the caller's: allowed and given back unread. */
  runFields?: Iterable<string>;
  /** A root among these fields goes before the one above. */
  onRunFields?: OnRunFields;
}

const BATCH_SIZE = 250;
/** What a reader is given at a time, so that a large chunk does not make all results at once. */
const SLICE = 64 * 1024;

/**
 * Reads a report.
 *
 * @param chunks - its bytes; a chunk is not used again after the next was asked for
 * @returns batches of results as they come, then one summary; nothing in a report throws
 */
export async function* readReport(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ReadOptions = {},
): AsyncGenerator<ReportPart, void, undefined> {
  const limits = { ...READER_LIMITS, ...options.limits };
  const problems = createProblems();
  const collector = createCollector(problems, limits, options.root);
  const context: ReaderContext = {
    limits,
    emit: collector.take,
    problems,
    links: createStoryLinks(options.storyIds),
    runFields: new Set(options.runFields),
    async onRunFields(runFields, faults) {
      if (typeof runFields.root === 'string') collector.setRoot(runFields.root);
      return options.onRunFields?.(runFields, faults);
    },
  };
  const size = options.batch ?? BATCH_SIZE;
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
      for (const results of collector.full(size)) yield { type: 'results', results };
      // Others run while a report is read that lies in memory whole.
      if (at + SLICE < fresh.length) await setImmediate();
    }
  }
  if (reader === undefined) {
    reader = await openReader(options, start, context);
    reader?.write(start);
  }
  if (reader === undefined) {
    if (bytes === 0) problems.add('cut_off', 'the report is empty');
    else problems.add('not_a_report', 'neither JUnit XML, CTRF, TAP nor a report of ours');
  }
  await reader?.end();
  for (const results of collector.full(size)) yield { type: 'results', results };
  const rest = collector.rest();
  if (rest.length > 0) yield { type: 'results', results: rest };
  const summary: ReportSummary = {
    format: reader?.format,
    head: reader?.head ?? emptyHead(),
    totals: collector.totals,
    files: collector.files,
    problems: problems.list(),
    bytes,
    runFields: reader?.runFields ?? {},
  };
  yield { type: 'summary', summary };
}

async function openReader(
  { format, mediaType }: ReadOptions,
  start: Uint8Array,
  context: ReaderContext,
): Promise<ReportReader | undefined> {
  const detected = format ?? detectFormat(mediaType, start);
  switch (detected) {
    case 'junit':
      return (await import('./junit.ts')).createJunitReader(context);
    case 'tap':
      return (await import('./tap.ts')).createTapReader(context);
    case undefined:
      return undefined;
    default:
      return (await import('./json.ts')).createJsonReader(context, detected);
  }
}

function createCollector(
  problems: Problems,
  { results: maxResults }: ReaderLimits,
  givenRoot: string | undefined,
) {
  let root = givenRoot;
  const keyOf = createTestKeys();
  const totals = noTotals();
  const files = new Set<string>();
  let waiting: KeyedResult[] = [];
  let lastFile: string | null = null;
  let lastUnder: string | null = null;

  return {
    totals,
    files,
    /** Where the files of what is taken from now on lie. */
    setRoot(folder: string): void {
      root = folder;
      lastFile = null;
    },
    take(result: ReportResult): void {
      if (totals.tests >= maxResults) {
        problems.add('too_many_results', `more than ${maxResults} results: the rest is left out`);
        return;
      }
      const keyed = keyedResult(result, under(result.file));
      keyed.testKey = keyOf(keyed);
      totals.tests += 1;
      totals[keyed.status] += 1;
      if (keyed.flaky) totals.flaky += 1;
      waiting.push(keyed);
    },
    /** The batches that are full. */
    *full(size: number): Generator<KeyedResult[]> {
      for (let at = 0; at + size <= waiting.length; at += size) yield waiting.slice(at, at + size);
      waiting = waiting.slice(waiting.length - (waiting.length % size));
    },
    rest: () => waiting,
  };

  /** The file relative to the root; most results have that of the one before. */
  function under(file: string | null): string | null {
    if (file === null || file === lastFile) return file === null ? null : lastUnder;
    lastFile = file;
    lastUnder = fileUnder(root, file);
    files.add(lastUnder);
    return lastUnder;
  }
}

/** Field by field: an object that is made with all its fields costs half of one that grows. */
function keyedResult(result: ReportResult, file: string | null): KeyedResult {
  return {
    testKey: '',
    name: result.name,
    path: result.path,
    file,
    line: result.line,
    parameters: result.parameters,
    status: result.status,
    durationMs: result.durationMs,
    attempts: result.attempts,
    flaky: isFlaky(result),
    message: result.message,
    trace: result.trace,
    contentSha256: result.contentSha256,
    storyIds: result.storyIds,
  };
}

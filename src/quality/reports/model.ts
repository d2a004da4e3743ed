// What a reader of test reports gives, whatever the format: results, a head, and what is wrong with
// the report.
import type { Attempt, ResultTotals } from '../../store/tables/json.ts';

export type { Attempt, ResultTotals } from '../../store/tables/json.ts';

export type ReportFormat = 'junit' | 'ctrf' | 'tap' | 'pqrs';

/** `json`: CTRF or our own, which only the document tells. */
export type ReaderFormat = ReportFormat | 'json';

export type ResultStatus = 'passed' | 'failed' | 'broken' | 'skipped' | 'unknown';

export interface ReportResult {
  name: string;
  /** The suites that it stands in, from the outermost; without the file. */
  path: string[];
  /** As the report writes it, with forward slashes. */
  file: string | null;
  line: number | null;
  parameters: Record<string, string> | null;
  status: ResultStatus;
  durationMs: number | null;
  /** Every try in order, the last one included; empty where there was one only. */
  attempts: Attempt[];
  message: string | null;
  trace: string | null;
  /** The hash of the test's own content, where its report gives one. */
  contentSha256: string | null;
  storyIds: string[];
}

/** What a report says that it holds; null where it does not say. */
export interface StatedTotals {
  tests: number | null;
  /** Failures and errors together. */
  failing: number | null;
  /** Skipped, pending and disabled. */
  skipped: number | null;
}

/** What a report says about its run. Times are RFC 3339 in UTC with milliseconds. */
export interface ReportHead {
  name: string | null;
  tool: string | null;
  reportId: string | null;
  startedAt: string | null;
  finishedAt: string | null;
  /** Whether the times were written with their zone; without one they are taken as UTC. */
  zoned: boolean;
  durationMs: number | null;
  environment: string | null;
  branch: string | null;
  commit: string | null;
  properties: Record<string, string>;
}

/** What is wrong with a report, so that it cannot be trusted to be whole. */
export interface ReportProblem {
  code: ProblemCode;
  detail: string;
  line: number | null;
  /** Where in a JSON report (RFC 6901). */
  pointer: string | null;
}

export type ProblemCode =
  | 'cut_off'
  | 'not_well_formed'
  | 'not_a_report'
  | 'too_large'
  | 'too_many_results'
  | 'totals_disagree'
  | 'unexpanded_entity'
  | 'invalid_field'
  | 'unhealthy_environment'
  | 'bail_out'
  | 'plan_missing'
  | 'plan_mismatch';

/** What a reader keeps at most; texts in bytes of UTF-8, names in UTF-16 units. */
export const TEXT_LIMITS = {
  messageBytes: 8 * 1024,
  traceBytes: 64 * 1024,
  name: 1024,
  path: 64,
  parameters: 50,
  parameter: 1024,
  attempts: 100,
  storyIds: 100,
  properties: 100,
  property: 1024,
} as const;

export interface ReaderLimits {
  /** Results beyond are left out. */
  results: number;
  /** Bytes of a JSON report, which is read whole. */
  jsonBytes: number;
}

export const READER_LIMITS: ReaderLimits = { results: 100_000, jsonBytes: 64 * 1024 * 1024 };

/** What is wrong with a field, and where it is (RFC 6901). */
export interface FieldFault {
  pointer: string;
  detail: string;
}

/**
 * Is called before the first result with the caller's own fields, and with what is wrong with the
 * other fields at the top. May give what is to be done to each text of the report.
 */
export type OnRunFields = (
  runFields: Record<string, unknown>,
  faults: readonly FieldFault[],
) => Promise<((text: string) => string) | undefined>;

export interface Problems {
  /** Beyond the first twenty of a code problems are only counted. */
  add(code: ProblemCode, detail: string, at?: { line?: number; pointer?: string }): void;
  /** In the order in which they came, with a last one of a code that counts those left out. */
  list(): ReportProblem[];
}

export interface StoryLinks {
  /** See `storyIdsInName`. */
  inName(name: string): string[];
  /** See `storyIdsInValue`. */
  inValue(value: string): string[];
  /** See `storyIdsInTag`. */
  inTag(tag: string): string[];
  /** An id that is said to be one. */
  given(id: string): string;
}

export interface ReaderContext {
  limits: ReaderLimits;
  emit(result: ReportResult): void;
  problems: Problems;
  links: StoryLinks;
  /** Fields at the top of our own JSON that are the caller's: allowed, and given back as they are. */
  runFields: ReadonlySet<string>;
  onRunFields: OnRunFields;
}

export interface ReportReader {
  write(chunk: Uint8Array): void;
  end(): void | Promise<void>;
  /** Complete once `end` was called. */
  readonly head: ReportHead;
  /** What the report proved to be. */
  readonly format: ReportFormat;
  /** The caller's own fields of our own JSON. */
  readonly runFields: Record<string, unknown>;
}

export function emptyHead(): ReportHead {
  return {
    name: null,
    tool: null,
    reportId: null,
    startedAt: null,
    finishedAt: null,
    zoned: false,
    durationMs: null,
    environment: null,
    branch: null,
    commit: null,
    properties: {},
  };
}

export function noTotals(): ResultTotals {
  return { tests: 0, passed: 0, failed: 0, broken: 0, skipped: 0, unknown: 0, flaky: 0 };
}

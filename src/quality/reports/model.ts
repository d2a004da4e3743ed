// What a reader of test reports takes and gives, whatever the format.
import type { Attempt, ResultTotals } from '../../store/tables/json.ts';

export type { Attempt, ResultTotals } from '../../store/tables/json.ts';

export type ReportFormat = 'junit' | 'ctrf' | 'tap' | 'pqrs';

/** `json`: CTRF or our own, which only the document tells. */
export type ReaderFormat = ReportFormat | 'json';

export const RESULT_STATUSES = ['passed', 'failed', 'broken', 'skipped', 'unknown'] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];

export interface ReportTry {
  status: ResultStatus;
  durationMs?: number | null | undefined;
  message?: string | null | undefined;
  trace?: string | null | undefined;
}

export interface ReportResult extends ReportTry {
  name: string;
  /** The suites that it stands in, from the outermost: the same list where they are the same. */
  suites: readonly string[];
  /** Undefined where it is a suite that is named like one. */
  file?: string | null | undefined;
  line?: number | null | undefined;
  parameters?: Record<string, string> | null;
  /** Every try in order, the last one included; empty where there was one only. */
  attempts?: readonly ReportTry[] | null | undefined;
  contentSha256?: string | null | undefined;
  storyIds?: readonly string[] | undefined;
  /** Whether the tool that wrote it lists each try of a test as a test of its own. */
  listsTries?: boolean;
}

export interface KeyedResult extends Attempt {
  testKey: string;
  name: string;
  path: string[];
  file: string | null;
  line: number | null;
  parameters: Record<string, string> | null;
  attempts: Attempt[];
  flaky: boolean;
  contentSha256: string | null;
  storyIds: string[];
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

/** What is wrong with a report, so that it cannot be trusted to be whole. */
export interface ReportProblem {
  code: ProblemCode;
  detail: string;
  line: number | null;
  /** Where in a JSON report (RFC 6901). */
  pointer: string | null;
}

/** What a reader stores at most; texts in bytes of UTF-8, names in UTF-16 units. */
export const TEXT_LIMITS = {
  messageBytes: 8 * 1024,
  traceBytes: 64 * 1024,
  name: 1024,
  path: 64,
  parameters: 50,
  parameter: 1024,
  attempts: 100,
} as const;

/** `results`: those beyond are left out; `jsonBytes`: of a JSON report, which is read whole. */
export const READER_LIMITS = { results: 100_000, jsonBytes: 64 * 1024 * 1024 };
export type ReaderLimits = typeof READER_LIMITS;

/** What is wrong with a field, and where it is (RFC 6901). */
export interface FieldFault {
  pointer: string;
  detail: string;
}

export interface ReportReader {
  write(chunk: Uint8Array): void;
  end(): void | Promise<void>;
  head: ReportHead;
  format: ReportFormat;
}

type Text = string | null;

/** What a report says about its run, before it is read. Times are RFC 3339 in UTC with milliseconds. */
export function emptyHead() {
  return {
    name: null as Text,
    tool: null as Text,
    reportId: null as Text,
    startedAt: null as Text,
    finishedAt: null as Text,
    /** Whether the times were written with their zone; without one they are taken as UTC. */
    zoned: false,
    durationMs: null as number | null,
    environment: null as Text,
    branch: null as Text,
    commit: null as Text,
  };
}
export type ReportHead = ReturnType<typeof emptyHead>;

export function noTotals(): ResultTotals {
  return { tests: 0, passed: 0, failed: 0, broken: 0, skipped: 0, unknown: 0, flaky: 0 };
}

const MAX_PER_CODE = 20;
const MAX_DETAIL = 500;

export type Problems = ReturnType<typeof createProblems>;

export function createProblems() {
  const problems: ReportProblem[] = [];
  const counts = new Map<ProblemCode, number>();
  return {
    /** Beyond the first twenty of a code problems are only counted. */
    add(code: ProblemCode, detail: string, at: { line?: number; pointer?: string } = {}): void {
      const count = (counts.get(code) ?? 0) + 1;
      counts.set(code, count);
      if (count > MAX_PER_CODE) return;
      const text = detail
        .toWellFormed()
        .replace(/\p{Cc}+/gu, ' ')
        .slice(0, MAX_DETAIL);
      problems.push({ code, detail: text, line: at.line ?? null, pointer: at.pointer ?? null });
    },
    /** In the order in which they came, with a last one of a code that counts those left out. */
    list(): ReportProblem[] {
      const more = [...counts].filter(([, count]) => count > MAX_PER_CODE);
      return [
        ...problems,
        ...more.map(([code, count]) => {
          const detail = `and ${count - MAX_PER_CODE} more like these`;
          return { code, detail, line: null, pointer: null };
        }),
      ];
    },
  };
}

export interface Totals {
  tests: number;
  /** Failures and errors, of which one test may have several. */
  failing: number;
  skipped: number;
}

/** Reports a place that holds less than it states. Skipped tests may be stated and not listed. */
export function checkTotals(
  problems: Problems,
  place: string,
  stated: Totals,
  found: Totals,
): void {
  const lost = stated.tests - found.tests;
  if (stated.failing <= found.failing && lost <= Math.max(stated.skipped - found.skipped, 0))
    return;
  const says = `${stated.tests} tests, ${stated.failing} failed, ${stated.skipped} skipped`;
  const holds = `${found.tests} tests, ${found.failing} failed, ${found.skipped} skipped`;
  problems.add('totals_disagree', `${place} states ${says} and holds ${holds}`);
}

export const NO_REPORT = 'this is no test report that I know (JUnit XML, CTRF, TAP, pqrs JSON)';
export const DETECT_BYTES = 4096;

function formatOfMediaType(mediaType: string): ReaderFormat | undefined {
  const [type = ''] = mediaType.toLowerCase().split(';', 1);
  if (/^application\/vnd\.ctrf\+json\s*$/.test(type)) return 'ctrf';
  if (/[/+]xml\s*$/.test(type)) return 'junit';
  if (/[/+]json\s*$/.test(type)) return 'json';
  return /\/(?:x-)?tap\s*$/.test(type) ? 'tap' : undefined;
}

/** The format of a report by its first bytes; undefined where they tell none. */
export function formatOfBytes(start: Uint8Array): ReaderFormat | undefined {
  const text = new TextDecoder().decode(start.subarray(0, DETECT_BYTES));
  // UTF-16 as well, of which half is NUL and its mark is no UTF-8.
  const begin = text.replace(/[\0\ufffd]/g, '').trimStart();
  if (begin.startsWith('<')) return 'junit';
  if (begin.startsWith('{')) return 'json';
  const isTap = /^(?:TAP version \d|\d+\.\.\d+|(?:not )?ok\b|Bail out!)/im.test(begin);
  return isTap ? 'tap' : undefined;
}

export function detectFormat(
  mediaType: string | undefined,
  start: Uint8Array,
): ReaderFormat | undefined {
  return formatOfMediaType(mediaType ?? '') ?? formatOfBytes(start);
}

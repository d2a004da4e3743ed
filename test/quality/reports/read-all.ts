// Reads a whole report for a test: its results in one list, and its summary.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type KeyedResult,
  type ReadOptions,
  type ReportSummary,
  readReport,
} from '../../../src/quality/reports/read.ts';

export interface WholeReport {
  results: KeyedResult[];
  summary: ReportSummary;
  /** How large each batch was. */
  batches: number[];
  /** Codes of problems, each once. */
  codes: string[];
}

/** The bytes of a report of our own. */
export function fixture(name: string): Uint8Array {
  return readFileSync(join(import.meta.dir, '..', '..', 'fixtures', 'reports', name));
}

/** The reports of our own that are whole. */
export const FIXTURES = [
  'bun-1.4-load-failure.xml',
  'surefire.xml',
  'dialects.xml',
  'ctrf.json',
  'pqrs.json',
  'tap-14.tap',
  'node-20.tap',
] as const;

/** Cuts bytes into chunks of a size. */
export function* inChunks(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads a report that is given as a text, as bytes or in chunks. */
export async function readAll(
  report: string | Uint8Array | Iterable<Uint8Array>,
  options: ReadOptions = {},
): Promise<WholeReport> {
  const bytes = typeof report === 'string' ? new TextEncoder().encode(report) : report;
  const chunks = bytes instanceof Uint8Array ? [bytes] : bytes;
  const results: KeyedResult[] = [];
  const batches: number[] = [];
  let summary: ReportSummary | undefined;
  for await (const part of readReport(chunks, options)) {
    if (part.type === 'summary') summary = part.summary;
    else {
      results.push(...part.results);
      batches.push(part.results.length);
    }
  }
  if (summary === undefined) throw new Error('a report without a summary');
  const codes = summary.problems.map(({ code }) => code);
  return { results, summary, batches, codes: [...new Set(codes)] };
}

/** A result as one line: where, name, status. */
export function lineOf({ file, path, name, status }: KeyedResult): string {
  return `${[file ?? '-', ...path, name].join(' | ')} = ${status}`;
}

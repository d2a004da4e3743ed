// Collects what is to be said of one ReqIF file, and whether anything of it was not kept.

import type { FindingCode } from './finding-codes.ts';
import type { Severity, SourceFinding } from './model.ts';

/** What a finding may name beside its place. */
export interface Concerned {
  itemId?: string | null;
  relatedIds?: string[];
}

/** The findings of one kind in one document that are told one by one; the others are counted. */
const MOST_OF_A_CODE = 200;

/** The findings of a document. `partial`: something of it could not be kept. */
export interface ReqifReport {
  path: string;
  /** The name of the document inside an archive. */
  inner: string | null;
  partial: boolean;
  say(code: FindingCode, severity: Severity, line: number, detail: string, of?: Concerned): void;
  /** Says it, and that something was not kept. */
  lose(code: FindingCode, severity: Severity, line: number, detail: string, of?: Concerned): void;
  /** All that was said, and of what was said too often how often it was. */
  findings(): SourceFinding[];
}

/** A report without findings for the document at `path`, or for `inner` in the archive there. */
export function createReport(path: string, inner: string | null): ReqifReport {
  const findings: SourceFinding[] = [];
  const told = new Map<FindingCode, { count: number; severity: Severity }>();
  const push = (
    code: FindingCode,
    severity: Severity,
    line: number,
    detail: string,
    { itemId = null, relatedIds = [] }: Concerned,
  ) => {
    const said = inner === null ? detail : `${inner}: ${detail}`;
    findings.push({ code, severity, path, line, itemId, relatedIds, detail: said });
  };
  const report: ReqifReport = {
    path,
    inner,
    partial: false,
    say(code, severity, line, detail, of = {}) {
      const before = told.get(code)?.count ?? 0;
      told.set(code, { count: before + 1, severity });
      if (before < MOST_OF_A_CODE) push(code, severity, line, detail, of);
    },
    lose(code, severity, line, detail, of) {
      report.partial = true;
      report.say(code, severity, line, detail, of);
    },
    findings() {
      for (const [code, { count, severity }] of told) {
        const more = count - MOST_OF_A_CODE;
        if (more > 0) push(code, severity, 0, `${more} more findings of this kind.`, {});
      }
      return findings;
    },
  };
  return report;
}

/** Counts what recurs, so that one cause is named once: the first line, and how often. */
export interface Tally {
  count(key: string, line: number, times?: number): void;
  entries(): IterableIterator<[string, { line: number; times: number }]>;
}

/** A tally of nothing. */
export function createTally(): Tally {
  const seen = new Map<string, { line: number; times: number }>();
  return {
    count(key, line, count = 1) {
      const entry = seen.get(key);
      if (entry === undefined) seen.set(key, { line, times: count });
      else entry.times += count;
    },
    entries: () => seen.entries(),
  };
}

/** `once` or `12 times`. */
export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** The first of a list, ten unless said otherwise, and how many more. */
export function some(names: readonly string[], most = 10): string {
  const more = names.length - most;
  const shown = names
    .slice(0, most)
    .map((name) => (name.length > 120 ? `${name.slice(0, 120)}…` : name));
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

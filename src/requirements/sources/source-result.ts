// Building the result of a reader: findings by the file they are in, and the state of each file.
import type { FindingCode } from './finding-codes.ts';
import type {
  Severity,
  SourceFile,
  SourceFinding,
  SourceItem,
  SourceResult,
  SourceStatus,
} from './model.ts';
import { DAMAGED, decodeSource } from './text.ts';

/** The findings of one kind in one file that are told one by one; the others are counted. */
const MOST_OF_A_CODE = 200;

/** A result in which nothing has been read yet. */
export function emptyResult(): SourceResult {
  return { items: [], links: [], scenarios: [], routes: [], findings: [], statuses: new Map() };
}

/** The files by their paths, whatever order they came in. */
export function byPath(files: readonly SourceFile[]): SourceFile[] {
  return [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** What reads one file into a result. */
export type FileReader = (file: SourceFile, result: SourceResult, notes: FileNotes) => void;

/** Reads files of which none needs another, in the order of their paths; items by path and line. */
export function readEach(files: readonly SourceFile[], read: FileReader): SourceResult {
  const result = emptyResult();
  for (const file of byPath(files)) {
    const notes = notesOn(result, file.path);
    read(file, result, notes);
    notes.finish();
  }
  return { ...result, items: inOrder(result.items) };
}

/** Puts items in the order of path and line, items of one line as they stand. */
export function inOrder(items: readonly SourceItem[]): SourceItem[] {
  return [...items].sort((a, b) =>
    a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1,
  );
}

/** What a finding says besides its place. */
export interface FindingParts {
  severity?: Severity;
  itemId?: string | null;
  relatedIds?: string[];
}

/** Notes findings of one file, a bounded number of each code, and what became of the file. */
export interface FileNotes {
  readonly path: string;
  /** Notes something that could be kept as it is. */
  note(code: FindingCode, line: number, detail: string, parts?: FindingParts): void;
  /** Notes something that could not be kept: the file is `partial`. */
  lose(code: FindingCode, line: number, detail: string, parts?: FindingParts): void;
  /** Nothing of the file could be read. */
  fail(line: number, detail: string): void;
  /** Writes the findings and the state of the file to the result. */
  finish(): void;
}

/** A finding that counts those of one kind in a file that are not told one by one. */
function restOf({ code, severity, path }: SourceFinding, count: number): SourceFinding {
  const detail = `${count} more findings of this kind are in the file.`;
  return { code, severity, path, line: 0, itemId: null, relatedIds: [], detail };
}

/** Findings of many files, of each code in a file a bounded number, in their order; then the rest, counted. */
export function boundedFindings(findings: readonly SourceFinding[]): SourceFinding[] {
  if (findings.length <= MOST_OF_A_CODE) return [...findings];
  const counts = new Map<string, { first: SourceFinding; count: number }>();
  const told = findings.filter((finding) => {
    const key = `${finding.code} ${finding.path}`;
    const counted = counts.get(key) ?? { first: finding, count: 0 };
    counts.set(key, counted);
    counted.count++;
    return counted.count <= MOST_OF_A_CODE;
  });
  for (const { first, count } of counts.values())
    if (count > MOST_OF_A_CODE) told.push(restOf(first, count - MOST_OF_A_CODE));
  return told;
}

/** Notes on one file for a result. */
export function notesOn(result: SourceResult, path: string): FileNotes {
  const findings: SourceFinding[] = [];
  const told = new Map<FindingCode, number>();
  let status: SourceStatus = 'parsed';
  const add = (
    code: FindingCode,
    severity: Severity,
    line: number,
    detail: string,
    parts: FindingParts,
  ) => {
    const before = told.get(code) ?? 0;
    told.set(code, before + 1);
    if (before >= MOST_OF_A_CODE) return;
    const { itemId = null, relatedIds = [] } = parts;
    findings.push({
      code,
      severity: parts.severity ?? severity,
      path,
      line,
      itemId,
      relatedIds,
      detail,
    });
  };
  return {
    path,
    note: (code, line, detail, parts = {}) => add(code, 'info', line, detail, parts),
    lose(code, line, detail, parts = {}) {
      if (status === 'parsed') status = 'partial';
      add(code, 'warning', line, detail, parts);
    },
    fail(line, detail) {
      status = 'failed';
      add('unparsed_source', 'error', line, detail, {});
    },
    finish() {
      for (const [code, count] of told) {
        if (count <= MOST_OF_A_CODE) continue;
        const first = findings.find((one) => one.code === code);
        if (first !== undefined) findings.push(restOf(first, count - MOST_OF_A_CODE));
      }
      result.findings.push(...findings);
      result.statuses.set(path, status);
    },
  };
}

/** The text of a file; bytes that are no characters are noted. */
export function textOf(file: SourceFile, notes: FileNotes): string {
  const { text, damagedLine } = decodeSource(file.bytes);
  if (damagedLine !== null) {
    notes.lose('invalid_encoding', damagedLine, DAMAGED);
  }
  return text;
}

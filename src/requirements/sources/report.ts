// The result of a reader while it is made: items and links, findings of each file, and how it fared.
import type { Loss } from './account.ts';
import { type FindingCode, type Severity, severityOf } from './findings.ts';
import { usableId } from './item-ids.ts';
import type { SourceFile, SourceItem, SourceResult, SourceStatus } from './model.ts';
import { decodeSource } from './text.ts';
import { SourceFault } from './tree/fault.ts';

const MAX_OF_A_CODE = 200;
const MAX_TRIVIAL = 50;

export interface FindingParts {
  /** Where it is less than the table says, as of an item that nobody has reviewed yet. */
  severity?: Severity;
  itemId?: string | null;
  relatedIds?: string[];
  /** Whether something of the file is lost with it: then the file is `partial`. */
  isLoss?: boolean;
}

/** Reports what a reader finds in one file, and how the file fared. */
export interface FileReport {
  readonly path: string;
  report(code: FindingCode, line: number, detail: string, parts?: FindingParts): void;
  /**
   * Reports what was not kept: each loss is a warning and makes the file `partial`; all that the
   * format calls trivial are one info together.
   */
  reportLosses(losses: Iterable<Loss>, isTrivial?: (loss: Loss) => boolean): void;
  /** Nothing of the file could be read: the parser's own error and its line. */
  fail(line: number, detail: string): void;
  finish(): void;
}

export function emptyResult(): SourceResult {
  return { items: [], links: [], scenarios: [], routes: [], findings: [], statuses: new Map() };
}

/** The files by their paths, whatever order they came in. */
export function byPath<T extends Pick<SourceFile, 'path'>>(files: readonly T[]): T[] {
  return [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Reads a file or a part of it; what its parser refuses fails the file, and gives null. */
export function readOrFail<T>(report: FileReport, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    report.fail(error.line, error.message);
    return null;
  }
}

/** An item that says nothing but what it is and where it stands. */
export function bareItem(
  item: Pick<SourceItem, 'id' | 'kind' | 'title' | 'path' | 'line' | 'parentId'>,
): SourceItem {
  return {
    ...item,
    statement: '',
    acceptance: [],
    rationale: null,
    status: null,
    priority: null,
    tags: [],
    attributes: {},
    active: true,
  };
}

/** The document that a file is, called by its name until it says another title. */
export function documentItem(path: string): SourceItem {
  const title = path.slice(path.lastIndexOf('/') + 1);
  return bareItem({ id: usableId(path), kind: 'document', title, path, line: 1, parentId: null });
}

/** Puts items in the order of path and line, items of one line as they stand. */
export function inOrder(items: readonly SourceItem[]): SourceItem[] {
  return [...items].sort((a, b) =>
    a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1,
  );
}

export function reportOn(result: SourceResult, path: string): FileReport {
  const counts = new Map<FindingCode, number>();
  let status: SourceStatus = 'parsed';

  function add(
    code: FindingCode,
    severity: Severity,
    line: number,
    detail: string,
    { itemId = null, relatedIds = [] }: FindingParts = {},
  ): void {
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    if (count > MAX_OF_A_CODE) return;
    result.findings.push({ code, severity, path, line, itemId, relatedIds, detail });
  }

  return {
    path,
    report(code, line, detail, parts) {
      if (parts?.isLoss && status === 'parsed') status = 'partial';
      add(code, parts?.severity ?? severityOf(code), line, detail, parts);
    },
    reportLosses(losses, isTrivial = () => false) {
      const trivial: Loss[] = [];
      for (const loss of losses) {
        if (isTrivial(loss)) {
          trivial.push(loss);
          continue;
        }
        if (status === 'parsed') status = 'partial';
        add('not_kept', 'warning', loss.line, `Not kept: ${lossText(loss)}`);
      }
      const [first] = trivial;
      if (first === undefined) return;
      const more = trivial.length - MAX_TRIVIAL;
      const names = trivial.slice(0, MAX_TRIVIAL).map(lossText).join('; ');
      const detail = `Not kept, and of no weight: ${names}${more > 0 ? `; and ${more} more` : ''}`;
      add('not_kept', 'info', first.line, detail);
    },
    fail(line, detail) {
      status = 'failed';
      add('unparsed_source', severityOf('unparsed_source'), line, detail);
    },
    finish() {
      for (const [code, count] of counts) {
        if (count <= MAX_OF_A_CODE) continue;
        const detail = `${count - MAX_OF_A_CODE} more findings of this kind are in the file.`;
        result.findings.push({
          code,
          severity: severityOf(code),
          path,
          line: 0,
          itemId: null,
          relatedIds: [],
          detail,
        });
      }
      result.statuses.set(path, status);
    },
  };
}

function lossText({ what, text, times }: Loss): string {
  return `${what}${times > 1 ? ` (${times} times)` : ''}${text === '' ? '' : `: ${text}`}`;
}

/** The text of a file; bytes that are no characters are reported. */
export function textOf(file: SourceFile, report: FileReport): string {
  const { text, damagedLine } = decodeSource(file.bytes);
  if (damagedLine !== null) {
    const detail = 'Some bytes are not UTF-8 text; they were read as U+FFFD.';
    report.report('invalid_encoding', damagedLine, detail);
  }
  return text;
}

// Documents of StrictDoc that take in others, or fragments of documents.
import type { ParsedDocument, Report } from './strictdoc-model.ts';

/** A path beside a file, with `..` taken out of it; empty where it leaves the top. */
export function beside(path: string, name: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const part of name.replaceAll('\\', '/').split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return '';
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return name.startsWith('/') ? '' : parts.join('/');
}

/** What takes a document in, and where. */
export interface Inclusion {
  /** The path of what takes it in. */
  by: string;
  parentId: string;
  line: number;
  report: Report;
}

/** By the path of a document that another takes in, where it does. */
export function includedIn(documents: readonly ParsedDocument[]): Map<string, Inclusion> {
  const byPath = new Map(documents.map((document) => [document.path, document]));
  const around = new Map<string, Inclusion>();
  for (const { path, id, content, ids, report } of documents) {
    for (const { what, file, line, parent } of content.includes) {
      const target = byPath.get(beside(path, file));
      const by = target && around.get(target.path)?.by;
      const shown = file.slice(0, 200);
      if (target === undefined) {
        const detail =
          file === ''
            ? `No FILE says which ${what} is to be taken in here.`
            : `The ${what} ${shown} is not in the sources.`;
        report('include_not_found', 'warning', line, detail, id);
      } else if (target.path === path) {
        report('include_cycle', 'error', line, `${path} takes in itself: that is left out.`, id);
      } else if (by !== undefined) {
        report('include_repeated', 'warning', line, `${shown} is taken in by ${by} already.`, id, [
          target.id,
        ]);
      } else {
        const parentId = parent === null ? id : (ids[parent] ?? id);
        around.set(target.path, { by: path, parentId, line, report });
      }
    }
  }
  cutCycles(around);
  return around;
}

/** Takes one document out of each ring in which documents take in each other. */
function cutCycles(around: Map<string, Inclusion>): void {
  const walks = new Map<string, string>();
  for (const start of around.keys()) {
    let here: string | undefined = start;
    while (here !== undefined && !walks.has(here)) {
      walks.set(here, start);
      here = around.get(here)?.by;
    }
    if (here === undefined || walks.get(here) !== start) continue;
    const place = around.get(here);
    place?.report(
      'include_cycle',
      'error',
      place.line,
      `${here} is taken in by what it takes in itself.`,
    );
    around.delete(here);
  }
}

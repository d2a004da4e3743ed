// Documents of StrictDoc that take in others, or fragments of documents.
import type { FileReport } from '../report.ts';
import type { ParsedDocument } from './model.ts';

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
  report: FileReport;
}

/** By the path of a document that another takes in, where it does. */
export function includedIn(documents: readonly ParsedDocument[]): Map<string, Inclusion> {
  const byPath = new Map(documents.map((document) => [document.path, document]));
  const around = new Map<string, Inclusion>();
  for (const { path, id, content, ids, report } of documents) {
    for (const { file, line, parent } of content.includes) {
      const target = byPath.get(beside(path, file));
      const by = target && around.get(target.path)?.by;
      const shown = JSON.stringify(file.slice(0, 200));
      const of = { itemId: id };
      if (target === undefined) {
        report.report('missing_file', line, `The file ${shown} is not in the sources.`, of);
      } else if (target.path === path) {
        report.report('reference_cycle', line, `${path} takes in itself.`, of);
      } else if (by !== undefined) {
        report.report('ambiguous_place', line, `${by} takes ${shown} in already.`, {
          itemId: id,
          relatedIds: [target.id],
        });
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
    const detail = `${here} is taken in by what it takes in itself.`;
    place?.report.report('reference_cycle', place.line, detail);
    around.delete(here);
  }
}

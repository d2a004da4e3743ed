// Reads ReqIF (OMG Requirements Interchange Format 1.0 to 1.2): `.reqif` documents and `.reqifz`
// archives of them. Objects become items, specifications documents, their hierarchies the parents,
// relations links.
import type {
  SourceFile,
  SourceItem,
  SourceReader,
  SourceResult,
  TextAttributes,
} from '../model.ts';
import { byPath, emptyResult, type FileReport, reportOn } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { openXmlBudget, type XmlBudget } from '../tree/xml.ts';
import { isArchive, openArchive } from './archive.ts';
import { type ReqifDocument, readDocument } from './document.ts';
import { assignIds, draftOf } from './items.ts';
import { finderOf, joinDocuments } from './set.ts';
import { linksOf, type Placed, placeItems } from './structure.ts';
import { chooseTexts } from './text-attribute.ts';

/**
 * Reads ReqIF files as one set: a reference that a document does not resolve may be to another. Items
 * come in the order of paths and, within a file, of the hierarchies, which `order` has; the line of an
 * item is that of its SPEC-OBJECT, in an archive that in the document inside.
 */
export const readReqif: SourceReader = (files, _others, options = {}) => {
  const result = emptyResult();
  const documents: ReqifDocument[] = [];
  const reports: FileReport[] = [];
  const wanted = new Map<string, string>();
  const budget = openXmlBudget();
  for (const file of byPath(files)) {
    const report = reportOn(result, file.path);
    reports.push(report);
    if (file.textAttribute !== undefined) wanted.set(file.path, file.textAttribute);
    try {
      for (const document of documentsIn(file, report, budget)) documents.push(document);
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      report.fail(error.line, error.message);
    }
  }
  readAll(documents, wanted, options.textAttributes ?? new Map(), result);
  for (const report of reports) report.finish();
  return result;
};

/** The documents of a file. @throws SourceFault where one of them cannot be read */
function documentsIn(file: SourceFile, report: FileReport, budget: XmlBudget): ReqifDocument[] {
  if (!isArchive(file.bytes)) return [readDocument(file.bytes, null, report, budget)];
  return openArchive(file.bytes, report).map(({ name, bytes }) => {
    try {
      return readDocument(bytes, name, within(report, name), budget);
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      throw new SourceFault(error.line, `${name}: ${error.message}`);
    }
  });
}

function within(report: FileReport, name: string): FileReport {
  return {
    ...report,
    report: (code, line, detail, parts) => report.report(code, line, `${name}: ${detail}`, parts),
    reportLosses: (losses, isTrivial) => {
      const named = [...losses].map((loss) => ({ ...loss, text: `${loss.text} (${name})` }));
      report.reportLosses(named, isTrivial);
    },
  };
}

function readAll(
  documents: readonly ReqifDocument[],
  wanted: ReadonlyMap<string, string>,
  before: TextAttributes,
  result: SourceResult,
): void {
  const resolve = joinDocuments(documents);
  const elements = documents.flatMap((document) =>
    [...document.specifications, ...document.objects].map((one) => resolve(document, one)),
  );
  const relations = documents.flatMap((document) =>
    document.relations.map((one) => resolve(document, one)),
  );
  const texts = chooseTexts(elements, wanted, before);
  const drafts = elements.map((element) => draftOf(element, texts));
  assignIds(drafts);
  const find = finderOf(documents, drafts);
  result.links = linksOf(documents, relations, find);
  result.items = itemsOf(documents, placeItems(drafts, find));
  result.textAttributes = texts.chosen;
  // Values are as large as the file, and a collector that scans the stack may find them for long.
  for (const { source, reads } of elements) {
    source.values.length = 0;
    reads.length = 0;
  }
  for (const { report, faults } of documents)
    for (const [detail, { code, line, times }] of faults)
      report.report(code, line, times > 1 ? `${detail} (${times} times)` : detail);
}

/** The items, by file and in the order in which hierarchies show them. */
function itemsOf(documents: readonly ReqifDocument[], placed: readonly Placed[]): SourceItem[] {
  const orders = new Map<string, number>();
  const items = new Map(documents.map(({ path }) => [path, [] as SourceItem[]]));
  for (const { draft, parentId, path } of placed) {
    const order = orders.get(path) ?? 0;
    orders.set(path, order + 1);
    items.get(draft.item.path)?.push({
      ...draft.item,
      ...(path === draft.item.path ? {} : { among: path }),
      order,
      attributes: Object.fromEntries(draft.attributes),
      parentId,
    });
  }
  return [...items.values()].flat();
}

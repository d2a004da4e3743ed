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
import { type FindDraft, type Placed, placeItems } from './hierarchy.ts';
import { assignIds, type Draft, draftOf, setText } from './items.ts';
import { linksOf } from './links.ts';
import { joinDocuments } from './set.ts';
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

/** A report that names the document in the archive. */
function within(report: FileReport, name: string): FileReport {
  return {
    ...report,
    report: (code, line, detail, parts) => report.report(code, line, `${name}: ${detail}`, parts),
    reportLosses: (losses, isTrivial) =>
      report.reportLosses(
        [...losses].map((loss) => ({ ...loss, what: `${name}: ${loss.what}` })),
        (loss) => isTrivial?.({ ...loss, what: loss.what.slice(name.length + 2) }) ?? false,
      ),
  };
}

function readAll(
  documents: readonly ReqifDocument[],
  wanted: ReadonlyMap<string, string>,
  before: TextAttributes,
  result: SourceResult,
): void {
  const set = joinDocuments(documents);
  const elements = documents.flatMap((document) => [
    ...document.specifications.map((one) => ({
      ...set.resolve(document, one),
      places: one.children,
    })),
    ...document.objects.map((one) => ({ ...set.resolve(document, one), places: undefined })),
  ]);
  const texts = chooseTexts(set, elements, wanted, before);
  const drafts = elements.map(({ places, ...element }) => ({
    places,
    draft: draftOf(element, places !== undefined, texts),
  }));
  assignIds(drafts.map(({ draft }) => draft));
  const specifications = drafts.flatMap(({ draft, places }) => (places ? { draft, places } : []));
  for (const { draft } of specifications)
    for (const [name, value] of draft.document.header)
      setText(draft.attributes, `reqif:header:${name}`, value);
  const objects = drafts.flatMap(({ draft, places }) => (places ? [] : [draft]));
  const find = finderOf(documents, objects);
  const findSpecification = finderOf(
    documents,
    specifications.map(({ draft }) => draft),
  );
  const placed = placeItems(specifications, objects, find);
  const ends: FindDraft = (document, id) => find(document, id) ?? findSpecification(document, id);
  for (const link of linksOf(documents, set, ends)) result.links.push(link);
  set.finish();
  result.items = itemsOf(documents, placed);
  result.textAttributes = texts.chosen;
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

/** Finds items by identifier: the first of a document, else the first of all documents. */
function finderOf(documents: readonly ReqifDocument[], drafts: readonly Draft[]): FindDraft {
  const anywhere = new Map<string, Draft>();
  const inside = new Map(documents.map((document) => [document, new Map<string, Draft>()]));
  for (const draft of drafts) {
    const { identifier, line } = draft.source;
    if (identifier === '') continue;
    const own = inside.get(draft.document);
    const first = own?.get(identifier);
    if (!first) own?.set(identifier, draft);
    else if (first.item.id !== draft.item.id) {
      const detail = `Another object has the IDENTIFIER ${identifier}: references mean ${first.item.id}.`;
      draft.document.report.report('duplicate_id', line, detail, { itemId: draft.item.id });
    }
    if (!anywhere.has(identifier)) anywhere.set(identifier, draft);
  }
  return (document, identifier) =>
    inside.get(document)?.get(identifier) ?? anywhere.get(identifier);
}

// Reads ReqIF (OMG Requirements Interchange Format 1.0 to 1.2): `.reqif` documents and `.reqifz`
// archives of them. Objects become items, specifications documents, their hierarchies the parents,
// relations links.

import type { SourceFile, SourceItem, SourceReader, SourceResult } from './model.ts';
import { isArchive, openArchive } from './reqif-archive.ts';
import {
  isOwnRoot,
  type ReqifDocument,
  readReqifDocument,
  type Specification,
  type SpecRelation,
} from './reqif-document.ts';
import { type Draft, draftOf } from './reqif-drafts.ts';
import { groupsOf } from './reqif-groups.ts';
import { assignIds } from './reqif-identity.ts';
import { keepBeside } from './reqif-kept-values.ts';
import { linksOf } from './reqif-links.ts';
import { type FindObject, placeItems } from './reqif-places.ts';
import { repeatedSpecifications } from './reqif-repeated-specifications.ts';
import { createReport, type ReqifReport } from './reqif-report.ts';
import { createSameLinks } from './reqif-same-links.ts';
import { createReqifSet } from './reqif-set.ts';
import { createXmlBudget, type XmlBudget } from './reqif-xml.ts';

/** How many elements of each sort a file has, whatever became of them. */
export interface ReqifCounts {
  objects: number;
  relations: number;
  places: number;
  specifications: number;
  relationGroups: number;
}

/**
 * Reads ReqIF files as one set: a reference that a document does not resolve may be to another.
 * Items come in the order of paths and, within a file, of the hierarchies, which `order` tells;
 * the line of an item is that of its SPEC-OBJECT, in an archive that in the document inside.
 */
export const readReqif: SourceReader = (files) => readReqifCounted(files).result;

/** {@link readReqif} with the number of elements in each file, by path. */
export function readReqifCounted(files: readonly SourceFile[]): {
  result: SourceResult;
  counts: Map<string, ReqifCounts>;
} {
  const sorted = [...files].sort((a, b) => compare(a.path, b.path));
  const result: SourceResult = {
    items: [],
    links: [],
    scenarios: [],
    routes: [],
    findings: [],
    statuses: new Map(),
  };
  const counts = new Map<string, ReqifCounts>();
  const documents: ReqifDocument[] = [];
  const reports: ReqifReport[] = [];
  const budget = createXmlBudget();
  for (const file of sorted) {
    const mine = openFile(file, reports, budget);
    counts.set(file.path, countOf(mine));
    result.statuses.set(file.path, mine.length === 0 ? 'failed' : 'parsed');
    for (const document of mine) documents.push(document);
  }
  readDocuments(documents, result);
  for (const report of reports) {
    for (const finding of report.findings()) result.findings.push(finding);
    if (report.partial && result.statuses.get(report.path) === 'parsed') {
      result.statuses.set(report.path, 'partial');
    }
  }
  result.findings.sort((a, b) => compare(a.path, b.path) || a.line - b.line);
  return { result, counts };
}

/** The documents of a file: of an archive all that can be read. */
function openFile(file: SourceFile, reports: ReqifReport[], budget: XmlBudget): ReqifDocument[] {
  const report = createReport(file.path, null);
  reports.push(report);
  if (!isArchive(file.bytes)) {
    const document = readReqifDocument(file.bytes, report, budget);
    return document === undefined ? [] : [document];
  }
  const documents: ReqifDocument[] = [];
  for (const { name, bytes } of openArchive(file.bytes, report)) {
    const inner = createReport(file.path, name);
    reports.push(inner);
    const document = readReqifDocument(bytes, inner, budget);
    if (document !== undefined) documents.push(document);
  }
  return documents;
}

function readDocuments(documents: readonly ReqifDocument[], result: SourceResult): void {
  const set = createReqifSet(documents);
  const specifications = new Map<Specification, Draft>();
  const objects: Draft[] = [];
  const own = new Map<ReqifDocument, Draft[]>();
  const all: Draft[] = [];
  for (const document of documents) {
    const mine: Draft[] = [];
    for (const specification of document.specifications) {
      if (isOwnRoot(specification)) continue;
      const draft = draftOf(set, document, specification, true);
      // What the header of a document of ours says is of the export alone.
      const header = document.written === undefined ? document.header : {};
      for (const [name, value] of Object.entries(header)) {
        if (value !== '') keepBeside(draft.attributes, `reqif:header:${name}`, value);
      }
      specifications.set(specification, draft);
      mine.push(draft);
    }
    for (const object of document.objects) {
      const draft = draftOf(set, document, object, false);
      objects.push(draft);
      mine.push(draft);
    }
    own.set(document, mine);
    for (const draft of mine) all.push(draft);
  }
  const ids = assignIds(all);
  const find = finderOf(documents, objects);
  const repeated = repeatedSpecifications(documents, specifications, ids);
  const placed = placeItems(documents, specifications, repeated, objects, find, ids);
  const { parents, ordered, again, among, specificationOf } = placed;
  // Behind all others of their file: what comes before them is below the first of their id.
  const last = [...again, ...repeated];
  const ends = {
    object: find,
    specification: finderOf(documents, [...specifications.values()]),
    ids,
    groups: groupsOf(set, (document, identifier) => {
      const found = find(document, identifier);
      return found && specificationOf.get(found);
    }),
    linked: new Set<SpecRelation>(),
  };
  const same = createSameLinks();
  for (const document of documents) {
    const links = linksOf(set, document, own.get(document) ?? [], ends);
    same.look(links, document.report);
    for (const link of links) result.links.push(link);
  }
  ends.groups.tell(ends.linked);
  set.conclude();
  const orders = new Map<string, number>();
  const places = new Map<Draft, number>();
  for (const draft of [...ordered, ...last]) {
    const path = among.get(draft) ?? draft.item.path;
    const order = orders.get(path) ?? 0;
    orders.set(path, order + 1);
    places.set(draft, order);
  }
  for (const draft of [...inPathOrder(documents, ordered), ...last]) {
    const elsewhere = among.get(draft);
    result.items.push({
      ...draft.item,
      ...(elsewhere === undefined ? {} : { among: elsewhere }),
      order: places.get(draft) ?? 0,
      id: ids.get(draft) ?? '',
      attributes: Object.fromEntries(draft.attributes),
      parentId: parents.get(draft) ?? null,
    } satisfies SourceItem);
  }
}

/** Finds items by identifier: the first of a document, else the first of all documents. */
function finderOf(documents: readonly ReqifDocument[], items: readonly Draft[]): FindObject {
  const anywhere = new Map<string, Draft>();
  const inside = new Map<ReqifDocument, Map<string, Draft>>();
  for (const document of documents) inside.set(document, new Map());
  for (const draft of items) {
    const { identifier } = draft.element;
    if (identifier === '') continue;
    const mine = inside.get(draft.document);
    if (mine !== undefined && !mine.has(identifier)) mine.set(identifier, draft);
    if (!anywhere.has(identifier)) anywhere.set(identifier, draft);
  }
  return (document, identifier) =>
    inside.get(document)?.get(identifier) ?? anywhere.get(identifier);
}

/** Keeps the order within a document, and that of the documents. */
function inPathOrder(documents: readonly ReqifDocument[], drafts: readonly Draft[]): Draft[] {
  const byDocument = new Map<ReqifDocument, Draft[]>();
  for (const document of documents) byDocument.set(document, []);
  for (const draft of drafts) byDocument.get(draft.document)?.push(draft);
  return [...byDocument.values()].flat();
}

function countOf(documents: readonly ReqifDocument[]): ReqifCounts {
  const counts = { objects: 0, relations: 0, places: 0, specifications: 0, relationGroups: 0 };
  for (const document of documents) {
    counts.objects += document.objects.length;
    counts.relations += document.relations.length;
    counts.places += document.places;
    counts.specifications += document.specifications.length;
    counts.relationGroups += document.groups.length;
  }
  return counts;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

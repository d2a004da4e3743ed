// Reads requirements of Doorstop: folders with a `.doorstop.yml`, one file an item, links with the
// stamp of what they were confirmed against. Says what Doorstop's own check says, and writes nothing.
import { createHash } from 'node:crypto';
import {
  checkItems,
  checkLevels,
  checkUids,
  compareItems,
  type DoorstopItem,
  isSuspect,
  linkStamp,
} from './doorstop-check.ts';
import { type DoorstopDocument, type Report, readDocument } from './doorstop-document.ts';
import { readYamlItem } from './doorstop-item.ts';
import { documentItem, ITEM_LINE, isHeading, sourceItem } from './doorstop-items.ts';
import { isBelow } from './doorstop-level.ts';
import { readMarkdownItem } from './doorstop-markdown.ts';
import { documentOf, foldersOf, isConfig, treeFindings } from './doorstop-tree.ts';
import { parseUid, prefixKey } from './doorstop-uid.ts';
import type {
  SourceFile,
  SourceFinding,
  SourceItem,
  SourceLink,
  SourceReader,
  SourceStatus,
} from './model.ts';
import { boundedFindings } from './source-result.ts';
import { DAMAGED, decodeSource } from './text.ts';

const YAML_FILE = /\.ya?ml$/i;
const MARKDOWN_FILE = /\.md$/i;

/** Reads the documents and items of Doorstop. Files that are neither have the status `ignored`. */
export const readDoorstop: SourceReader = (files) => {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  const findings: SourceFinding[] = [];
  const statuses = new Map<string, SourceStatus>(sorted.map(({ path }) => [path, 'ignored']));
  const skipped = skippedFolders(sorted, findings);
  const wanted = sorted.filter(({ path }) => !skipped(path));
  const documents = readDocuments(wanted, findings, statuses);
  const items = readItems(wanted, documents, findings, statuses);
  findings.push(...strangers(wanted, items, findings, statuses));

  const byKey = new Map<string, DoorstopItem>();
  for (const item of items) if (!byKey.has(item.uid.key)) byKey.set(item.uid.key, item);
  const stamps = new Map([...byKey].map(([key, item]) => [key, linkStamp(item)]));
  const all = [...documents.values()];
  const childDocuments = Map.groupBy(all, ({ parent }) =>
    parent === null ? '' : prefixKey(parent),
  );
  findings.push(...treeFindings(all), ...checkUids(items));
  const prefixes = new Set(all.map(({ prefix }) => prefixKey(prefix)));
  const set = { items, byKey, prefixes, childDocuments, hashOf: hashesOf(sorted) };
  findings.push(...checkItems(set, stamps));

  const results: SourceItem[] = all.map(documentItem);
  const reportOn = ({ path, uid }: DoorstopItem) => reporter(path, uid.value, findings, statuses);
  for (const [document, members] of Map.groupBy(items, (item) => item.document)) {
    const ordered = [...members].sort(compareItems);
    results.push(...nested(ordered, document, reportOn));
    if (document !== null)
      findings.push(...checkLevels(ordered.filter(({ content }) => content.active)));
  }
  results.sort(byPlace);
  findings.sort(byPlace);
  return {
    items: results,
    links: linksOf(items, byKey, stamps),
    scenarios: [],
    routes: [],
    findings: boundedFindings(findings),
    statuses,
  };
};

function byPlace(a: { path: string; line: number }, b: { path: string; line: number }): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line;
}

/** Folders that their owners told Doorstop to leave out, by a file of that name. */
function skippedFolders(files: readonly SourceFile[], findings: SourceFinding[]) {
  const folders = new Set<string>();
  for (const { path } of files) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (name !== '.doorstop.skip' && name !== '.doorstop.skip-all') continue;
    folders.add(path.slice(0, path.length - name.length));
    const detail = `The files of this folder are left out, as ${name} says.`;
    findings.push({
      code: 'skipped_document',
      severity: 'info',
      path,
      line: 0,
      itemId: null,
      relatedIds: [],
      detail,
    });
  }
  return (path: string) =>
    folders.size > 0 && foldersOf(path).some((folder) => folders.has(folder));
}

function textOf({ bytes }: SourceFile, report: Report): string {
  const { text, damagedLine } = decodeSource(bytes);
  if (damagedLine !== null) report('invalid_encoding', 'warning', damagedLine, DAMAGED);
  return text.replace(/\r\n?/g, '\n');
}

function reporter(
  path: string,
  itemId: string | null,
  findings: SourceFinding[],
  statuses: Map<string, SourceStatus>,
): Report {
  return (code, severity, line, detail) => {
    findings.push({ code, severity, path, line, itemId, relatedIds: [], detail });
    if (severity !== 'info' && statuses.get(path) !== 'failed') statuses.set(path, 'partial');
  };
}

function readDocuments(
  files: readonly SourceFile[],
  findings: SourceFinding[],
  statuses: Map<string, SourceStatus>,
): Map<string, DoorstopDocument> {
  const documents = new Map<string, DoorstopDocument>();
  for (const file of files) {
    if (!isConfig(file.path)) continue;
    statuses.set(file.path, 'parsed');
    const report = reporter(file.path, null, findings, statuses);
    const text = textOf(file, report);
    const document = readDocument(file.path, text, report);
    if (document === null) statuses.set(file.path, 'failed');
    else documents.set(document.folder, document);
  }
  return documents;
}

function readItems(
  files: readonly SourceFile[],
  documents: ReadonlyMap<string, DoorstopDocument>,
  findings: SourceFinding[],
  statuses: Map<string, SourceStatus>,
): DoorstopItem[] {
  const items: DoorstopItem[] = [];
  for (const file of files) {
    const { path } = file;
    if (isConfig(path)) continue;
    const document = documentOf(path, documents) ?? null;
    const name = path.slice(path.lastIndexOf('/') + 1);
    const markdown = MARKDOWN_FILE.test(name);
    if (!markdown && !YAML_FILE.test(name)) continue;
    const uid = parseUid(name.slice(0, name.lastIndexOf('.')));
    const report = reporter(path, uid?.value ?? null, findings, statuses);
    if (uid === null) {
      if (markdown && document?.itemFormat !== 'markdown') continue;
      report('invalid_id', 'info', 0, 'The name of the file is no UID: Doorstop passes it over.');
      continue;
    }
    if (document !== null && (document.itemFormat === 'markdown') !== markdown) {
      const detail = `Its document keeps items as ${document.itemFormat}: Doorstop passes it over.`;
      report('other_item_format', 'info', 0, detail);
      continue;
    }
    statuses.set(path, 'parsed');
    const text = textOf(file, report);
    const read = markdown ? readMarkdownItem : readYamlItem;
    const content = read(text, report);
    if (content === null) {
      statuses.set(path, 'failed');
      continue;
    }
    if (document === null)
      report('no_document', 'warning', 0, 'No `.doorstop.yml` covers this item.');
    items.push({ path, uid, document, content });
  }
  return items;
}

/** Files that are nothing to Doorstop, not even what an item refers to: a finding for each. */
function strangers(
  files: readonly SourceFile[],
  items: readonly DoorstopItem[],
  findings: readonly SourceFinding[],
  statuses: ReadonlyMap<string, SourceStatus>,
): SourceFinding[] {
  const known = new Set(findings.map(({ path }) => path));
  for (const { content } of items) for (const { path } of content.references) known.add(path);
  return files
    .filter(({ path }) => statuses.get(path) === 'ignored' && !known.has(path))
    .map(({ path }) => ({
      ...{ code: 'unknown_format', severity: 'warning', path, line: 0, itemId: null },
      relatedIds: [],
      detail: 'By its name the file is no item: Doorstop passes it over.',
    }));
}

function hashesOf(files: readonly SourceFile[]): (path: string) => string | null {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return (path) => {
    const file = byPath.get(path);
    return file === undefined ? null : createHash('sha256').update(file.bytes).digest('hex');
  };
}

/** Puts items under the heading that their level stands below, and behind one another as they come. */
function nested(
  ordered: readonly DoorstopItem[],
  document: DoorstopDocument | null,
  reportOn: (item: DoorstopItem) => Report,
): SourceItem[] {
  const headings: DoorstopItem[] = [];
  return ordered.map((item, at) => {
    let heading = headings.at(-1);
    while (heading !== undefined && !isBelow(item.content.level, heading.content.level)) {
      headings.pop();
      heading = headings.at(-1);
    }
    const above = heading?.uid.value ?? document?.prefix ?? null;
    const result = sourceItem(item, above, reportOn(item));
    if (isHeading(item) && item.content.active) headings.push(item);
    return document === null ? result : { ...result, among: document.path, order: at + 1 };
  });
}

function linksOf(
  items: readonly DoorstopItem[],
  byKey: ReadonlyMap<string, DoorstopItem>,
  stamps: ReadonlyMap<string, string>,
): SourceLink[] {
  return items.flatMap(({ path, uid, content }) => {
    const item = { id: uid.value, path, line: ITEM_LINE };
    return content.links.flatMap((link): SourceLink[] => {
      if (link.uid === null) return [];
      const target = byKey.get(link.uid.key);
      const suspect = target && isSuspect(link, stamps.get(link.uid.key) ?? '');
      return [
        {
          from: uid.value,
          to: target?.uid.value ?? link.value,
          type: 'refines',
          path,
          line: link.line,
          item,
          ...(suspect === undefined ? {} : { suspect }),
        },
      ];
    });
  });
}

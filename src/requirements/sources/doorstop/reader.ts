// Reads requirements of Doorstop: folders with a `.doorstop.yml`, one file an item, links with the
// stamp of what they were confirmed against.
import type { SourceFile, SourceItem, SourceLink, SourceReader } from '../model.ts';
import { byPath, emptyResult, type FileReport, inOrder, reportOn, textOf } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { checkLevels, checkSet, compareItems, type DoorstopItem, linkStamp } from './check.ts';
import {
  type DoorstopDocument,
  documentItem,
  foldersOf,
  isConfig,
  readDocument,
} from './document.ts';
import { readMarkdownItem, readYamlItem } from './item.ts';
import { isBelow } from './level.ts';
import { ITEM_LINE, isHeading, sourceItem } from './source-item.ts';
import { type DoorstopUid, parseUid } from './uid.ts';

const ITEM_FILE = /(?:^|\/)([^/]*)\.(?:ya?ml|(md))$/i;
const SKIP_FILE = /^(.*\/|)\.doorstop\.skip(?:-all)?$/;
const IGNORED = 'By its name the file is no item of its document: Doorstop passes it over.';

interface OpenFile extends SourceFile {
  report: FileReport;
}

/** Reads the documents and items of Doorstop. Files that are neither have the status `ignored`. */
export const readDoorstop: SourceReader = (files) => {
  const result = emptyResult();
  const all = byPath(files).map(
    (file): OpenFile => ({ ...file, report: reportOn(result, file.path) }),
  );
  const skipped = new Set(all.flatMap(({ path }) => SKIP_FILE.exec(path)?.[1] ?? []));
  const isSkipped = ({ path }: OpenFile) => [...foldersOf(path)].some((one) => skipped.has(one));
  const wanted = all.filter((file) => !isSkipped(file));
  const documents = wanted.filter(({ path }) => isConfig(path)).flatMap(readConfig);
  const byFolder = new Map(documents.map((document) => [document.folder, document]));
  const items: DoorstopItem[] = [];
  const ignored = new Set(all.filter(({ path }) => SKIP_FILE.test(path)));
  for (const file of wanted) {
    if (isConfig(file.path)) continue;
    const folder = [...foldersOf(file.path)].find((one) => byFolder.has(one)) ?? '';
    const document = byFolder.get(folder) ?? null;
    const uid = itemUid(file.path, document);
    if (uid === null) ignored.add(file);
    else items.push(...readItem(file, uid, document));
  }

  const byKey = new Map<string, DoorstopItem>();
  for (const item of items) if (!byKey.has(item.uid.key)) byKey.set(item.uid.key, item);
  checkSet({ documents, items, byKey });
  const found = documents.map(documentItem);
  for (const [document, members] of Map.groupBy(items, (item) => item.document)) {
    const ordered = [...members].sort(compareItems);
    found.push(...nested(ordered, document));
    if (document !== null) checkLevels(ordered.filter(({ content }) => content.active));
  }
  result.items = inOrder(found);
  result.links = linksOf(items, byKey);

  for (const { report } of ignored) report.report('unknown_format', 0, IGNORED);
  result.findings.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  for (const { report } of all) report.finish();
  for (const file of all)
    if (ignored.has(file) || isSkipped(file)) result.statuses.set(file.path, 'ignored');
  return result;
};

function readConfig(file: OpenFile): DoorstopDocument[] {
  return parsed(file, (text) => readDocument(file.path, text, file.report));
}

function parsed<T>(file: OpenFile, read: (text: string) => T): T[] {
  const text = textOf(file, file.report).replace(/\r\n?/g, '\n');
  try {
    return [read(text)];
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    file.report.fail(error.line, error.message);
    return [];
  }
}

function itemUid(path: string, document: DoorstopDocument | null): DoorstopUid | null {
  const [, name, markdown] = ITEM_FILE.exec(path) ?? [];
  if (name === undefined || isConfig(path)) return null;
  const format = markdown === undefined ? 'yaml' : 'markdown';
  return document === null || document.itemFormat === format ? parseUid(name) : null;
}

function readItem(
  file: OpenFile,
  uid: DoorstopUid,
  document: DoorstopDocument | null,
): DoorstopItem[] {
  const { path, report } = file;
  const read = /\.md$/i.test(path) ? readMarkdownItem : readYamlItem;
  const contents = parsed(file, (text) => read(text, report));
  if (document === null) {
    const detail = 'No `.doorstop.yml` covers this item.';
    report.report('missing_file', 0, detail, { itemId: uid.value });
  }
  return contents.map((content) => ({ path, uid, document, content, report }));
}

function nested(ordered: readonly DoorstopItem[], document: DoorstopDocument | null): SourceItem[] {
  const headings: DoorstopItem[] = [];
  return ordered.map((item, at) => {
    let heading = headings.at(-1);
    while (heading !== undefined && !isBelow(item.content.level, heading.content.level)) {
      headings.pop();
      heading = headings.at(-1);
    }
    const result = sourceItem(item, heading?.uid.value ?? document?.prefix ?? null);
    if (isHeading(item.content) && item.content.active) headings.push(item);
    return document === null ? result : { ...result, among: document.path, order: at + 1 };
  });
}

function linksOf(
  items: readonly DoorstopItem[],
  byKey: ReadonlyMap<string, DoorstopItem>,
): SourceLink[] {
  const stamps = new Map([...byKey].map(([key, item]) => [key, linkStamp(item)]));
  return items.flatMap(({ path, uid, content }) =>
    content.links.map((link): SourceLink => {
      const target = byKey.get(link.uid.key);
      const made: SourceLink = {
        from: uid.value,
        to: target?.uid.value ?? link.uid.value,
        type: 'refines',
        path,
        line: link.line,
        item: { id: uid.value, path, line: ITEM_LINE },
      };
      // A link that was never confirmed is not suspect.
      if (target && link.stamp !== null)
        made.suspect = link.stamp !== true && link.stamp !== stamps.get(link.uid.key);
      return made;
    }),
  );
}

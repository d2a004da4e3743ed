// What Doorstop's own check says that no graph shows: the tree of documents, items that are not where
// their document expects them, reviews whose stamp no longer matches, levels out of order. Doorstop's
// severities (https://doorstop.readthedocs.io) are those of the table of findings.
import type { FindingCode } from '../findings.ts';
import type { DoorstopDocument } from './document.ts';
import type { DoorstopLink, ReadItem } from './item.ts';
import { compareLevels, skipsLevel } from './level.ts';
import { scalarRepr } from './python.ts';
import { stampOfItem } from './stamp.ts';
import { compareUids, prefixKey } from './uid.ts';

/** An item in its document. */
export interface DoorstopItem extends ReadItem {
  document: DoorstopDocument | null;
}

/** All of a source set that a check of one item looks at. */
export interface DoorstopSet {
  documents: readonly DoorstopDocument[];
  items: readonly DoorstopItem[];
  /** By the key of their UIDs; of two with one UID, the first. */
  byKey: ReadonlyMap<string, DoorstopItem>;
  /** What a file of the source set hashes to, in hexadecimal; null where it is not in the set. */
  hashOf: (path: string) => string | null;
}

/** Orders items as Doorstop lists them: by level, then by UID. */
export function compareItems(a: DoorstopItem, b: DoorstopItem): number {
  return compareLevels(a.content.level, b.content.level) || compareUids(a.uid, b.uid);
}

/** The stamp that a link to an item has where nothing has changed since. */
export function linkStamp({ uid, content, document }: DoorstopItem): string {
  return stampOfItem(uid.value, content, document?.reviewed ?? []);
}

/** Checks documents and items as Doorstop does; inactive items are passed over. */
export function checkSet(set: DoorstopSet): void {
  checkTree(set.documents);
  checkUids(set.items);
  const children = childDocuments(set.documents);
  const linkedFrom = childLinks(set);
  const prefixes = new Set(set.documents.map(({ prefix }) => prefixKey(prefix)));
  for (const item of set.items) {
    if (!item.content.active) continue;
    checkContent(item);
    checkDocument(item, prefixes);
    checkLinks(item, set);
    checkReferences(item, set);
    checkChildren(item, children, linkedFrom);
    checkReview(item, set);
  }
}

function find(
  { report, uid }: DoorstopItem,
  code: FindingCode,
  line: number,
  detail: string,
  relatedIds: string[] = [],
): void {
  report.report(code, line, detail, { itemId: uid.value, relatedIds });
}

function lineOf({ content }: DoorstopItem, field: string): number {
  return content.fields.get(field)?.line ?? 1;
}

/** Finds more than one root, parents that no way leads to from a root, and prefixes in two spellings. */
function checkTree(documents: readonly DoorstopDocument[]): void {
  const root = documents.find(({ parent }) => parent === null);
  const placed = placedPrefixes(documents);
  const firsts = new Map<string, DoorstopDocument>();
  for (const document of documents) {
    const { prefix, parent, parentLine, report } = document;
    const key = prefixKey(prefix);
    const first = firsts.get(key) ?? document;
    firsts.set(key, first);
    const of = (relatedId: string) => ({ itemId: prefix, relatedIds: [relatedId] });
    if (first.prefix !== prefix) {
      const detail = `${first.path} has the prefix ${first.prefix}, which is the same to Doorstop.`;
      report.report('duplicate_id', 1, detail, of(first.prefix));
    } else if (parent === null && root && prefixKey(root.prefix) !== key) {
      const detail = `${prefix} and ${root.prefix} have no parent: there can be one root.`;
      report.report('wrong_parent_document', 1, detail, of(root.prefix));
    }
    if (parent === null || placed.has(prefixKey(parent))) continue;
    const detail = `No way leads from a root to ${parent}, the parent of ${prefix}.`;
    report.report('dangling_reference', parentLine, detail, of(parent));
  }
}

function childDocuments(documents: readonly DoorstopDocument[]): Map<string, DoorstopDocument[]> {
  return Map.groupBy(documents, ({ parent }) => (parent === null ? '' : prefixKey(parent)));
}

function placedPrefixes(documents: readonly DoorstopDocument[]): Set<string> {
  const children = childDocuments(documents);
  const placed = new Set((children.get('') ?? []).map(({ prefix }) => prefixKey(prefix)));
  for (const parent of placed)
    for (const { prefix } of children.get(parent) ?? []) placed.add(prefixKey(prefix));
  return placed;
}

/** Finds items whose UIDs are spellings of one another, such as `REQ001` and `req-1`. */
function checkUids(items: readonly DoorstopItem[]): void {
  for (const same of Map.groupBy(items, ({ uid }) => uid.key).values()) {
    const spellings = [...Map.groupBy(same, ({ uid }) => uid.value).values()];
    const [first, ...others] = spellings.flatMap(([item]) => (item ? [item] : []));
    if (first === undefined || others.length === 0) continue;
    const id = first.uid.value;
    const places = others.map(({ uid, path }) => `${uid.value} (${path})`).join(', ');
    const detail = `${id} is the same UID to Doorstop as ${places}; a link to any of them is to ${id}.`;
    const ids = others.map(({ uid }) => uid.value);
    find(first, 'duplicate_id', 1, detail, ids);
  }
}

/** Of items that are normative the graph says that they have no text. */
function checkContent(item: DoorstopItem): void {
  const { text, normative, links } = item.content;
  if (normative) return;
  if (text === '') find(item, 'missing_statement', lineOf(item, 'text'), 'The item has no text.');
  if (links.length === 0) return;
  const detail = 'The item is not normative, but has links.';
  const ids = links.map(({ value }) => value);
  find(item, 'non_normative_linked', lineOf(item, 'links'), detail, ids);
}

function checkDocument(item: DoorstopItem, prefixes: ReadonlySet<string>): void {
  const { document, content, uid } = item;
  if (document === null) return;
  const { prefix, parent } = document;
  if (prefixKey(uid.prefix) !== prefixKey(prefix))
    find(item, 'prefix_mismatch', 1, `The prefix is not that of its document, ${prefix}.`);
  const key = prefixKey(parent ?? '');
  if (!prefixes.has(key)) return;
  for (const { uid: target, value, line } of content.links) {
    if (target === null || prefixKey(target.prefix) === key) continue;
    const detail = `The parent document is ${parent}, but the link is to ${value}.`;
    find(item, 'wrong_parent_document', line, detail, [value]);
  }
}

function checkLinks(item: DoorstopItem, { byKey }: DoorstopSet): void {
  for (const { uid, line } of item.content.links) {
    const target = uid === null ? undefined : byKey.get(uid.key);
    if (!target?.content.active || target.content.normative) continue;
    const id = target.uid.value;
    find(item, 'non_normative_referenced', line, `The link is to ${id}, which is not normative.`, [
      id,
    ]);
  }
}

function checkReferences(item: DoorstopItem, { hashOf }: DoorstopSet): void {
  if (item.document?.hashesReferences !== true) return;
  for (const { path, sha, line } of item.content.references) {
    const hash = hashOf(path);
    if (sha === null || sha.kind === 'list' || sha.kind === 'map' || hash === null) continue;
    if (scalarRepr(sha).replaceAll("'", '') === hash) continue;
    const detail = `The file ${path.slice(0, 200)} is not the one that was reviewed.`;
    find(item, 'reference_changed', line, detail);
  }
}

/** Which documents link to an item: `<key of the item> <path of the document>`. */
function childLinks({ items }: DoorstopSet): Set<string> {
  const found = new Set<string>();
  for (const { document, content } of items) {
    if (document === null) continue;
    for (const { uid } of content.links) if (uid !== null) found.add(`${uid.key} ${document.path}`);
  }
  return found;
}

function checkChildren(
  item: DoorstopItem,
  childrenOf: ReadonlyMap<string, readonly DoorstopDocument[]>,
  linkedFrom: ReadonlySet<string>,
): void {
  const { document, content, uid } = item;
  if (document === null || !content.normative) return;
  const children = childrenOf.get(prefixKey(document.prefix)) ?? [];
  if (children.length === 0) return;
  if (children.some(({ path }) => linkedFrom.has(`${uid.key} ${path}`))) return;
  const prefixes = children.map(({ prefix }) => prefix);
  find(item, 'no_child_links', 1, `No item of ${prefixes.join(', ')} links to it.`, prefixes);
}

function checkReview(item: DoorstopItem, { byKey }: DoorstopSet): void {
  const { uid, content, document, report } = item;
  const { reviewed, links } = content;
  if (reviewed === true) return;
  const line = lineOf(item, 'reviewed');
  if (reviewed === null) {
    const parts = { itemId: uid.value, severity: 'info' } as const;
    report.report('unreviewed_item', line, 'The item has not been reviewed yet.', parts);
    return;
  }
  // Doorstop writes a link in the spelling of its target before it hashes, if its options allow.
  const known = (link: DoorstopLink) => (link.uid && byKey.get(link.uid.key)?.uid) ?? link.uid;
  const sorted = [...links].sort(compareLinks);
  const spellings = [
    sorted.map((link) => known(link)?.value ?? link.value),
    sorted.map((link) => link.value),
  ];
  const matches = spellings.some(
    (values) => stampOfItem(uid.value, content, document?.reviewed ?? [], values) === reviewed,
  );
  if (!matches) find(item, 'unreviewed_item', line, 'The item has changed since its last review.');
}

function compareLinks(a: DoorstopLink, b: DoorstopLink): number {
  if (a.uid !== null && b.uid !== null) return compareUids(a.uid, b.uid);
  if (a.value === b.value) return 0;
  return a.value < b.value ? -1 : 1;
}

/**
 * Finds levels that two neighbours share or leave out.
 *
 * @param items - the active ones of one document, in Doorstop's order
 */
export function checkLevels(items: readonly DoorstopItem[]): void {
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    if (before === undefined) continue;
    const [from, to] = [before.content.level, item.content.level];
    const [line, id] = [lineOf(item, 'level'), before.uid.value];
    if (compareLevels(from, to) === 0)
      find(item, 'duplicate_level', line, `The level ${to.text} is that of ${id} too.`, [id]);
    if (skipsLevel(from, to)) {
      const detail = `The level goes from ${from.text} (${id}) to ${to.text}.`;
      find(item, 'skipped_level', line, detail, [id]);
    }
  }
}

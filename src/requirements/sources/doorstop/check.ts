// What Doorstop's own check says that no graph shows: the tree of documents, items that are not where
// their document expects them, reviews whose stamp no longer matches, levels out of order. Doorstop's
// severities (https://doorstop.readthedocs.io) are those of the table of findings.
import type { FindingCode } from '../findings.ts';
import type { DoorstopDocument } from './document.ts';
import type { ReadItem } from './item.ts';
import { compareLevels, skipsLevel } from './level.ts';
import { stampOfItem } from './stamp.ts';
import { compareUids, prefixKey } from './uid.ts';

export interface DoorstopItem extends ReadItem {
  document: DoorstopDocument | null;
}

export interface DoorstopSet {
  documents: readonly DoorstopDocument[];
  items: readonly DoorstopItem[];
  /** By the key of their UIDs; of two with one UID, the first. */
  byKey: ReadonlyMap<string, DoorstopItem>;
}

export function compareItems(a: DoorstopItem, b: DoorstopItem): number {
  return compareLevels(a.content.level, b.content.level) || compareUids(a.uid, b.uid);
}

export function linkStamp({ uid, content, document }: DoorstopItem): string {
  return stampOfItem(uid.value, content, document?.reviewed ?? []);
}

export function checkSet(set: DoorstopSet): void {
  const prefixes = new Set(set.documents.map(({ prefix }) => prefixKey(prefix)));
  checkTree(set.documents, prefixes);
  const childrenOf = Map.groupBy(set.documents, ({ parent }) => prefixKey(parent ?? ''));
  const linkedFrom = childLinks(set);
  for (const item of set.items) {
    checkUid(item, set);
    if (!item.content.active) continue;
    checkContent(item);
    checkDocument(item, prefixes);
    checkLinks(item, set);
    checkChildren(item, childrenOf, linkedFrom);
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

/** Finds more than one root, and parents that are not there. */
function checkTree(documents: readonly DoorstopDocument[], prefixes: ReadonlySet<string>): void {
  const root = documents.find(({ parent }) => parent === null);
  for (const { prefix, parent, parentLine, report } of documents) {
    if (parent === null && root && prefixKey(root.prefix) !== prefixKey(prefix)) {
      const detail = `${prefix} and ${root.prefix} have no parent: there can be one root.`;
      const parts = { itemId: prefix, relatedIds: [root.prefix] };
      report.report('wrong_parent_document', 1, detail, parts);
    } else if (parent !== null && !prefixes.has(prefixKey(parent))) {
      const detail = `${parent}, the parent of ${prefix}, is not there.`;
      const parts = { itemId: prefix, relatedIds: [parent] };
      report.report('dangling_reference', parentLine, detail, parts);
    }
  }
}

function checkUid(item: DoorstopItem, { byKey }: DoorstopSet): void {
  const first = byKey.get(item.uid.key) ?? item;
  const id = first.uid.value;
  if (id === item.uid.value) return;
  const detail = `It is the same UID to Doorstop as ${id} (${first.path}), which links are to.`;
  find(item, 'duplicate_id', 1, detail, [id]);
}

function checkContent(item: DoorstopItem): void {
  const { text, normative, links } = item.content;
  if (normative) return;
  if (text === '') find(item, 'missing_statement', lineOf(item, 'text'), 'The item has no text.');
  if (links.length === 0) return;
  const detail = 'The item is not normative, but has links.';
  const ids = links.map(({ uid }) => uid.value);
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
  for (const { uid: target, line } of content.links) {
    if (prefixKey(target.prefix) === key) continue;
    const detail = `The parent document is ${parent}, but the link is to ${target.value}.`;
    find(item, 'wrong_parent_document', line, detail, [target.value]);
  }
}

function checkLinks(item: DoorstopItem, { byKey }: DoorstopSet): void {
  for (const { uid, line } of item.content.links) {
    const target = byKey.get(uid.key);
    if (!target?.content.active || target.content.normative) continue;
    const id = target.uid.value;
    find(item, 'non_normative_referenced', line, `The link is to ${id}, which is not normative.`, [
      id,
    ]);
  }
}

function childLinks({ items }: DoorstopSet): Set<string> {
  const found = new Set<string>();
  for (const { document, content } of items) {
    if (document === null) continue;
    for (const { uid } of content.links) found.add(`${uid.key} ${document.path}`);
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
  const uids = links.map((link) => link.uid).sort(compareUids);
  const spellings = [uids, uids.map((one) => byKey.get(one.key)?.uid ?? one)].map((spelling) =>
    spelling.map(({ value }) => value),
  );
  const matches = spellings.some(
    (values) => stampOfItem(uid.value, content, document?.reviewed ?? [], values) === reviewed,
  );
  if (!matches) find(item, 'unreviewed_item', line, 'The item has changed since its last review.');
}

/**
 * Finds levels that two neighbours share or leave out.
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

// What Doorstop's own check says about items: reviews and links whose stamp no longer matches, links
// that should not be or are missing, items without text, levels out of order.
import type { DoorstopDocument } from './doorstop-document.ts';
import type { DoorstopLink, ItemContent } from './doorstop-item.ts';
import { compareLevels, skipsLevel } from './doorstop-level.ts';
import { scalarRepr } from './doorstop-python.ts';
import { stampOfItem } from './doorstop-stamp.ts';
import { compareUids, type DoorstopUid, prefixKey } from './doorstop-uid.ts';
import type { FindingCode } from './finding-codes.ts';
import type { Severity, SourceFinding } from './model.ts';

/** An item with its place. */
export interface DoorstopItem {
  path: string;
  uid: DoorstopUid;
  document: DoorstopDocument | null;
  content: ItemContent;
}

/** All of a source set that a check of one item looks at. */
export interface DoorstopSet {
  items: readonly DoorstopItem[];
  /** By the key of their UIDs; of two with one UID, the first. */
  byKey: ReadonlyMap<string, DoorstopItem>;
  /** The keys of the prefixes of all documents. */
  prefixes: ReadonlySet<string>;
  /** The documents below each document, by the key of its prefix. */
  childDocuments: ReadonlyMap<string, readonly DoorstopDocument[]>;
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

/**
 * Whether the target of a link changed after the link was confirmed.
 *
 * @returns undefined where the link was never confirmed
 */
export function isSuspect({ stamp }: DoorstopLink, targetStamp: string): boolean | undefined {
  if (stamp === null) return undefined;
  return stamp !== true && stamp !== targetStamp;
}

/**
 * Checks all items as Doorstop does. Inactive items are passed over, and so are links to items that
 * are not there, which are for whoever knows the whole graph.
 *
 * @param stamps - the stamp of each item as a link's target, by the key of its UID
 */
export function checkItems(set: DoorstopSet, stamps: ReadonlyMap<string, string>): SourceFinding[] {
  const findings: SourceFinding[] = [];
  const linkedFrom = childLinks(set);
  for (const item of set.items) {
    if (!item.content.active) continue;
    const find: Find = (code, severity, line, detail, relatedIds = []) =>
      findings.push({
        code,
        severity,
        path: item.path,
        line,
        itemId: item.uid.value,
        relatedIds,
        detail,
      });
    checkContent(item, find);
    checkDocument(item, set, find);
    checkLinks(item, set, stamps, find);
    checkReferences(item, set, find);
    checkChildren(item, set, linkedFrom, find);
    checkReview(item, set, find);
  }
  return findings;
}

type Find = (
  code: FindingCode,
  severity: Severity,
  line: number,
  detail: string,
  relatedIds?: string[],
) => void;

function lineOf({ content }: DoorstopItem, field: string): number {
  return content.fields.get(field)?.line ?? 1;
}

function checkContent(item: DoorstopItem, find: Find): void {
  const { text, isTextLost, normative, links } = item.content;
  if (text === '' && !isTextLost)
    find('missing_statement', 'warning', lineOf(item, 'text'), 'The item has no text.');
  if (!normative && links.length > 0) {
    const detail = 'The item is not normative, but has links.';
    find(
      'non_normative_linked',
      'warning',
      lineOf(item, 'links'),
      detail,
      links.map(({ value }) => value),
    );
  }
}

function checkDocument(item: DoorstopItem, { prefixes }: DoorstopSet, find: Find): void {
  const { document, content, uid } = item;
  if (document === null) return;
  const { prefix, parent } = document;
  if (prefixKey(uid.prefix) !== prefixKey(prefix)) {
    find('prefix_mismatch', 'info', 1, `The prefix is not that of its document, ${prefix}.`);
  }
  // Where the parent is not there, that is told of the document.
  if (parent === null || !prefixes.has(prefixKey(parent))) return;
  if (content.normative && !content.derived && content.links.length === 0) {
    const detail = `The item has no link to its parent document, ${parent}.`;
    find('orphan', 'warning', lineOf(item, 'links'), detail);
  }
  for (const { uid: target, value, line } of content.links) {
    if (target === null || prefixKey(target.prefix) === prefixKey(parent)) continue;
    find(
      'wrong_parent_document',
      'info',
      line,
      `The parent document is ${parent}, but the link is to ${value}.`,
      [value],
    );
  }
}

function checkLinks(
  item: DoorstopItem,
  set: DoorstopSet,
  stamps: ReadonlyMap<string, string>,
  find: Find,
) {
  for (const link of item.content.links) {
    if (link.uid === null) continue;
    const target = set.byKey.get(link.uid.key);
    if (target === undefined) continue;
    const id = target.uid.value;
    if (!target.content.active) {
      find('inactive_referenced', 'info', link.line, `The link is to ${id}, which is inactive.`, [
        id,
      ]);
      continue;
    }
    if (!target.content.normative) {
      find(
        'non_normative_referenced',
        'warning',
        link.line,
        `The link is to ${id}, which is not normative.`,
        [id],
      );
    }
    if (isSuspect(link, stamps.get(link.uid.key) ?? '')) {
      find(
        'suspect_link',
        'warning',
        link.line,
        `${id} has changed since the link to it was confirmed.`,
        [id],
      );
    }
  }
}

function checkReferences({ content, document }: DoorstopItem, set: DoorstopSet, find: Find): void {
  if (document?.hashesReferences !== true) return;
  for (const { path, sha, line } of content.references) {
    const hash = set.hashOf(path);
    if (sha === null || sha.kind === 'list' || sha.kind === 'map' || hash === null) continue;
    if (scalarRepr(sha).replaceAll("'", '') === hash) continue;
    find(
      'reference_changed',
      'info',
      line,
      `The file ${path.slice(0, 200)} is not the one that was reviewed.`,
    );
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
  set: DoorstopSet,
  linkedFrom: Set<string>,
  find: Find,
): void {
  const { document, content, uid } = item;
  if (document === null || !content.normative) return;
  const children = set.childDocuments.get(prefixKey(document.prefix)) ?? [];
  if (children.length === 0) return;
  if (children.some(({ path }) => linkedFrom.has(`${uid.key} ${path}`))) return;
  const prefixes = children.map(({ prefix }) => prefix);
  find('no_child_links', 'info', 1, `No item of ${prefixes.join(', ')} links to it.`, prefixes);
}

function checkReview(item: DoorstopItem, set: DoorstopSet, find: Find): void {
  const { reviewed, links } = item.content;
  if (reviewed === true) return;
  const line = lineOf(item, 'reviewed');
  if (reviewed === null) {
    find('unreviewed_item', 'info', line, 'The item has not been reviewed yet.');
    return;
  }
  // Doorstop writes a link in the spelling of its target before it hashes, unless told not to.
  const known = (link: DoorstopLink) => (link.uid && set.byKey.get(link.uid.key)?.uid) ?? link.uid;
  const sorted = [...links].sort(compareLinks);
  const spellings = [
    sorted.map((link) => known(link)?.value ?? link.value),
    sorted.map((link) => link.value),
  ];
  const { uid, content, document } = item;
  const matches = spellings.some(
    (values) => stampOfItem(uid.value, content, document?.reviewed ?? [], values) === reviewed,
  );
  if (!matches)
    find('unreviewed_item', 'warning', line, 'The item has changed since its last review.');
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
export function checkLevels(items: readonly DoorstopItem[]): SourceFinding[] {
  const findings: SourceFinding[] = [];
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    if (before === undefined) continue;
    const [from, to] = [before.content.level, item.content.level];
    const find = (code: FindingCode, detail: string) =>
      findings.push({
        code,
        severity: 'info',
        path: item.path,
        line: lineOf(item, 'level'),
        itemId: item.uid.value,
        relatedIds: [before.uid.value],
        detail,
      });
    if (compareLevels(from, to) === 0) {
      find('duplicate_level', `The level ${to.text} is that of ${before.uid.value} too.`);
    }
    if (skipsLevel(from, to)) {
      find(
        'skipped_level',
        `The level goes from ${from.text} (${before.uid.value}) to ${to.text}.`,
      );
    }
  }
  return findings;
}

/**
 * Finds items whose UIDs are spellings of one another, such as `REQ001` and `req-1`. Each is kept
 * under its own, but links to any of them are to the first.
 *
 * @param items - in the order of their paths
 */
export function checkUids(items: readonly DoorstopItem[]): SourceFinding[] {
  return [...Map.groupBy(items, ({ uid }) => uid.key).values()].flatMap((same) => {
    const spellings = [...Map.groupBy(same, ({ uid }) => uid.value).values()];
    const [first, ...others] = spellings.flatMap(([item]) => (item ? [item] : []));
    if (first === undefined || others.length === 0) return [];
    const id = first.uid.value;
    const places = others.map(({ uid, path }) => `${uid.value} (${path})`).join(', ');
    return {
      ...{ code: 'duplicate_id', severity: 'error' as const, path: first.path, line: 1 },
      ...{ itemId: id, relatedIds: others.map(({ uid }) => uid.value) },
      detail: `${id} is the same UID to Doorstop as ${places}; a link to any of them is to ${id}.`,
    };
  });
}

// The tree that Doorstop's documents form by their parents, and which document an item belongs to.
import type { DoorstopDocument } from './doorstop-document.ts';
import { prefixKey } from './doorstop-uid.ts';
import type { FindingCode } from './finding-codes.ts';
import type { SourceFinding } from './model.ts';

const CONFIG = '.doorstop.yml';

/** Whether a path names a document's settings. */
export function isConfig(path: string): boolean {
  return path === CONFIG || path.endsWith(`/${CONFIG}`);
}

/** Gives the folders around a path, with a `/` at the end, the nearest first; last the top, ''. */
export function* foldersOf(path: string): Generator<string> {
  let end = path.lastIndexOf('/');
  for (let depth = 0; end >= 0 && depth < 100; depth++) {
    yield path.slice(0, end + 1);
    end = end === 0 ? -1 : path.lastIndexOf('/', end - 1);
  }
  yield '';
}

/** Finds the document in whose folder, or nearest around it, a file lies. */
export function documentOf<T>(path: string, documents: ReadonlyMap<string, T>): T | undefined {
  for (const folder of foldersOf(path)) {
    const document = documents.get(folder);
    if (document !== undefined) return document;
  }
  return undefined;
}

/**
 * Finds what keeps documents from being one tree: no root, more than one, a parent not reached, a
 * prefix in other spellings. Documents of one spelling have one id, which whoever knows all ids tells.
 */
export function treeFindings(documents: readonly DoorstopDocument[]): SourceFinding[] {
  const findings: SourceFinding[] = [];
  const find = (
    code: FindingCode,
    document: DoorstopDocument,
    line: number,
    relatedIds: string[],
    detail: string,
  ) =>
    findings.push({
      code,
      severity: 'error',
      path: document.path,
      line,
      itemId: document.prefix,
      relatedIds,
      detail,
    });
  const roots = documents.filter(({ parent }) => parent === null);
  const [root, ...others] = roots;
  const [first] = documents;
  if (root === undefined) {
    if (first !== undefined) {
      const detail = 'No document is the root: each of them names a parent.';
      find(
        'no_root_document',
        first,
        first.parentLine,
        documents.slice(1, 20).map(({ prefix }) => prefix),
        detail,
      );
    }
    return findings;
  }
  for (const other of others) {
    // That they have one prefix is one cause, and another one.
    if (prefixKey(other.prefix) === prefixKey(root.prefix)) continue;
    const detail = `${other.prefix} has no parent, and ${root.prefix} has none either: there can be one root.`;
    find('multiple_root_documents', other, 1, [root.prefix], detail);
  }
  const placed = placedPrefixes(documents, roots);
  const seen = new Map<string, DoorstopDocument>();
  for (const document of documents) {
    const { prefix, parent, parentLine } = document;
    const earlier = seen.get(prefixKey(prefix));
    if (earlier === undefined) seen.set(prefixKey(prefix), document);
    else if (earlier.prefix !== prefix)
      find('duplicate_document', document, 1, [], `${earlier.path} has the prefix ${prefix} too.`);
    if (parent !== null && !placed.has(prefixKey(parent))) {
      const detail = `${prefix} has no place in the tree: no way leads from the root to its parent ${parent}.`;
      find('unplaced_document', document, parentLine, [parent], detail);
    }
  }
  return findings;
}

function placedPrefixes(
  documents: readonly DoorstopDocument[],
  roots: DoorstopDocument[],
): Set<string> {
  const children = Map.groupBy(documents, ({ parent }) =>
    parent === null ? '' : prefixKey(parent),
  );
  const placed = new Set(roots.map(({ prefix }) => prefixKey(prefix)));
  for (const parent of placed) {
    for (const { prefix } of children.get(parent) ?? []) placed.add(prefixKey(prefix));
  }
  return placed;
}

// Decides where items stand in a ReqIF export: which of them are specifications, what holds the
// others, and in which order.

import type { SourceItem } from '../sources/model.ts';

/** An item as it is exported: where its source has it does not matter. */
export type ExportedItem = Omit<SourceItem, 'path' | 'line'>;

/** A specification: that of a document, or of items that no document holds (`document: null`). */
export interface PlannedSpecification {
  document: ExportedItem | null;
  children: readonly ExportedItem[];
}

export interface ReqifPlan {
  specifications: PlannedSpecification[];
  /** Documents at the top, which are specifications and not objects. */
  documents: ReadonlySet<ExportedItem>;
  /** All others, in the order of the hierarchies. */
  objects: ExportedItem[];
  byId: ReadonlyMap<string, ExportedItem>;
  childrenOf(item: ExportedItem): readonly ExportedItem[];
}

/** Deeper items hang on their ancestor here, since ReqIF readers bound the nesting. */
export const MAX_NESTING = 200;

/**
 * Plans an export. Of items with one id the first is taken; an item whose parent is not among
 * them, or which is its own ancestor, stands at the top.
 */
export function planReqif(items: readonly ExportedItem[]): ReqifPlan {
  const byId = new Map<string, ExportedItem>();
  for (const item of items) if (!byId.has(item.id)) byId.set(item.id, item);
  const children = new Map<ExportedItem, ExportedItem[]>();
  const roots: ExportedItem[] = [];
  for (const item of byId.values()) {
    const parent = item.parentId === null ? undefined : byId.get(item.parentId);
    if (parent === undefined) roots.push(item);
    else append(children, parent, item);
  }
  const reached = new Set<ExportedItem>();
  const order: ExportedItem[] = [];
  const placed = new Map<ExportedItem, ExportedItem[]>();
  const walk = (root: ExportedItem) => {
    const stack: { item: ExportedItem; path: ExportedItem[] }[] = [{ item: root, path: [] }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { item, path } = next;
      if (reached.has(item)) continue;
      reached.add(item);
      order.push(item);
      const parent = path[path.length - 1];
      if (parent !== undefined) append(placed, parent, item);
      const below = children.get(item) ?? [];
      const here = below.length === 0 || path.length >= MAX_NESTING ? path : [...path, item];
      for (let at = below.length - 1; at >= 0; at -= 1) {
        stack.push({ item: below[at] as ExportedItem, path: here });
      }
    }
  };
  const tops: ExportedItem[] = [];
  for (const item of [...roots, ...byId.values()]) {
    if (reached.has(item)) continue;
    tops.push(item);
    walk(item);
  }
  const documents = new Set(tops.filter(({ kind }) => kind === 'document'));
  return {
    specifications: specificationsOf(tops, placed),
    documents,
    objects: order.filter((item) => !documents.has(item)),
    byId,
    childrenOf: (item) => placed.get(item) ?? [],
  };
}

/** Documents, and between them one specification for each run of other items. */
function specificationsOf(
  tops: readonly ExportedItem[],
  placed: ReadonlyMap<ExportedItem, ExportedItem[]>,
): PlannedSpecification[] {
  const specifications: PlannedSpecification[] = [];
  let loose: ExportedItem[] | undefined;
  for (const item of tops) {
    if (item.kind === 'document') {
      specifications.push({ document: item, children: placed.get(item) ?? [] });
      loose = undefined;
    } else if (loose === undefined) {
      loose = [item];
      specifications.push({ document: null, children: loose });
    } else {
      loose.push(item);
    }
  }
  return specifications;
}

function append(
  map: Map<ExportedItem, ExportedItem[]>,
  key: ExportedItem,
  item: ExportedItem,
): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [item]);
  else list.push(item);
}

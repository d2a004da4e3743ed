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
  /** The parent of an item that stands too deep to be below it; undefined for all others. */
  parentAbove(item: ExportedItem): ExportedItem | undefined;
}

/** Deeper items hang on their ancestor here, since ReqIF readers bound the nesting of XML. */
export const MAX_NESTING = 200;

/** An item on the way through the tree, with what it stands below in the hierarchy. */
interface Step {
  item: ExportedItem;
  path: ExportedItem[];
  parent: ExportedItem | undefined;
}

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
  const above = new Map<ExportedItem, ExportedItem>();
  const walk = (root: ExportedItem) => {
    const stack: Step[] = [{ item: root, path: [], parent: undefined }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { item, path, parent } = next;
      if (reached.has(item)) continue;
      reached.add(item);
      order.push(item);
      const place = path[path.length - 1];
      if (place !== undefined) append(placed, place, item);
      if (parent !== undefined && parent !== place) above.set(item, parent);
      const below = children.get(item) ?? [];
      const here = below.length === 0 || path.length >= MAX_NESTING ? path : [...path, item];
      for (let at = below.length - 1; at >= 0; at -= 1) {
        stack.push({ item: below[at] as ExportedItem, path: here, parent: item });
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
    parentAbove: (item) => above.get(item),
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

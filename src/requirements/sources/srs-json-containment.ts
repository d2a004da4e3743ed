// The `contains` edges of documents of the format `pqrs-srs`: which node is in which.
import type { SourceItem } from './model.ts';
import type { FileNotes } from './source-result.ts';

/** A `contains` edge, kept until all nodes are known. */
export interface Containment {
  parent: string;
  child: string;
  line: number;
  notes: FileNotes;
}

/** Gives each node the node that contains it: the first that says so, and none in a circle. */
export function placeChildren(
  items: readonly SourceItem[],
  containments: readonly Containment[],
): void {
  const byId = Map.groupBy(items, (item) => item.id);
  const parents = new Map<string, string>();
  for (const { parent, child, line, notes } of containments) {
    const known = parents.get(child);
    const reason = !byId.has(child)
      ? `There is no ${child} for ${parent} to contain.`
      : !byId.has(parent)
        ? `${child} is said to be in ${parent}, which is not there.`
        : known !== undefined && known !== parent
          ? `${child} is in ${known} already; it cannot be in ${parent} too.`
          : null;
    if (reason === null) parents.set(child, parent);
    else notes.lose('invalid_parent', line, reason, { itemId: child, relatedIds: [parent] });
  }
  for (const { parent, child, line, notes } of circles(parents, containments)) {
    parents.delete(child);
    const detail = `${child} would contain itself by way of ${parent}; it stands at the top instead.`;
    notes.lose('invalid_parent', line, detail, { itemId: child, relatedIds: [parent] });
  }
  for (const item of items) item.parentId = parents.get(item.id) ?? null;
}

/** One containment of each circle: the first that is written. */
function circles(
  parents: ReadonlyMap<string, string>,
  containments: readonly Containment[],
): Containment[] {
  const chosen = new Map<string, number>();
  containments.forEach(({ parent, child }, at) => {
    if (parents.get(child) === parent && !chosen.has(child)) chosen.set(child, at);
  });
  const walked = new Map<string, string>();
  const firsts: number[] = [];
  for (const start of parents.keys()) {
    let id: string | undefined = start;
    while (id !== undefined && !walked.has(id)) {
      walked.set(id, start);
      id = parents.get(id);
    }
    if (id === undefined || walked.get(id) !== start) continue;
    let first = chosen.get(id) ?? 0;
    for (let at = parents.get(id); at !== undefined && at !== id; at = parents.get(at)) {
      first = Math.min(first, chosen.get(at) ?? first);
    }
    firsts.push(first);
  }
  return firsts.sort((a, b) => a - b).flatMap((at) => containments[at] ?? []);
}

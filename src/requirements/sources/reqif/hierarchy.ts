// Puts the items of ReqIF where the hierarchies of the specifications show them. An object may stand in
// many places: the first is its own, what the others stand in is an attribute.
import type { Place, ReqifDocument } from './document.ts';
import { type Draft, setBeside } from './items.ts';

/** Finds what an identifier refers to: in the document itself, else in another. */
export type FindDraft = (document: ReqifDocument, identifier: string) => Draft | undefined;

/** Where an item stands. */
export interface Placed {
  draft: Draft;
  /** The id of what it stands in; null at the top. */
  parentId: string | null;
  /** The file whose hierarchy shows it. */
  path: string;
}

/**
 * Walks all hierarchies.
 *
 * @param specifications - the drafts of the specifications, each with its places, in order
 * @param objects - the drafts of all objects, in order
 * @returns the items in the order in which the hierarchies show them, then those that none shows
 */
export function placeItems(
  specifications: readonly { draft: Draft; places: readonly Place[] }[],
  objects: readonly Draft[],
  find: FindDraft,
): Placed[] {
  const placed: Placed[] = [];
  const seen = new Set<Draft>();
  const further = new Map<Draft, { line: number; document: ReqifDocument; parents: string[] }>();
  const withPlaces = new Set<ReqifDocument>();

  function put(document: ReqifDocument, places: readonly Place[], holder: string): void {
    for (const { object, attributes, children, line } of places) {
      withPlaces.add(document);
      const draft = find(document, object);
      if (draft === undefined) {
        const detail = `A SPEC-HIERARCHY is the place of ${object || 'no object'}, which is in no file.`;
        const relatedIds = object === '' ? [] : [object];
        document.report.report('dangling_reference', line, detail, { itemId: holder, relatedIds });
        const text = [object, ...attributes.map(([, value]) => value)].join(' ');
        document.report.reportLosses([{ what: 'SPEC-HIERARCHY', line, text, times: 1 }]);
        put(document, children, holder);
        continue;
      }
      for (const [name, value] of attributes) setBeside(draft.attributes, name, value);
      if (seen.has(draft)) {
        const known = further.get(draft);
        if (known) known.parents.push(holder);
        else further.set(draft, { line, document, parents: [holder] });
      } else {
        seen.add(draft);
        placed.push({ draft, parentId: holder, path: document.path });
      }
      put(document, children, draft.item.id);
    }
  }

  for (const { draft, places } of specifications) {
    placed.push({ draft, parentId: null, path: draft.document.path });
    put(draft.document, places, draft.item.id);
  }
  for (const [draft, { line, document, parents }] of further) {
    setBeside(draft.attributes, 'reqif:places', parents);
    const detail = `${draft.item.id} stands at ${parents.length + 1} places; the first is its own.`;
    const of = { itemId: draft.item.id, relatedIds: [...new Set(parents)].slice(0, 100) };
    document.report.report('ambiguous_place', line, detail, of);
  }
  const unplaced = objects.filter((draft) => !seen.has(draft));
  for (const draft of unplaced) placed.push({ draft, parentId: null, path: draft.document.path });
  for (const [document, drafts] of Map.groupBy(unplaced, (draft) => draft.document)) {
    // One finding where the document shows nothing at all.
    const shown = withPlaces.has(document) ? drafts : drafts.slice(0, 1);
    for (const { item } of shown) {
      const others = shown.length === drafts.length ? '' : ` and ${drafts.length - 1} more`;
      const detail = `${item.id}${others} stands in no hierarchy: readers of the specifications do not see it.`;
      document.report.report('ambiguous_place', item.line, detail, { itemId: item.id });
    }
  }
  return placed;
}

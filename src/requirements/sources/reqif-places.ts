// Puts the items of ReqIF where the hierarchies of the specifications have them. An object may
// stand in many places: the first is where it belongs, the others are kept as attributes.

import type { Place, ReqifDocument, Specification } from './reqif-document.ts';
import type { Draft } from './reqif-drafts.ts';
import {
  createRepeats,
  type Further,
  type FurtherPlaces,
  furtherOf,
  noteFurther,
  saidOf,
} from './reqif-further-places.ts';
import { keepBeside } from './reqif-kept-values.ts';
import { lostText } from './reqif-sayings.ts';
import { named } from './reqif-set.ts';

/** Finds what an identifier refers to: in the document itself, else in another. */
export type FindObject = (document: ReqifDocument, identifier: string) => Draft | undefined;

export interface Placed {
  /** The id of the parent of each item that stands somewhere. */
  parents: Map<Draft, string | null>;
  /**
   * Items in the order in which the hierarchies show them, then those in none. What is below a
   * specification that is left out is below the one that has its id.
   */
  ordered: Draft[];
  /** Objects that are declared again, and stand where the first of them does: what is below is below that. */
  again: Draft[];
  /** The paths of the files whose hierarchies show items of others, by those. */
  among: Map<Draft, string>;
  /** The IDENTIFIER of the specification that each object stands in first. */
  specificationOf: Map<Draft, string>;
}

/**
 * Walks all hierarchies.
 *
 * @param specifications - the draft of each specification; of one that only holds what no
 *   document holds there is none
 * @param leftOut - those of them that have the id of another, and no place in the order
 * @param objects - the drafts of all objects, in the order of the documents
 */
export function placeItems(
  documents: readonly ReqifDocument[],
  specifications: ReadonlyMap<Specification, Draft>,
  leftOut: ReadonlySet<Draft>,
  objects: readonly Draft[],
  find: FindObject,
  ids: ReadonlyMap<Draft, string>,
): Placed {
  const parents = new Map<Draft, string | null>();
  const ordered: Draft[] = [];
  const again: Draft[] = [];
  const specificationOf = new Map<Draft, string>();
  const firsts = firstsById(objects, ids);
  const repeats = createRepeats(parents);
  /** Where an item belongs: to what holds its place, or to what its place is too deep to be in. */
  const parentOf = (document: ReqifDocument, place: Place, holder: string | null) => {
    if (place.parent === undefined) return holder;
    const parent = find(document, place.parent);
    // Only what stands before may hold it: no circles.
    if (parent !== undefined && parents.has(parent)) return ids.get(parent) ?? null;
    noteParent(document, place, holder);
    return holder;
  };
  const put = (draft: Draft, parent: string | null, specification: Specification) => {
    parents.set(draft, parent);
    specificationOf.set(draft, specification.identifier);
    ordered.push(draft);
  };
  const among = new Map<Draft, string>();
  for (const document of documents) {
    for (const specification of document.specifications) {
      const root = specifications.get(specification);
      if (root !== undefined) {
        parents.set(root, null);
        if (!leftOut.has(root)) ordered.push(root);
      }
      const rootId = root === undefined ? null : (ids.get(root) ?? null);
      const elsewhere: FurtherPlaces = new Map();
      const stack: Step[] = [];
      const descend = (places: readonly Place[], below: Omit<Step, 'place'>) => {
        for (let at = places.length - 1; at >= 0; at -= 1) {
          stack.push({ place: places[at] as Place, ...below });
        }
      };
      descend(specification.children, { parent: rootId, above: rootId, further: undefined });
      for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
        const { place, parent, above, further } = next;
        const declared = find(document, place.object);
        if (declared === undefined) {
          noteDangling(document, place, above ?? rootId);
          descend(place.children, { parent, above, further });
          continue;
        }
        const id = ids.get(declared) ?? null;
        // Of one that is declared again the first is what has the id.
        const object = firsts.get(id ?? '') ?? declared;
        if (!parents.has(object)) {
          put(object, parentOf(document, place, parent), specification);
          if (object.item.path !== document.report.path) among.set(object, document.report.path);
          keepSayings(object, place);
          further?.moved.push({ id: id ?? '', to: parent ?? specification.identifier });
          descend(place.children, { parent: id, above: id, further: undefined });
          continue;
        }
        const where = above ?? specification.identifier;
        const isRepeat = declared !== object && repeats.isKnown(object, where);
        const isThere = further === undefined && parents.get(object) === above;
        if (isRepeat && isThere && isSame(declared, object)) {
          if (!parents.has(declared)) {
            parents.set(declared, above);
            specificationOf.set(declared, specification.identifier);
            again.push(declared);
          }
          keepSayings(object, place);
          descend(place.children, { parent: id, above: id, further: undefined });
          continue;
        }
        if (!parents.has(declared)) put(declared, parent, specification);
        const known = isRepeat ? further : undefined;
        const mine = known ?? furtherOf(elsewhere, object, place, isRepeat ? undefined : where);
        descend(place.children, { parent, above: id, further: mine });
      }
      noteFurther(document, elsewhere, ids);
    }
  }
  const unplaced = objects.filter((draft) => !parents.has(draft));
  const seen = unplaced.filter((draft) => firsts.get(ids.get(draft) ?? '') === draft);
  noteUnplaced(documents, seen, ids);
  for (const draft of unplaced) {
    parents.set(draft, null);
    ordered.push(draft);
  }
  return { parents, ordered, again, among, specificationOf };
}

/** Whether two of one id are one object, and not two that have the same ForeignID. */
function isSame({ element: one }: Draft, { element: other }: Draft): boolean {
  return one.identifier === other.identifier;
}

function noteDangling(document: ReqifDocument, place: Place, itemId: string | null): void {
  const { object, identifier, line } = place;
  const lost = lostText(saidOf(place));
  const detail =
    object === ''
      ? `The SPEC-HIERARCHY ${named(identifier)} names no object.`
      : `The SPEC-HIERARCHY ${named(identifier)} is the place of ${named(object)}, which is in no file.`;
  document.report.lose('dangling_reference', 'error', line, detail + lost, {
    itemId,
    relatedIds: object === '' ? [] : [object],
  });
}

function noteParent(document: ReqifDocument, place: Place, itemId: string | null): void {
  const { identifier, line, parent = '' } = place;
  const detail = `The SPEC-HIERARCHY ${named(identifier)} is said to be in ${named(parent)}, which does not stand before it.`;
  document.report.lose('invalid_parent', 'warning', line, detail, { itemId, relatedIds: [parent] });
}

/** What a place says of its object, which the object keeps from its first place. */
function keepSayings(
  { attributes }: Draft,
  { name, desc, alternativeId, tableInternal }: Place,
): void {
  if (name) keepBeside(attributes, 'reqif:place-name', name);
  if (desc) keepBeside(attributes, 'reqif:place-desc', desc);
  if (alternativeId) keepBeside(attributes, 'reqif:place-alternative-id', alternativeId);
  if (tableInternal) keepBeside(attributes, 'reqif:table-internal', true);
}

/** The first object of each id. */
function firstsById(
  objects: readonly Draft[],
  ids: ReadonlyMap<Draft, string>,
): ReadonlyMap<string, Draft> {
  const firsts = new Map<string, Draft>();
  for (const draft of objects) {
    const id = ids.get(draft) ?? '';
    if (!firsts.has(id)) firsts.set(id, draft);
  }
  return firsts;
}

/** A place on the way through a hierarchy. */
interface Step {
  place: Place;
  /** What it is put into. */
  parent: string | null;
  /** What it stands in: the two differ below a further place of an object. */
  above: string | null;
  /** The further places that it stands below. */
  further: Further | undefined;
}

/** One finding for each object in no hierarchy; one for the document where it has none at all. */
function noteUnplaced(
  documents: readonly ReqifDocument[],
  unplaced: readonly Draft[],
  ids: ReadonlyMap<Draft, string>,
): void {
  const anywhere = new Map<ReqifDocument, Draft[]>(documents.map((document) => [document, []]));
  for (const draft of unplaced) anywhere.get(draft.document)?.push(draft);
  for (const [document, drafts] of anywhere) {
    const first = drafts[0];
    if (first === undefined) continue;
    if (document.places === 0) {
      const detail = `No hierarchy shows the objects of this document (${drafts.length}): readers of the specifications do not see them.`;
      document.report.say('unplaced_item', 'warning', first.element.line, detail, {
        relatedIds: drafts.slice(0, 100).map((draft) => ids.get(draft) ?? ''),
      });
      continue;
    }
    for (const draft of drafts) {
      const itemId = ids.get(draft) ?? null;
      const detail = `${named(itemId ?? '')} is in no hierarchy: readers of the specifications do not see it.`;
      document.report.say('unplaced_item', 'warning', draft.element.line, detail, { itemId });
    }
  }
}

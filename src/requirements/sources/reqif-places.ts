// Puts the items of ReqIF where the hierarchies of the specifications have them. An object may
// stand in many places: the first is where it belongs, the others are kept as attributes.

import type { Place, ReqifDocument, Specification } from './reqif-document.ts';
import type { Draft } from './reqif-drafts.ts';
import { OWN } from './reqif-names.ts';
import { some } from './reqif-report.ts';
import { named } from './reqif-set.ts';

/** Finds what an identifier refers to: in the document itself, else in another. */
export type FindObject = (document: ReqifDocument, identifier: string) => Draft | undefined;

export interface Placed {
  /** The id of the parent of each item that stands somewhere. */
  parents: Map<Draft, string | null>;
  /** Items in the order in which the hierarchies show them, then those in none. */
  ordered: Draft[];
  /** The IDENTIFIER of the specification that each object stands in first. */
  specificationOf: Map<Draft, string>;
}

/**
 * Walks all hierarchies.
 *
 * @param specifications - the draft of each specification; of one that only holds what no
 *   document holds there is none
 * @param objects - the drafts of all objects
 */
export function placeItems(
  documents: readonly ReqifDocument[],
  specifications: ReadonlyMap<Specification, Draft>,
  objects: readonly Draft[],
  find: FindObject,
  ids: ReadonlyMap<Draft, string>,
): Placed {
  const parents = new Map<Draft, string | null>();
  const ordered: Draft[] = [];
  const specificationOf = new Map<Draft, string>();
  /** Where an item belongs: to what holds its place, or to what its place is too deep to be in. */
  const parentOf = (document: ReqifDocument, place: Place, holder: string | null) => {
    if (place.parent === undefined) return holder;
    const parent = find(document, place.parent);
    // Only what stands before may hold it: no circles.
    if (parent !== undefined && parents.has(parent)) return ids.get(parent) ?? null;
    noteParent(document, place, holder);
    return holder;
  };
  for (const document of documents) {
    for (const specification of document.specifications) {
      const root = specifications.get(specification);
      if (root !== undefined) {
        parents.set(root, null);
        ordered.push(root);
      }
      const rootId = root === undefined ? null : (ids.get(root) ?? null);
      const elsewhere: Elsewhere = new Map();
      const stack: { place: Place; parent: string | null }[] = [];
      const descend = (places: readonly Place[], parent: string | null) => {
        for (let at = places.length - 1; at >= 0; at -= 1) {
          stack.push({ place: places[at] as Place, parent });
        }
      };
      descend(specification.children, rootId);
      for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
        const { place, parent } = next;
        const object = find(document, place.object);
        if (object === undefined) {
          noteDangling(document, place, parent ?? rootId);
          descend(place.children, parent);
          continue;
        }
        if (parents.has(object)) {
          const others = elsewhere.get(object);
          const where = parent ?? specification.identifier;
          const said = saidOf(place);
          if (others === undefined) {
            elsewhere.set(object, { line: place.line, parents: [where], said });
          } else {
            others.parents.push(where);
            others.said.push(...said);
          }
        } else {
          parents.set(object, parentOf(document, place, parent));
          specificationOf.set(object, specification.identifier);
          ordered.push(object);
          const { name, desc, alternativeId } = place;
          if (name) object.attributes.set('reqif:place-name', name);
          if (desc) object.attributes.set('reqif:place-desc', desc);
          if (alternativeId) object.attributes.set('reqif:place-alternative-id', alternativeId);
          if (place.tableInternal) object.attributes.set('reqif:table-internal', true);
        }
        descend(place.children, ids.get(object) ?? null);
      }
      noteElsewhere(document, elsewhere, ids);
    }
  }
  const unplaced = objects.filter((draft) => !parents.has(draft));
  noteUnplaced(documents, unplaced, ids);
  for (const draft of unplaced) {
    parents.set(draft, null);
    ordered.push(draft);
  }
  return { parents, ordered, specificationOf };
}

/** Whether a specification only holds, in a file of ours, what no document holds. */
export function isOwnRoot(specification: Specification): boolean {
  return specification.identifier.startsWith(OWN.root);
}

function noteDangling(document: ReqifDocument, place: Place, itemId: string | null): void {
  const { object, identifier, line } = place;
  const detail =
    object === ''
      ? `The SPEC-HIERARCHY ${named(identifier)} names no object.`
      : `The SPEC-HIERARCHY ${named(identifier)} is the place of ${named(object)}, which is in no file.`;
  document.report.lose('dangling_reference', 'error', line, detail, {
    itemId,
    relatedIds: object === '' ? [] : [object],
  });
}

function noteParent(document: ReqifDocument, place: Place, itemId: string | null): void {
  const { identifier, line, parent = '' } = place;
  const detail = `The SPEC-HIERARCHY ${named(identifier)} is said to be in ${named(parent)}, which does not stand before it.`;
  document.report.lose('invalid_parent', 'warning', line, detail, { itemId, relatedIds: [parent] });
}

/** What a place says beside its object. */
function saidOf({ name, desc, alternativeId, tableInternal }: Place): string[] {
  return [name, desc, alternativeId, tableInternal ? 'IS-TABLE-INTERNAL' : '']
    .filter((text): text is string => text !== undefined && text !== '')
    .map((text) => JSON.stringify(text));
}

/** Further places of objects in a document: the line of the first, what each is in, and what they say. */
type Elsewhere = Map<Draft, { line: number; parents: string[]; said: string[] }>;

function noteElsewhere(
  document: ReqifDocument,
  elsewhere: Elsewhere,
  ids: ReadonlyMap<Draft, string>,
): void {
  for (const [draft, { line, parents, said }] of elsewhere) {
    const before = draft.attributes.get('reqif:places');
    draft.attributes.set('reqif:places', [...(Array.isArray(before) ? before : []), ...parents]);
    const itemId = ids.get(draft) ?? null;
    const lost = said.length === 0 ? '' : ` What is said there is not kept: ${some(said)}.`;
    const detail = `${named(itemId ?? '')} has ${parents.length} more ${parents.length === 1 ? 'place' : 'places'} here; it belongs to its first.${lost}`;
    document.report[said.length === 0 ? 'say' : 'lose']('several_places', 'info', line, detail, {
      itemId,
      relatedIds: [...new Set(parents)].slice(0, 100),
    });
  }
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

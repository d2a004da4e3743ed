// Puts the items of ReqIF where the hierarchies of the specifications have them. An object may
// stand in many places: the first is where it belongs, the others are kept as attributes.

import type { Place, ReqifDocument, Specification } from './reqif-document.ts';
import type { Draft } from './reqif-drafts.ts';
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
 * @param objects - the drafts of all objects, in the order of the documents
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
  for (const document of documents) {
    for (const specification of document.specifications) {
      const root = specifications.get(specification);
      if (root !== undefined) {
        parents.set(root, null);
        ordered.push(root);
      }
      const rootId = root === undefined ? null : (ids.get(root) ?? null);
      const elsewhere: Elsewhere = new Map();
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
          keepSayings(object, place);
          further?.moved.push({ id: id ?? '', to: parent ?? specification.identifier });
          descend(place.children, { parent: id, above: id, further: undefined });
          continue;
        }
        const where = above ?? specification.identifier;
        const isRepeat = declared !== object && repeats.isKnown(object, where);
        if (!parents.has(declared)) put(declared, parent, specification);
        const mine = isRepeat ? undefined : furtherOf(elsewhere, object, place, where);
        descend(place.children, { parent, above: id, further: mine });
      }
      noteElsewhere(document, elsewhere, ids);
    }
  }
  const unplaced = objects.filter((draft) => !parents.has(draft));
  const seen = unplaced.filter((draft) => firsts.get(ids.get(draft) ?? '') === draft);
  noteUnplaced(documents, seen, ids);
  for (const draft of unplaced) {
    parents.set(draft, null);
    ordered.push(draft);
  }
  return { parents, ordered, specificationOf };
}

function noteDangling(document: ReqifDocument, place: Place, itemId: string | null): void {
  const { object, identifier, line } = place;
  const said = saidOf(place);
  const lost = said.length === 0 ? '' : ` What is said there is not kept: ${some(said)}.`;
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

/** What a place says beside its object. */
function saidOf({ name, desc, alternativeId, tableInternal }: Place): string[] {
  return [name, desc, alternativeId, tableInternal ? 'IS-TABLE-INTERNAL' : '']
    .filter((text): text is string => text !== undefined && text !== '')
    .map((text) => JSON.stringify(text));
}

/** What a place says of its object, which the object keeps from its first place. */
function keepSayings(object: Draft, { name, desc, alternativeId, tableInternal }: Place): void {
  if (name) object.attributes.set('reqif:place-name', name);
  if (desc) object.attributes.set('reqif:place-desc', desc);
  if (alternativeId) object.attributes.set('reqif:place-alternative-id', alternativeId);
  if (tableInternal) object.attributes.set('reqif:table-internal', true);
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

/** Tells places of objects that are declared again from those that are known of the first. */
function createRepeats(parents: ReadonlyMap<Draft, string | null>) {
  const known = new Map<Draft, Set<string>>();
  return {
    /** Whether a place is known; from then on it is. */
    isKnown(object: Draft, where: string): boolean {
      let places = known.get(object);
      if (places === undefined) {
        places = new Set([parents.get(object) ?? '', ...placesOf(object)]);
        known.set(object, places);
      }
      if (places.has(where)) return true;
      places.add(where);
      return false;
    },
  };
}

/** What the further places of an object are in. */
function placesOf({ attributes }: Draft): string[] {
  const places = attributes.get('reqif:places');
  return Array.isArray(places) ? places.map(String) : [];
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

/** Further places of an object in a specification. */
interface Further {
  /** The line of the first. */
  line: number;
  /** What each is in. */
  parents: string[];
  said: string[];
  /** What stands below them and nowhere before, and what that is put into. */
  moved: { id: string; to: string }[];
}

type Elsewhere = Map<Draft, Further>;

function furtherOf(elsewhere: Elsewhere, object: Draft, place: Place, where: string): Further {
  const known = elsewhere.get(object);
  const further = known ?? { line: place.line, parents: [], said: [], moved: [] };
  if (known === undefined) elsewhere.set(object, further);
  further.parents.push(where);
  further.said.push(...saidOf(place));
  return further;
}

function noteElsewhere(
  document: ReqifDocument,
  elsewhere: Elsewhere,
  ids: ReadonlyMap<Draft, string>,
): void {
  for (const [draft, { line, parents, said, moved }] of elsewhere) {
    draft.attributes.set('reqif:places', [...placesOf(draft), ...parents]);
    const itemId = ids.get(draft) ?? null;
    const lost = said.length === 0 ? '' : ` What is said there is not kept: ${some(said)}.`;
    const many = `${parents.length} more ${parents.length === 1 ? 'place' : 'places'}`;
    const detail = `${named(itemId ?? '')} has ${many} here; it belongs to its first.${movedText(moved)}${lost}`;
    const keepsAll = said.length + moved.length === 0;
    const severity = moved.length === 0 ? 'info' : 'warning';
    document.report[keepsAll ? 'say' : 'lose']('several_places', severity, line, detail, {
      itemId,
      relatedIds: [
        ...[...new Set(parents)].slice(0, 100),
        ...moved.slice(0, 100).map(({ id }) => id),
      ],
    });
  }
}

function movedText(moved: Further['moved']): string {
  const first = moved[0];
  if (first === undefined) return '';
  const places = [...new Set(moved.map(({ to }) => named(to)))];
  return ` What is below it there is below ${some(places)}: ${some(moved.map(({ id }) => id))}.`;
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

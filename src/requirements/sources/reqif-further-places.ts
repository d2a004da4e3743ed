// The places of ReqIF objects beside the first, in which they belong: what these are in is kept, and
// what else they say, or alone hold, is told.

import type { Place, ReqifDocument } from './reqif-document.ts';
import type { Draft } from './reqif-drafts.ts';
import { some } from './reqif-report.ts';
import { lostText } from './reqif-sayings.ts';
import { named } from './reqif-set.ts';

/** Further places of an object in a specification. */
export interface Further {
  /** The line of the first. */
  line: number;
  /** What each is in. */
  parents: string[];
  said: string[];
  /** What stands below them and nowhere before, and what that is put into. */
  moved: { id: string; to: string }[];
}

/** By object, its further places. */
export type FurtherPlaces = Map<Draft, Further>;

/**
 * The further places of an object, with one more.
 *
 * @param where - what that is in; undefined for one that is known already
 */
export function furtherOf(
  elsewhere: FurtherPlaces,
  object: Draft,
  place: Place,
  where: string | undefined,
): Further {
  const known = elsewhere.get(object);
  const further = known ?? { line: place.line, parents: [], said: [], moved: [] };
  if (known === undefined) elsewhere.set(object, further);
  if (where !== undefined) further.parents.push(where);
  further.said.push(...saidOf(place));
  return further;
}

/** Keeps what further places are in with their objects, and reports them. */
export function noteFurther(
  document: ReqifDocument,
  elsewhere: FurtherPlaces,
  ids: ReadonlyMap<Draft, string>,
): void {
  for (const [draft, { line, parents, said, moved }] of elsewhere) {
    if (parents.length + said.length + moved.length === 0) continue;
    if (parents.length > 0) draft.attributes.set('reqif:places', [...placesOf(draft), ...parents]);
    const itemId = ids.get(draft) ?? null;
    const many =
      parents.length === 0
        ? 'a place here that it has elsewhere too'
        : `${parents.length} more ${parents.length === 1 ? 'place' : 'places'} here`;
    const detail = `${named(itemId ?? '')} has ${many}; it belongs to its first.${movedText(moved)}${lostText(said)}`;
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

/** What a place says beside its object. */
export function saidOf({ name, desc, alternativeId, tableInternal }: Place): string[] {
  return [name, desc, alternativeId, tableInternal ? 'IS-TABLE-INTERNAL' : '']
    .filter((text): text is string => text !== undefined && text !== '')
    .map((text) => JSON.stringify(text));
}

/** Tells places of objects that are declared again from those that are known of the first. */
export function createRepeats(parents: ReadonlyMap<Draft, string | null>) {
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

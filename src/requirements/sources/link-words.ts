// What the names of relations mean, in the formats that let people name them: a table of words. Other
// names are `relates`, with the name as the link's role.
import type { SourceLink } from './model.ts';

interface LinkMeaning {
  type: SourceLink['type'];
  /** Whether the relation runs from what is depended on, as in "verified by". */
  reversed: boolean;
}

const FORWARD: Record<SourceLink['type'], readonly string[]> = {
  refines: ['refines', 'refine', 'refinement', 'elaborates', 'details', 'parent', 'child of'],
  derives: ['derives', 'derive', 'derived from', 'derives from', 'derivation'],
  depends: ['depends', 'depends on', 'dependency', 'requires', 'needs', 'prerequisite'],
  verifies: ['verifies', 'verify', 'validates', 'tests', 'test', 'checks'],
  satisfies: ['satisfies', 'satisfy', 'implements', 'fulfils', 'fulfills', 'realizes', 'covers'],
  conflicts: ['conflicts', 'conflicts with', 'contradicts'],
  relates: ['relates', 'relates to', 'related to', 'traces to', 'see also'],
};

const REVERSED: Record<string, readonly string[]> = {
  refines: ['refined by', 'child', 'children', 'parent of', 'detailed by'],
  derives: ['derived by', 'derives to', 'derives into'],
  depends: ['required by', 'required for', 'needed by'],
  verifies: ['verified by', 'validated by', 'tested by', 'checked by'],
  satisfies: ['satisfied by', 'implemented by', 'fulfilled by', 'realized by', 'covered by'],
};

const MEANINGS = new Map<string, LinkMeaning>([
  ...meaningsOf(FORWARD, false),
  ...meaningsOf(REVERSED, true),
]);

function meaningsOf(
  table: Record<string, readonly string[]>,
  reversed: boolean,
): [string, LinkMeaning][] {
  return Object.entries(table).flatMap(([type, names]) =>
    names.map((name): [string, LinkMeaning] => [
      name,
      { type: type as LinkMeaning['type'], reversed },
    ]),
  );
}

/**
 * The meaning of a relation's name (`isVerifiedBy`, `verified_by`, `Verified by`).
 * @param otherwise - what a name means that is not in the table
 */
export function linkMeaning(name: string, otherwise: SourceLink['type'] = 'relates'): LinkMeaning {
  const words = name
    .slice(0, 100)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, ' ')
    .trim()
    .replace(/^(?:is|are|has) /, '')
    .replace(/ (?:links?|relations?)$/, '');
  return MEANINGS.get(words) ?? { type: otherwise, reversed: false };
}

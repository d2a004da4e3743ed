// What the names of link fields mean in a needs.json: the type of their links, and which end is said.
import type { SourceLink } from './model.ts';

/** What a link field says of the need that has it and the need that it names. */
export interface LinkMeaning {
  type: SourceLink['type'];
  /** Whether the link runs from the need that is named, as in `verified_by`. */
  reversed: boolean;
}

interface Names {
  type: SourceLink['type'];
  active: RegExp;
  passive: RegExp;
}

/** A need that is blocked by another depends on it: that name alone with `by` runs forward. */
const NAMES: readonly Names[] = [
  {
    ...{ type: 'refines', active: /^(?:refines?|parents?|parent_needs)$/ },
    passive: /^(?:is_)?refined_by$/,
  },
  {
    ...{ type: 'derives', active: /^(?:derives?|derive[sd]?_from)$/ },
    passive: /^(?:is_)?derived_by$/,
  },
  {
    ...{ type: 'depends', active: /^(?:depends?|depends_on|requires?|needs|blocked_by)$/ },
    passive: /^(?:is_)?(?:depended_(?:up)?on_by|required_by|needed_by)$/,
  },
  {
    ...{ type: 'verifies', active: /^(?:verif(?:y|ies)|tests?|validates?|checks?)$/ },
    passive: /^(?:is_)?(?:verified|tested|validated|checked)_by$/,
  },
  {
    type: 'satisfies',
    active: /^(?:satisf(?:y|ies)|implements?|fulfils?|fulfills?|realizes?)$/,
    passive: /^(?:is_)?(?:satisfied|implemented|fulfill?ed|reali[sz]ed)_by$/,
  },
  {
    ...{ type: 'conflicts', active: /^(?:conflicts?|conflicts_with|contradicts?)$/ },
    passive: /^(?:is_)?contradicted_by$/,
  },
];

/** What people do to needs as well as needs do. */
const DONE_BY_PEOPLE =
  /^(?:is_)?(?:derived|required|needed|verified|tested|validated|checked|implemented|reali[sz]ed)_by$/;

function namedSo(field: string): LinkMeaning | null {
  const name = field.toLowerCase();
  for (const { type, active, passive } of NAMES) {
    if (active.test(name)) return { type, reversed: false };
    if (passive.test(name)) return { type, reversed: true };
  }
  return null;
}

/** What a link field means; the general `links` by what the need is that has it. */
export function linkMeaning(field: string, needType: string): LinkMeaning {
  if (field === 'links') {
    const isTest = /test|^tc$/i.test(needType);
    const type = isTest ? 'verifies' : /^impl/i.test(needType) ? 'satisfies' : 'refines';
    return { type, reversed: false };
  }
  return namedSo(field) ?? { type: 'relates', reversed: false };
}

/** Whether the name of a relation of some type says that it runs from what is depended on. */
export function isPassiveName(field: string, type: string): boolean {
  const meaning = namedSo(field);
  return meaning !== null && meaning.reversed && meaning.type === type;
}

/** Whether a field of this name holds links, by its name alone: `yes`, `no`, or `maybe` people. */
export function namesLinks(field: string): 'yes' | 'no' | 'maybe' {
  if (field !== field.toLowerCase() || namedSo(field) === null) return 'no';
  return DONE_BY_PEOPLE.test(field) ? 'maybe' : 'yes';
}

// What is wrong with a need of a needs.json that we wrote and somebody has edited.
import { NODE_KINDS } from './model.ts';
import { recordOf } from './needs-json-fields.ts';
import type { OwnFields } from './needs-json-own.ts';

type Values = Readonly<Record<string, unknown>>;
/** Whether a value is one that we write; a missing one is. */
type Rule = (value: unknown) => boolean;

const isMissing: Rule = (value) => value === undefined || value === null;
const isText: Rule = (value) => isMissing(value) || typeof value === 'string';
const areTexts: Rule = (value) =>
  isMissing(value) || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
const isTruth: Rule = (value) => value === undefined || typeof value === 'boolean';
const isObject: Rule = (value) => value === undefined || recordOf(value) !== undefined;

const NEED_RULES: Readonly<Record<string, Rule>> = {
  ...{ type: isText, title: isText, content: isText, status: isText, priority: isText },
  ...{ rationale: isText, tags: areTexts, acceptance: areTexts, parent_need: isText },
  pqrs: isObject,
};

const OWN_RULES: Readonly<Record<string, Rule>> = {
  kind: (value) => value === undefined || NODE_KINDS.some((kind) => kind === value),
  ...{ active: isTruth, typed: isTruth, shown: areTexts, attributes: isObject },
  links: (value) => value === undefined || Array.isArray(value),
};

const LINK_RULES: Readonly<Record<string, Rule>> = {
  field: (value) => typeof value === 'string',
  at: (value) => Number.isSafeInteger(value),
  ...{ suspect: isTruth, attributes: isObject },
};

/** The names of what is wrong in a need, `pqrs.kind` for one that is in the field `pqrs`. */
export function ownFaults(values: Values, fields: OwnFields): string[] {
  const faults = faultsIn(values, NEED_RULES);
  for (const [name, value] of Object.entries(values)) {
    if (fields.has(name) && !areTexts(value)) faults.push(name);
  }
  const own = recordOf(values.pqrs);
  if (!own) return faults;
  for (const name of [...faultsIn(own, OWN_RULES), ...unknownIn(own, OWN_RULES)]) {
    faults.push(`pqrs.${name}`);
  }
  const { shown, links } = own;
  for (const name of Array.isArray(shown) ? shown : []) {
    if (typeof name === 'string' && !Object.hasOwn(values, name)) faults.push('pqrs.shown');
  }
  for (const [at, link] of (Array.isArray(links) ? links : []).entries()) {
    const said = recordOf(link);
    const list = typeof said?.field === 'string' ? values[said.field] : undefined;
    const isThere = Array.isArray(list) && Number(said?.at) in list;
    const wrong = said ? [...faultsIn(said, LINK_RULES), ...unknownIn(said, LINK_RULES)] : [''];
    if (!isThere || wrong.length > 0) faults.push(`pqrs.links[${at}]`);
  }
  return [...new Set(faults)];
}

function faultsIn(values: Values, rules: Readonly<Record<string, Rule>>): string[] {
  return Object.entries(rules).flatMap(([name, rule]) => (rule(values[name]) ? [] : [name]));
}

function unknownIn(values: Values, rules: Readonly<Record<string, Rule>>): string[] {
  return Object.keys(values).filter((name) => !Object.hasOwn(rules, name));
}

// Turns the relations of ReqIF into links, with the name of the relation's type, its values and its
// groups; what a relation lacks is reported.

import type { FindingCode } from './finding-codes.ts';
import type { AttributeValue, SourceLink } from './model.ts';
import {
  defaultsFor,
  type ReqifDocument,
  type SpecRelation,
  type SpecType,
} from './reqif-document.ts';
import type { Draft } from './reqif-drafts.ts';
import type { RelationGroups } from './reqif-groups.ts';
import { keepBeside, keptValues } from './reqif-kept-values.ts';
import { isReversedRole, linkTypeOf } from './reqif-link-names.ts';
import { decodeName, OWN, OWN_PREFIX } from './reqif-names.ts';
import type { FindObject } from './reqif-places.ts';
import type { RawValue } from './reqif-raw-values.ts';
import { lostText, notesOf, saying, valuesOf } from './reqif-sayings.ts';
import { named, type ReqifSet } from './reqif-set.ts';
import { attributeValue } from './reqif-values.ts';
import { idFault, shownId } from './usable-id.ts';

const LINK_TYPES: ReadonlySet<string> = new Set([
  'refines',
  'derives',
  'depends',
  'verifies',
  'satisfies',
  'conflicts',
  'relates',
]);

/** The items that relations are between. */
export interface Ends {
  object: FindObject;
  /** Relations of ReqIF are between objects, yet some files have specifications there. */
  specification: FindObject;
  ids: ReadonlyMap<Draft, string>;
  groups: RelationGroups;
  /** Is given each relation that becomes a link. */
  linked: Set<SpecRelation>;
}

/**
 * The links of a document, in the order of their lines. One may dangle: its `to` is then the
 * IDENTIFIER that is in no file.
 */
export function linksOf(
  set: ReqifSet,
  document: ReqifDocument,
  drafts: readonly Draft[],
  ends: Ends,
): SourceLink[] {
  const links: SourceLink[] = [];
  for (const relation of document.relations) {
    const link = linkOf(set, document, relation, ends);
    if (link === undefined) continue;
    links.push(link);
    ends.linked.add(relation);
  }
  for (const draft of drafts) links.push(...ownLinks(set, draft, ends.ids.get(draft) ?? ''));
  return links.sort((a, b) => a.line - b.line);
}

function linkOf(
  set: ReqifSet,
  document: ReqifDocument,
  relation: SpecRelation,
  ends: Ends,
): SourceLink | undefined {
  const { ids } = ends;
  const specType = set.typeOf(document, relation.type, relation.line);
  const { type, role, reversed } = meaningOf(relation, specType);
  const source = endOf(document, relation, 'SOURCE', ends);
  const target = endOf(document, relation, 'TARGET', ends);
  const [from, to] = reversed ? [target, source] : [source, target];
  const end = reversed ? relation.source : relation.target;
  if (from === undefined || (to === undefined && idFault(end) !== undefined)) {
    noteEnds(set, document, relation, source, target, ids);
    return undefined;
  }
  const { suspect, attributes } = attributesOf(set, document, relation, specType, ends);
  return {
    from: ids.get(from) ?? '',
    to: to === undefined ? end : (ids.get(to) ?? ''),
    type,
    path: document.report.path,
    line: relation.line,
    ...(role === undefined ? {} : { role }),
    ...(suspect === undefined ? {} : { suspect }),
    ...(attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
  };
}

const MEANINGS = new WeakMap<SpecType, ReturnType<typeof linkTypeOf>>();

/** {@link linkTypeOf} of the name of a type: most relations of a document share a few. */
function meaningOfType(type: SpecType | undefined, name: string): ReturnType<typeof linkTypeOf> {
  const known = type && MEANINGS.get(type);
  if (known !== undefined) return known;
  const meaning = linkTypeOf(name);
  if (type !== undefined) MEANINGS.set(type, meaning);
  return meaning;
}

function meaningOf(relation: SpecRelation, type: SpecType | undefined) {
  const name = type?.name?.trim() ? type.name : undefined;
  if (relation.type.startsWith(OWN.relation)) {
    const parts = relation.type.slice(OWN.relation.length).split('.');
    const said = parts[0] ?? '';
    const known = LINK_TYPES.has(said) ? (said as SourceLink['type']) : 'relates';
    const role = parts[1] === undefined ? undefined : decodeName(parts[1]);
    return { type: known, role, reversed: isReversedRole(known, role) };
  }
  const meaning = meaningOfType(type, name ?? '');
  const role = name === undefined || name === meaning.type ? undefined : name;
  return { ...meaning, role };
}

function endOf(
  document: ReqifDocument,
  relation: SpecRelation,
  end: 'SOURCE' | 'TARGET',
  { object, specification, ids }: Ends,
): Draft | undefined {
  const identifier = end === 'SOURCE' ? relation.source : relation.target;
  const found = object(document, identifier);
  if (found !== undefined) return found;
  const other = specification(document, identifier);
  if (other === undefined) return undefined;
  const detail = `The ${end} of the relation ${named(relation.identifier)} is the specification ${named(identifier)}; relations of ReqIF are between objects.`;
  const itemId = ids.get(other) ?? null;
  document.report.say('invalid_reference', 'warning', relation.line, detail, { itemId });
  return other;
}

/** Why there is nothing at an end of a relation. */
function faultOfEnd(
  end: string,
  identifier: string,
  name: string,
): { code: FindingCode; detail: string } {
  if (identifier === '') {
    return { code: 'incomplete_relation', detail: `The relation ${name} has no ${end}.` };
  }
  const what = `The ${end} of the relation ${name} is`;
  const wrong = idFault(identifier);
  return wrong === undefined
    ? { code: 'dangling_reference', detail: `${what} ${named(identifier)}, which is in no file.` }
    : { code: 'invalid_reference', detail: `${what} ${shownId(identifier)}: an id ${wrong}.` };
}

/** Reports the ends that a relation lacks and without which it is no link. */
function noteEnds(
  set: ReqifSet,
  document: ReqifDocument,
  relation: SpecRelation,
  source: Draft | undefined,
  target: Draft | undefined,
  ids: ReadonlyMap<Draft, string>,
): void {
  const name = named(relation.identifier);
  const other = source ?? target;
  const itemId = other === undefined ? null : (ids.get(other) ?? null);
  const said = relation.name ? [saying('LONG-NAME', relation.name)] : [];
  said.push(...notesOf(relation), ...valuesOf(set, document, relation));
  let lost = lostText(said);
  for (const [end, identifier, found] of [
    ['SOURCE', relation.source, source],
    ['TARGET', relation.target, target],
  ] as const) {
    if (found !== undefined) continue;
    const { code, detail } = faultOfEnd(end, identifier, name);
    const relatedIds = code === 'dangling_reference' ? [identifier] : [];
    document.report.lose(code, 'error', relation.line, detail + lost, { itemId, relatedIds });
    lost = '';
  }
}

/** What else a relation says, and whether our writer says that its target has changed. */
function attributesOf(
  set: ReqifSet,
  document: ReqifDocument,
  relation: SpecRelation,
  type: SpecType | undefined,
  { groups }: Ends,
): { suspect: boolean | undefined; attributes: Map<string, AttributeValue> } {
  const attributes = new Map<string, AttributeValue>();
  const { identifier, name, desc, alternativeId, lastChange } = relation;
  if (identifier !== '' && !identifier.startsWith(OWN_PREFIX)) {
    attributes.set('reqif:identifier', identifier);
  }
  if (name) attributes.set('reqif:long-name', name);
  if (desc) attributes.set('reqif:desc', desc);
  if (alternativeId) attributes.set('reqif:alternative-id', alternativeId);
  if (lastChange && lastChange !== document.written) {
    attributes.set('reqif:last-change', lastChange);
  }
  const kept = keptValues(attributes);
  let suspect: boolean | undefined;
  const put = (raw: RawValue, identifier: string) => {
    const info = set.attribute(document, identifier);
    if (info.definition === undefined) {
      set.undeclared(document, relation.type, identifier, raw.line);
    }
    const value = attributeValue(set, document, raw, info);
    if (info.role?.role === 'suspect' && typeof value === 'boolean' && suspect === undefined) {
      suspect = value;
    } else {
      kept.keep(raw, info, value);
    }
    kept.keepOriginal(raw, info);
  };
  for (const raw of relation.values) put(raw, raw.definition);
  for (const standard of defaultsFor(relation.values, type)) {
    set.usesDefault(standard);
    put(standard.defaultValue, standard.identifier);
  }
  const inGroups = groups.names.get(relation);
  if (inGroups !== undefined) keepBeside(attributes, 'reqif:relation-groups', inGroups);
  return { suspect, attributes };
}

/** Links that our writer kept with the item, since a relation needs an object at both ends. */
function ownLinks(set: ReqifSet, draft: Draft, from: string): SourceLink[] {
  if (draft.links === null) return [];
  const { document, element } = draft;
  const { path } = document.report;
  const item = { id: from, path, line: element.line };
  const links: SourceLink[] = [];
  for (const each of Array.isArray(draft.links) ? draft.links : [draft.links]) {
    const [type, to, role, suspect, attributes] = Array.isArray(each) ? each : [];
    if (typeof type !== 'string' || !LINK_TYPES.has(type) || typeof to !== 'string') {
      set.invalidValue(document, 'links', element.line);
      continue;
    }
    const pairs = Array.isArray(attributes) ? attributes : [];
    const others = pairs.filter(
      (pair): pair is [string, AttributeValue] =>
        Array.isArray(pair) && typeof pair[0] === 'string',
    );
    links.push({
      from,
      to,
      type: type as SourceLink['type'],
      path,
      line: element.line,
      item,
      ...(typeof role === 'string' ? { role } : {}),
      ...(typeof suspect === 'boolean' ? { suspect } : {}),
      ...(others.length === 0 ? {} : { attributes: Object.fromEntries(others) }),
    });
  }
  return links;
}

// Turns the relations of ReqIF into links, with the name of the relation's type, its values and its
// groups; what a relation lacks is reported.

import type { AttributeValue, SourceLink } from './model.ts';
import type { ReqifDocument, SpecRelation } from './reqif-document.ts';
import type { Draft } from './reqif-drafts.ts';
import { decodeName, isReversedRole, linkTypeOf, OWN, OWN_PREFIX } from './reqif-names.ts';
import type { FindObject } from './reqif-places.ts';
import { named, type ReqifSet } from './reqif-set.ts';
import { attributeValue } from './reqif-values.ts';

const LINK_TYPES: ReadonlySet<string> = new Set([
  'refines',
  'derives',
  'depends',
  'verifies',
  'satisfies',
  'conflicts',
  'relates',
]);

/**
 * The links of a document, in the order of their lines. One may dangle: its `to` is then the
 * IDENTIFIER that is in no file.
 */
export function linksOf(
  set: ReqifSet,
  document: ReqifDocument,
  drafts: readonly Draft[],
  find: FindObject,
  ids: ReadonlyMap<Draft, string>,
): SourceLink[] {
  const groups = groupsOf(set, document);
  const links: SourceLink[] = [];
  for (const relation of document.relations) {
    const link = linkOf(set, document, relation, find, ids);
    if (link === undefined) continue;
    const inGroups = groups.get(relation.identifier);
    if (inGroups !== undefined) {
      link.attributes = { ...link.attributes, 'reqif:relation-groups': inGroups };
    }
    links.push(link);
  }
  for (const draft of drafts) links.push(...ownLinks(set, draft, ids.get(draft) ?? ''));
  return links.sort((a, b) => a.line - b.line);
}

function linkOf(
  set: ReqifSet,
  document: ReqifDocument,
  relation: SpecRelation,
  find: FindObject,
  ids: ReadonlyMap<Draft, string>,
): SourceLink | undefined {
  const { type, role, reversed } = meaningOf(set, document, relation);
  const source = find(document, relation.source);
  const target = find(document, relation.target);
  const [from, to] = reversed ? [target, source] : [source, target];
  const end = reversed ? relation.source : relation.target;
  if (from === undefined || (to === undefined && end === '')) {
    noteEnds(document, relation, source, target, ids);
    return undefined;
  }
  const attributes = attributesOf(set, document, relation);
  const suspect = attributes.get('suspect');
  if (typeof suspect === 'boolean') attributes.delete('suspect');
  const others = Object.fromEntries([...attributes].map(([name, value]) => [name.slice(1), value]));
  return {
    from: ids.get(from) ?? '',
    to: to === undefined ? end : (ids.get(to) ?? ''),
    type,
    path: document.report.path,
    line: relation.line,
    ...(role === undefined ? {} : { role }),
    ...(typeof suspect === 'boolean' ? { suspect } : {}),
    ...(Object.keys(others).length === 0 ? {} : { attributes: others }),
  };
}

function meaningOf(set: ReqifSet, document: ReqifDocument, relation: SpecRelation) {
  const type = set.typeOf(document, relation.type, relation.line);
  const name = type?.name?.trim() ? type.name : undefined;
  if (relation.type.startsWith(OWN.relation)) {
    const parts = relation.type.slice(OWN.relation.length).split('.');
    const said = parts[0] ?? '';
    const known = LINK_TYPES.has(said) ? (said as SourceLink['type']) : 'relates';
    const role = parts[1] === undefined ? undefined : decodeName(parts[1]);
    return { type: known, role, reversed: isReversedRole(known, role) };
  }
  const meaning = linkTypeOf(name ?? '');
  const role = name === undefined || name === meaning.type ? undefined : name;
  return { ...meaning, role };
}

/** Reports the ends that a relation lacks and without which it is no link. */
function noteEnds(
  document: ReqifDocument,
  relation: SpecRelation,
  source: Draft | undefined,
  target: Draft | undefined,
  ids: ReadonlyMap<Draft, string>,
): void {
  const name = named(relation.identifier);
  const other = source ?? target;
  const itemId = other === undefined ? null : (ids.get(other) ?? null);
  for (const [end, identifier, found] of [
    ['SOURCE', relation.source, source],
    ['TARGET', relation.target, target],
  ] as const) {
    if (found !== undefined) continue;
    const detail =
      identifier === ''
        ? `The relation ${name} has no ${end}.`
        : `The ${end} of the relation ${name} is ${named(identifier)}, which is in no file.`;
    const code = identifier === '' ? 'incomplete_relation' : 'dangling_reference';
    const relatedIds = identifier === '' ? [] : [identifier];
    document.report.lose(code, 'error', relation.line, detail, { itemId, relatedIds });
  }
}

/** What else a relation says; keys of its own values begin with a space, to keep them apart. */
function attributesOf(
  set: ReqifSet,
  document: ReqifDocument,
  relation: SpecRelation,
): Map<string, AttributeValue> {
  const attributes = new Map<string, AttributeValue>();
  const { identifier, name, desc } = relation;
  if (identifier !== '' && !identifier.startsWith(OWN_PREFIX)) {
    attributes.set(' reqif:identifier', identifier);
  }
  if (name) attributes.set(' reqif:long-name', name);
  if (desc) attributes.set(' reqif:desc', desc);
  for (const raw of relation.values) {
    const info = set.attribute(document, raw.definition);
    if (info.definition === undefined) {
      set.undeclared(document, relation.type, raw.definition, raw.line);
    }
    const value = attributeValue(set, document, raw, info);
    const key = info.role?.role === 'suspect' ? 'suspect' : ` ${info.name}`;
    attributes.set(attributes.has(key) ? ` ${info.name} (${raw.definition})` : key, value);
  }
  return attributes;
}

/** The names of the groups that each relation is in, sorted, each once; reports what groups hold that is not there. */
function groupsOf(set: ReqifSet, document: ReqifDocument): Map<string, string[]> {
  const known = new Set(document.relations.map(({ identifier }) => identifier));
  const groups = new Map<string, string[]>();
  for (const group of document.groups) {
    const type = set.typeOf(document, group.type, group.line);
    const name = group.name || type?.name || group.identifier;
    for (const relation of group.relations) {
      if (!known.has(relation)) {
        const detail = `The relation group ${named(name)} holds ${named(relation)}, which is no relation of this file.`;
        document.report.lose('dangling_reference', 'error', group.line, detail, {
          relatedIds: [relation],
        });
        continue;
      }
      const names = groups.get(relation);
      if (names === undefined) groups.set(relation, [name]);
      else if (!names.includes(name)) names.push(name);
    }
  }
  for (const names of groups.values()) names.sort();
  return groups;
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

// The RELATION-GROUPs of ReqIF: relations keep the names of the groups that they are in. The
// specifications that a group is between are those in which the objects of its relations stand.

import type { RelationGroup, ReqifDocument, SpecRelation } from './reqif-document.ts';
import { OWN_PREFIX } from './reqif-names.ts';
import { some } from './reqif-report.ts';
import { notesOf, saying, valuesOf } from './reqif-sayings.ts';
import { named, type ReqifSet } from './reqif-set.ts';

/** The IDENTIFIER of the specification that an object stands in, by its own in a document. */
export type SpecificationOf = (document: ReqifDocument, object: string) => string | undefined;

export interface RelationGroups {
  /** The names of the groups that relations are in, sorted, each once. */
  names: ReadonlyMap<SpecRelation, string[]>;
  /**
   * Reports what of the groups is not kept.
   *
   * @param linked - the relations that have become links
   */
  tell(linked: ReadonlySet<SpecRelation>): void;
}

/** A group with what it refers to. */
interface Found {
  document: ReqifDocument;
  group: RelationGroup;
  name: string;
  typeName: string | undefined;
  members: SpecRelation[];
  /** The specifications in which the objects at one end of its relations stand. */
  sources: Set<string>;
  targets: Set<string>;
}

/** The groups of all relations of a set. Reports what groups refer to that is not there. */
export function groupsOf(set: ReqifSet, specificationOf: SpecificationOf): RelationGroups {
  const names = new Map<SpecRelation, string[]>();
  const all: Found[] = [];
  if (set.documents.every((document) => document.groups.length === 0)) {
    return { names, tell: () => undefined };
  }
  const find = relationFinder(set.documents);
  const note = createNames();
  for (const document of set.documents) {
    for (const group of document.groups) {
      const type = set.typeOf(document, group.type, group.line);
      const name = group.name || type?.name || group.identifier;
      const found: Found = {
        ...{ document, group, name, typeName: type?.name },
        ...{ members: [], sources: new Set(), targets: new Set() },
      };
      all.push(found);
      for (const identifier of group.relations) {
        const home = identifier === '' ? undefined : find(document, identifier);
        const relation = home?.relations.get(identifier);
        if (home === undefined || relation === undefined) {
          noteMissing(document, group, name, identifier);
          continue;
        }
        const source = specificationOf(home.document, relation.source);
        const target = specificationOf(home.document, relation.target);
        if (source !== undefined) found.sources.add(source);
        if (target !== undefined) found.targets.add(target);
        found.members.push(relation);
        addName(names, relation, name);
      }
      note(document, group, name);
      noteSpecifications(set, document, group, name);
    }
  }
  for (const ofRelation of names.values()) ofRelation.sort();
  return {
    names,
    tell(linked) {
      for (const found of all) noteRest(set, found, linked);
    },
  };
}

function addName(names: Map<SpecRelation, string[]>, relation: SpecRelation, name: string): void {
  const ofRelation = names.get(relation);
  if (ofRelation === undefined) names.set(relation, [name]);
  else if (!ofRelation.includes(name)) ofRelation.push(name);
}

/** Finds relations by identifier: in a document itself, else in the first that has one. */
function relationFinder(documents: readonly ReqifDocument[]) {
  const homes = documents.map((document) => {
    const relations = new Map<string, SpecRelation>();
    for (const relation of document.relations) {
      if (!relations.has(relation.identifier)) relations.set(relation.identifier, relation);
    }
    return { document, relations };
  });
  const inside = new Map(homes.map((home) => [home.document, home]));
  const anywhere = new Map<string, (typeof homes)[number]>();
  for (const home of homes) {
    for (const identifier of home.relations.keys()) {
      if (!anywhere.has(identifier)) anywhere.set(identifier, home);
    }
  }
  return (document: ReqifDocument, identifier: string) => {
    const home = inside.get(document);
    return home?.relations.has(identifier) ? home : anywhere.get(identifier);
  };
}

/** Reports groups whose names others have: what their relations keep is then of one group. */
function createNames() {
  const firsts = new Map<string, { document: ReqifDocument; group: RelationGroup }>();
  return (document: ReqifDocument, group: RelationGroup, name: string) => {
    const first = firsts.get(name);
    if (first === undefined) {
      firsts.set(name, { document, group });
      return;
    }
    // Our writer makes a group for each two specifications; a file may repeat those of another.
    if (document.written !== undefined) return;
    const isHere = first.document === document;
    if (!isHere && first.group.identifier === group.identifier) return;
    const { path, inner } = first.document.report;
    const file = isHere ? '' : ` of ${inner === null ? path : `${path}!${inner}`}`;
    const detail = `The relation group ${named(name)} has the name of that at line ${first.group.line}${file}: the relations of both are kept as those of one group.`;
    document.report.lose('relation_group_ignored', 'warning', group.line, detail);
  };
}

function noteMissing(
  { report }: ReqifDocument,
  { line }: RelationGroup,
  name: string,
  relation: string,
): void {
  const what =
    relation === ''
      ? 'has a reference that names no relation'
      : `holds ${named(relation)}, which is no relation of any file`;
  const relatedIds = relation === '' ? [] : [relation];
  const detail = `The relation group ${named(name)} ${what}.`;
  report.lose('dangling_reference', 'error', line, detail, { relatedIds });
}

function noteSpecifications(
  set: ReqifSet,
  { report }: ReqifDocument,
  { source, target, line }: RelationGroup,
  name: string,
): void {
  for (const [end, identifier] of [
    ['SOURCE', source],
    ['TARGET', target],
  ] as const) {
    if (identifier === '' || set.isSpecification(identifier)) continue;
    const detail = `The ${end}-SPECIFICATION of the relation group ${named(name)} is ${named(identifier)}, which is in no file.`;
    const relatedIds = [identifier];
    report.lose('dangling_reference', 'error', line, detail, { relatedIds });
  }
}

/** Reports what no relation can keep of a group. */
function noteRest(
  set: ReqifSet,
  { document, group, name, typeName, members, sources, targets }: Found,
  linked: ReadonlySet<SpecRelation>,
): void {
  const { source, target, relations, line } = group;
  const isKept = members.some((relation) => linked.has(relation));
  const rest = notesOf(group);
  for (const [end, identifier, ofRelations] of [
    ['SOURCE-SPECIFICATION', source, sources],
    ['TARGET-SPECIFICATION', target, targets],
  ] as const) {
    const isSaid = isKept && ofRelations.has(identifier) && ofRelations.size === 1;
    if (!isSaid && set.isSpecification(identifier)) rest.push(saying(end, identifier));
  }
  rest.push(...valuesOf(set, document, group));
  const isOwnType = group.type.startsWith(OWN_PREFIX);
  const type = isOwnType || typeName === name ? '' : (typeName?.trim() ?? '');
  const all = type === '' ? rest : [saying('TYPE', type), ...rest];
  if (!isKept) {
    const also = all.length === 0 ? '' : `, nor its ${some(all)}`;
    const which = relations.length === 0 ? 'no relation' : 'no relation that is a link';
    const detail = `The relation group ${named(name)} holds ${which}; it was not kept${also}.`;
    document.report.lose('relation_group_ignored', 'warning', line, detail);
  } else if (all.length > 0) {
    const detail = `Of the relation group ${named(name)} only the name and the relations are kept, and not ${some(all)}.`;
    if (rest.length > 0) document.report.lose('relation_group_ignored', 'warning', line, detail);
    else document.report.say('relation_group_ignored', 'info', line, detail);
  }
}

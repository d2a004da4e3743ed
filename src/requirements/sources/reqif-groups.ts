// The RELATION-GROUPs of ReqIF: relations keep the names of the groups that they are in. The
// specifications that a group is between are those in which the objects of its relations stand.

import type { RelationGroup, ReqifDocument } from './reqif-document.ts';
import { some } from './reqif-report.ts';
import { named, type ReqifSet } from './reqif-set.ts';
import { attributeValue, textOfValue } from './reqif-values.ts';

type SpecificationOf = (object: string) => string | undefined;

/**
 * The names of the groups that each relation is in, sorted, each once, by the IDENTIFIER of the
 * relation. Reports what groups refer to that is not there, and what of them is not kept.
 *
 * @param specificationOf - the IDENTIFIER of the specification that an object stands in, by its own
 */
export function groupsOf(
  set: ReqifSet,
  document: ReqifDocument,
  specificationOf: SpecificationOf,
): Map<string, string[]> {
  if (document.groups.length === 0) return new Map();
  const known = new Map(document.relations.map((relation) => [relation.identifier, relation]));
  const groups = new Map<string, string[]>();
  for (const group of document.groups) {
    const type = set.typeOf(document, group.type, group.line);
    const name = group.name || type?.name || group.identifier;
    const between = new Set<string | undefined>();
    for (const relation of group.relations) {
      const found = relation === '' ? undefined : known.get(relation);
      if (found === undefined) {
        noteMissing(document, group, name, relation);
        continue;
      }
      between.add(specificationOf(found.source)).add(specificationOf(found.target));
      const names = groups.get(relation);
      if (names === undefined) groups.set(relation, [name]);
      else if (!names.includes(name)) names.push(name);
    }
    noteSpecifications(set, document, group, name);
    noteRest(set, document, group, name, between);
  }
  for (const names of groups.values()) names.sort();
  return groups;
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
      : `holds ${named(relation)}, which is no relation of this file`;
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

/**
 * Reports what no relation can keep of a group.
 *
 * @param between - the specifications that the objects of its relations stand in
 */
function noteRest(
  set: ReqifSet,
  document: ReqifDocument,
  { desc, alternativeId, source, target, values, relations, line }: RelationGroup,
  name: string,
  between: ReadonlySet<string | undefined>,
): void {
  const rest = values.map((raw) => {
    const info = set.attribute(document, raw.definition);
    return saying(info.name, textOfValue(attributeValue(set, document, raw, info)));
  });
  const ends: [string, string][] = [
    ['SOURCE-SPECIFICATION', source],
    ['TARGET-SPECIFICATION', target],
  ];
  for (const [end, identifier] of relations.length === 0 ? [] : ends) {
    const isKept = identifier === '' || between.has(identifier);
    if (!isKept && set.isSpecification(identifier)) rest.unshift(saying(end, identifier));
  }
  if (alternativeId) rest.unshift(saying('ALTERNATIVE-ID', alternativeId));
  if (desc) rest.unshift(saying('DESC', desc));
  if (relations.length === 0) {
    const also = rest.length === 0 ? '' : `, nor its ${some(rest)}`;
    const detail = `The relation group ${named(name)} holds no relation; it was not kept${also}.`;
    document.report.lose('relation_group_ignored', 'warning', line, detail);
  } else if (rest.length > 0) {
    const detail = `Of the relation group ${named(name)} only the name and the relations are kept, and not ${some(rest)}.`;
    document.report.lose('relation_group_ignored', 'warning', line, detail);
  }
}

function saying(name: string, text: string): string {
  return `${named(name)} ${JSON.stringify(text.slice(0, 80))}`;
}

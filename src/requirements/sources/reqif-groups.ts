// The RELATION-GROUPs of ReqIF: relations keep the names of the groups that they are in. The
// specifications that a group is between are those in which the objects of its relations stand.

import type { RelationGroup, ReqifDocument } from './reqif-document.ts';
import { some } from './reqif-report.ts';
import { named, type ReqifSet } from './reqif-set.ts';
import { attributeValue, textOfValue } from './reqif-values.ts';

/**
 * The names of the groups that each relation is in, sorted, each once, by the IDENTIFIER of the
 * relation. Reports what groups refer to that is not there, and what of them is not kept.
 */
export function groupsOf(set: ReqifSet, document: ReqifDocument): Map<string, string[]> {
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
    noteSpecifications(set, document, group, name);
    noteRest(set, document, group, name);
  }
  for (const names of groups.values()) names.sort();
  return groups;
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
  document: ReqifDocument,
  { desc, values, relations, line }: RelationGroup,
  name: string,
): void {
  const rest = values.map((raw) => {
    const info = set.attribute(document, raw.definition);
    return saying(info.name, textOfValue(attributeValue(set, document, raw, info)));
  });
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

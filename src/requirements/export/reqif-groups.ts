// The RELATION-GROUPs of a ReqIF export: relations of one group name between two specifications.

import { OWN_PREFIX } from '../sources/reqif-names.ts';
import { type ExportedLink, endsOf } from './reqif-elements.ts';
import { groupsOf } from './reqif-natives.ts';
import type { ExportedItem, ReqifPlan } from './reqif-plan.ts';
import { attributeText } from './xml-text.ts';

const TYPE = `${OWN_PREFIX}group-type`;

/** Whether any of the relations is in a group. */
export function haveGroups(relations: readonly ExportedLink[]): boolean {
  return relations.some((link) => groupsOf(link).length > 0);
}

/** The type of all groups. */
export function groupTypeText(time: string): string {
  const attributes = attributeText({
    IDENTIFIER: TYPE,
    'LAST-CHANGE': time,
    'LONG-NAME': 'Relation group',
  });
  return `<RELATION-GROUP-TYPE${attributes}/>\n`;
}

/**
 * The SPEC-RELATION-GROUPS element.
 *
 * @param relations - each with its IDENTIFIER at the same place
 * @param specificationOf - the IDENTIFIER of the specification that an object stands in
 */
export function groupsText(
  plan: ReqifPlan,
  relations: readonly ExportedLink[],
  identifiers: readonly string[],
  specificationOf: (item: ExportedItem | undefined) => string,
  time: string,
): string {
  const groups = new Map<string, { name: string; ends: [string, string]; members: string[] }>();
  for (const [at, link] of relations.entries()) {
    for (const name of groupsOf(link)) {
      const { source, target } = endsOf(link);
      const ends: [string, string] = [
        specificationOf(plan.byId.get(source)),
        specificationOf(plan.byId.get(target)),
      ];
      const key = JSON.stringify([name, ...ends]);
      const group = groups.get(key) ?? { name, ends, members: [] };
      groups.set(key, group);
      group.members.push(identifiers[at] ?? '');
    }
  }
  let text = '<SPEC-RELATION-GROUPS>\n';
  let number = 0;
  for (const { name, ends, members } of groups.values()) {
    number += 1;
    const attributes = attributeText({
      IDENTIFIER: `${OWN_PREFIX}group.${number}`,
      'LAST-CHANGE': time,
      'LONG-NAME': name,
    });
    const refs = members.map((one) => `<SPEC-RELATION-REF>${one}</SPEC-RELATION-REF>`).join('');
    const [source, target] = ends.map((one) => `<SPECIFICATION-REF>${one}</SPECIFICATION-REF>`);
    text += `<RELATION-GROUP${attributes}><SOURCE-SPECIFICATION>${source}</SOURCE-SPECIFICATION><SPEC-RELATIONS>${refs}</SPEC-RELATIONS><TARGET-SPECIFICATION>${target}</TARGET-SPECIFICATION><TYPE><RELATION-GROUP-TYPE-REF>${TYPE}</RELATION-GROUP-TYPE-REF></TYPE></RELATION-GROUP>\n`;
  }
  return `${text}</SPEC-RELATION-GROUPS>\n`;
}

/** Finds the specification of an object: of each what its place in the plan says. */
export function specificationsOf(
  plan: ReqifPlan,
  identifierOf: (at: number) => string,
): (item: ExportedItem | undefined) => string {
  const found = new Map<ExportedItem, string>();
  for (const [at, { children }] of plan.specifications.entries()) {
    const identifier = identifierOf(at);
    const stack = [...children];
    for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
      found.set(item, identifier);
      for (const child of plan.childrenOf(item)) stack.push(child);
    }
  }
  return (item) => (item === undefined ? '' : (found.get(item) ?? ''));
}

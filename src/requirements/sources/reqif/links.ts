// Links of ReqIF relations, with the name of the relation's type, its values and its groups.
import { linkMeaning } from '../link-words.ts';
import type { AttributeValue, SourceLink } from '../model.ts';
import type { Relation, ReqifDocument } from './document.ts';
import type { FindDraft } from './hierarchy.ts';
import { setText, setValues } from './items.ts';
import type { Element, ReqifSet } from './set.ts';

/**
 * The links of all documents. One may lead from or to what is in no file: that end is its IDENTIFIER.
 *
 * @param find - the item of an object or a specification
 */
export function linksOf(
  documents: readonly ReqifDocument[],
  set: ReqifSet,
  find: FindDraft,
): SourceLink[] {
  const groups = groupsOf(documents);
  const meanings = new Map<string, ReturnType<typeof linkMeaning>>();
  return documents.flatMap((document) =>
    document.relations.flatMap((relation) => {
      const name = (document: ReqifDocument, id: string) => find(document, id)?.item.id ?? id;
      for (const end of ['source', 'target'] as const) {
        if (relation[end] !== '') continue;
        const detail = `The relation ${relation.identifier} has no ${end.toUpperCase()}; it is no link.`;
        document.report.report('missing_field', relation.line, detail);
      }
      const element = set.resolve(document, relation);
      const typeName = element.type?.name ?? '';
      const meaning = meanings.get(typeName) ?? linkMeaning(typeName);
      meanings.set(typeName, meaning);
      if (relation.source === '' || relation.target === '') {
        const text = [relation.name, ...relation.values.map((value) => value.text)]
          .join(' ')
          .trim();
        document.report.reportLosses([
          { what: 'SPEC-RELATION', line: relation.line, text, times: 1 },
        ]);
        return [];
      }
      const ends = [name(document, relation.source), name(document, relation.target)];
      const [from = '', to = ''] = meaning.reversed ? ends.reverse() : ends;
      const { type } = meaning;
      const { suspect, attributes } = attributesOf(element, groups.get(relation));
      return {
        from,
        to,
        type,
        path: document.path,
        line: relation.line,
        ...(typeName === '' || typeName === type ? {} : { role: typeName }),
        ...(suspect === undefined ? {} : { suspect }),
        ...(attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
      };
    }),
  );
}

function attributesOf(
  { source, reads }: Element<Relation>,
  groups: string[] | undefined,
): { suspect: boolean | undefined; attributes: Map<string, AttributeValue> } {
  const attributes = new Map<string, AttributeValue>();
  setText(attributes, 'reqif:identifier', source.identifier);
  setText(attributes, 'reqif:long-name', source.name);
  setText(attributes, 'reqif:desc', source.desc);
  setText(attributes, 'reqif:alternative-id', source.alternativeId);
  setText(attributes, 'reqif:last-change', source.lastChange);
  const mark = reads.find(
    ({ role, json }) => role?.role === 'suspect' && /^(?:true|false)$/.test(`${json}`),
  );
  if (mark) mark.used = true;
  setValues(attributes, reads);
  if (groups) attributes.set('reqif:relation-groups', groups.sort());
  return { suspect: mark && String(mark.json) === 'true', attributes };
}

/** The names of the groups that relations are in. */
function groupsOf(documents: readonly ReqifDocument[]): Map<Relation, string[]> {
  const groups = new Map<Relation, string[]>();
  if (documents.every((one) => one.groups.length === 0)) return groups;
  const anywhere = new Map<string, Relation>();
  const inside = new Map<ReqifDocument, Map<string, Relation>>();
  for (const document of documents) {
    const own = new Map(document.relations.toReversed().map((one) => [one.identifier, one]));
    inside.set(document, own);
    for (const [identifier, one] of own)
      if (!anywhere.has(identifier)) anywhere.set(identifier, one);
  }
  for (const document of documents) {
    for (const { name, relations, line } of document.groups) {
      for (const identifier of relations) {
        const relation = inside.get(document)?.get(identifier) ?? anywhere.get(identifier);
        if (relation) {
          groups.set(relation, [...new Set([...(groups.get(relation) ?? []), name])]);
          continue;
        }
        const detail = `The relation group ${name} holds ${identifier}, which is no relation of any file.`;
        document.report.report('dangling_reference', line, detail, { relatedIds: [identifier] });
      }
    }
  }
  return groups;
}

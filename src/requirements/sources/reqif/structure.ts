// Where the hierarchies of ReqIF show the items, and the links of its relations.
import { linkMeaning } from '../link-words.ts';
import type { AttributeValue, SourceLink } from '../model.ts';
import type { Place, Relation, ReqifDocument } from './document.ts';
import { type Draft, setAbout, setBeside, setValues } from './items.ts';
import { type Element, finderOf, type Lookup } from './set.ts';

export interface Placed {
  draft: Draft;
  /** The id of what it stands in; null at the top. */
  parentId: string | null;
  /** The file whose hierarchy shows it. */
  path: string;
}

/**
 * Walks all hierarchies. An object may stand in many places: the first is its own, what the others stand
 * in is an attribute.
 * @param drafts - those of specifications and objects
 * @returns the items in the order in which the hierarchies show them, then those that none shows
 */
export function placeItems(drafts: readonly Draft[], find: Lookup<Draft>): Placed[] {
  const placed: Placed[] = [];
  const specifications = drafts.filter(({ source }) => source.children);
  const seen = new Set(specifications);
  const further = new Map<Draft, string[]>();

  function put(document: ReqifDocument, places: readonly Place[], holder: string): void {
    const { path, report } = document;
    for (const { object, name, children, line } of places) {
      const draft = find(document, object);
      if (draft === undefined) {
        const detail = `A SPEC-HIERARCHY is the place of ${object || 'no object'}${name && ` (${name})`}, which is in no file.`;
        const relatedIds = object === '' ? [] : [object];
        const parts = { itemId: holder, relatedIds, isLoss: true };
        report.report('dangling_reference', line, detail, parts);
        put(document, children, holder);
        continue;
      }
      const { id } = draft.item;
      if (name !== '') setBeside(draft.attributes, 'reqif:place-name', name);
      const parents = further.get(draft);
      if (parents) parents.push(holder);
      else if (seen.has(draft)) {
        further.set(draft, [holder]);
        const detail = `${id} stands at several places; the first is its own.`;
        report.report('ambiguous_place', line, detail, { itemId: id, relatedIds: [holder] });
      } else {
        seen.add(draft);
        placed.push({ draft, parentId: holder, path });
      }
      put(document, children, id);
    }
  }

  for (const draft of specifications) {
    placed.push({ draft, parentId: null, path: draft.document.path });
    put(draft.document, draft.source.children ?? [], draft.item.id);
  }
  for (const [draft, parents] of further) setBeside(draft.attributes, 'reqif:places', parents);
  const unplaced = drafts.filter((draft) => !seen.has(draft));
  for (const draft of unplaced) placed.push({ draft, parentId: null, path: draft.document.path });
  for (const [{ report }, all] of Map.groupBy(unplaced, (draft) => draft.document)) {
    const [first, ...others] = all.map(({ item }) => item);
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    const detail = `${first?.id}${more} stands in no hierarchy: readers of the specifications do not see it.`;
    const relatedIds = others.slice(0, 100).map(({ id }) => id);
    report.report('ambiguous_place', first?.line ?? 0, detail, { itemId: first?.id, relatedIds });
  }
  return placed;
}

/**
 * The links of relations. One may lead from or to what is in no file: that end is its IDENTIFIER.
 * @param find - the item of an object or a specification
 */
export function linksOf(
  documents: readonly ReqifDocument[],
  relations: readonly Element<Relation>[],
  find: Lookup<Draft>,
): SourceLink[] {
  const groups = groupsOf(documents, relations);
  return relations.flatMap((element) => {
    const { document, source: relation, type } = element;
    const { identifier, source, target, line } = relation;
    if (source === '' || target === '') {
      const end = source === '' ? 'SOURCE' : 'TARGET';
      const detail = `The relation ${identifier} has no ${end}; it is no link.`;
      document.report.report('missing_field', line, detail);
      const text = [relation.name, ...relation.values.map((value) => value.text)].join(' ').trim();
      document.report.reportLosses([{ what: 'SPEC-RELATION', line, text, times: 1 }]);
      return [];
    }
    const name = type?.name ?? '';
    const meaning = linkMeaning(name);
    const ends = [source, target].map((id) => find(document, id)?.item.id ?? id);
    const [from = '', to = ''] = meaning.reversed ? ends.reverse() : ends;
    return {
      from,
      to,
      type: meaning.type,
      path: document.path,
      line,
      ...(name === '' || name === meaning.type ? {} : { role: name }),
      ...attributesOf(element, groups.get(element)),
    };
  });
}

function attributesOf(
  { source, reads }: Element<Relation>,
  groups: string[] | undefined,
): Pick<SourceLink, 'suspect' | 'attributes'> {
  const attributes = new Map<string, AttributeValue>();
  setAbout(attributes, source);
  const mark = reads.find(
    ({ definition, json }) =>
      definition.role?.role === 'suspect' && /^(?:true|false)$/.test(`${json}`),
  );
  if (mark) mark.used = true;
  setValues(attributes, reads);
  if (groups) attributes.set('reqif:relation-groups', groups.sort());
  return {
    ...(mark ? { suspect: `${mark.json}` === 'true' } : {}),
    ...(attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
  };
}

function groupsOf(
  documents: readonly ReqifDocument[],
  relations: readonly Element<Relation>[],
): Map<Element, string[]> {
  const groups = new Map<Element, string[]>();
  const find = finderOf(documents, relations);
  for (const document of documents) {
    for (const { name, relations, line } of document.groups) {
      for (const identifier of relations) {
        const relation = find(document, identifier);
        const detail = `The relation group ${name} holds ${identifier}, which is no relation of any file.`;
        if (relation) groups.set(relation, [...new Set([...(groups.get(relation) ?? []), name])]);
        else
          document.report.report('dangling_reference', line, detail, { relatedIds: [identifier] });
      }
    }
  }
  return groups;
}

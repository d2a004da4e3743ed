// Gives the items of ReqIF their ids: ReqIF.ForeignID, which people know, where it names one item
// only, and the IDENTIFIER otherwise.

import { type Draft, keepForeignId } from './reqif-drafts.ts';
import { named } from './reqif-set.ts';
import { idFault, shownId, usableId } from './usable-id.ts';

/**
 * The id of each draft; one that does not go by its ReqIF.ForeignID keeps that as an attribute. Two
 * objects with one IDENTIFIER are one object twice and may have one id.
 *
 * @param drafts - in the order of path and line; also notes in the reports what is not unique
 */
export function assignIds(drafts: readonly Draft[]): Map<Draft, string> {
  const holders = new Map<string, Draft[]>();
  const unnamed: Draft[] = [];
  for (const draft of drafts) {
    if (draft.foreignId === undefined || isUnusable(draft, draft.foreignId)) {
      unnamed.push(draft);
      continue;
    }
    const others = holders.get(draft.foreignId);
    if (others === undefined) holders.set(draft.foreignId, [draft]);
    else others.push(draft);
  }
  const ids = new Map<Draft, string>();
  /** IDENTIFIERs that are ids: whoever has one of them as its ForeignID cannot have it as id. */
  const fallen: string[] = [];
  const make = createMaker(drafts);
  const made = new Set<Draft>();
  const fall = (draft: Draft) => {
    const { identifier } = draft.element;
    const isUsable = idFault(identifier) === undefined;
    const id = isUsable ? identifier : make(draft);
    if (!isUsable) made.add(draft);
    ids.set(draft, id);
    keepForeignId(draft);
    fallen.push(id);
    return id;
  };
  for (const draft of unnamed) fall(draft);
  for (const [foreignId, all] of holders) {
    const first = all[0] as Draft;
    if (all.every(({ element }) => element.identifier === first.element.identifier)) {
      for (const draft of all) ids.set(draft, foreignId);
      continue;
    }
    for (const draft of all) fall(draft);
    const detail = `ReqIF.ForeignID ${foreignId} is that of ${all.length} objects, so that they go by their IDENTIFIER.`;
    first.document.report.say('ambiguous_foreign_id', 'warning', first.element.line, detail, {
      itemId: ids.get(first) ?? null,
      relatedIds: all.slice(1, 101).map((each) => ids.get(each) ?? ''),
    });
  }
  for (let id = fallen.pop(); id !== undefined; id = fallen.pop()) {
    for (const draft of holders.get(id) ?? []) {
      if (ids.get(draft) !== id || draft.element.identifier === id) continue;
      const itemId = fall(draft);
      const detail = `ReqIF.ForeignID ${id} is the IDENTIFIER that another item goes by, so that this one goes by its own.`;
      const of = { itemId, relatedIds: [id] };
      draft.document.report.say('ambiguous_foreign_id', 'warning', draft.element.line, detail, of);
    }
    holders.delete(id);
  }
  noteIdentifiers(drafts, ids, made);
  return ids;
}

/** Whether a ReqIF.ForeignID cannot be an id, which is reported. */
function isUnusable({ document, element }: Draft, foreignId: string): boolean {
  const wrong = idFault(foreignId);
  if (wrong === undefined) return false;
  const detail = `A ReqIF.ForeignID ${wrong}, and is ${shownId(foreignId)}: the object goes by its IDENTIFIER.`;
  document.report.lose('invalid_id', 'warning', element.line, detail, {
    itemId: idFault(element.identifier) === undefined ? element.identifier : null,
  });
  return true;
}

/**
 * Makes ids for items that have no identity of their own, or none that can be an id: each is another
 * one, and none is what another item is called.
 */
function createMaker(drafts: readonly Draft[]): (draft: Draft) => string {
  let taken: Set<string> | undefined;
  const repeated = new Map<string, number>();
  return ({ document, element, item }) => {
    taken ??= new Set(
      drafts.flatMap(({ foreignId, element: { identifier } }) => [identifier, foreignId ?? '']),
    );
    const inner = document.report.inner === null ? '' : `!${document.report.inner}`;
    const base = `${document.report.path}${inner}#${item.title || element.line}`;
    let id = usableId(base);
    while (taken.has(id)) {
      const count = (repeated.get(base) ?? 1) + 1;
      repeated.set(base, count);
      id = usableId(`${base} (${count})`);
    }
    taken.add(id);
    return id;
  };
}

/** Reports objects without IDENTIFIER, and IDENTIFIERs that stand for items of different ids. */
function noteIdentifiers(
  drafts: readonly Draft[],
  ids: ReadonlyMap<Draft, string>,
  made: ReadonlySet<Draft>,
): void {
  const firsts = new Map<string, Draft>();
  for (const draft of drafts) {
    const { identifier, line } = draft.element;
    const { report } = draft.document;
    const itemId = ids.get(draft) ?? null;
    const first = firsts.get(identifier);
    const wrong = idFault(identifier);
    if (identifier !== '' && wrong !== undefined && made.has(draft)) {
      const detail = `An IDENTIFIER ${wrong}, and is ${shownId(identifier)}: the object goes by ${itemId}.`;
      report.say('invalid_id', 'warning', line, detail, { itemId });
    }
    if (identifier === '') {
      const detail = 'It has no IDENTIFIER, so that nothing can refer to it.';
      report.say('invalid_id', 'error', line, detail, { itemId });
    } else if (first === undefined) {
      firsts.set(identifier, draft);
    } else if (ids.get(first) !== itemId) {
      const detail = `The IDENTIFIER ${named(identifier)} is taken: what refers to it means ${ids.get(first)}.`;
      report.say('duplicate_identifier', 'error', line, detail, {
        itemId,
        relatedIds: [ids.get(first) ?? ''],
      });
    }
  }
}

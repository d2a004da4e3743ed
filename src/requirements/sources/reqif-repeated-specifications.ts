// Specifications of ReqIF that have the id of another: their places are below that one, and what they
// say beside is told, since the graph has one item of an id.

import type { AttributeValue } from './model.ts';
import type { ReqifDocument, Specification } from './reqif-document.ts';
import type { Draft } from './reqif-drafts.ts';
import { some } from './reqif-report.ts';
import { saying } from './reqif-sayings.ts';
import { named } from './reqif-set.ts';
import { textOfValue } from './reqif-values.ts';

/**
 * The drafts of specifications that have the id of one before them, in the order of the documents.
 * Reports what they say and that one does not.
 */
export function repeatedSpecifications(
  documents: readonly ReqifDocument[],
  specifications: ReadonlyMap<Specification, Draft>,
  ids: ReadonlyMap<Draft, string>,
): ReadonlySet<Draft> {
  const firsts = new Map<string, Draft>();
  const repeated = new Set<Draft>();
  for (const document of documents) {
    for (const specification of document.specifications) {
      const draft = specifications.get(specification);
      if (draft === undefined) continue;
      const id = ids.get(draft) ?? '';
      const first = firsts.get(id);
      if (first === undefined) {
        firsts.set(id, draft);
        continue;
      }
      repeated.add(draft);
      note(draft, first, id);
    }
  }
  return repeated;
}

function note(draft: Draft, first: Draft, itemId: string): void {
  const said = saidBeside(draft, first);
  if (said.length === 0) return;
  const { report } = draft.document;
  const { report: other } = first.document;
  const file = other.inner === null ? other.path : `${other.path}!${other.inner}`;
  const where = other === report ? '' : ` of ${file}`;
  const detail = `The specification ${named(itemId)} stands at line ${first.element.line}${where} already: its places are below that one, and what it says beside is not kept: ${some(said)}.`;
  report.lose('duplicate_identifier', 'warning', draft.element.line, detail, { itemId });
}

/** What a draft says and another does not, by names. */
function saidBeside(draft: Draft, other: Draft): string[] {
  const known = sayingsOf(other);
  return [...sayingsOf(draft)]
    .filter(([name, text]) => text !== '' && known.get(name) !== text)
    .map(([name, text]) => saying(name, text));
}

function sayingsOf({ element, item, attributes }: Draft): Map<string, string> {
  const said = new Map<string, AttributeValue>([
    ['LONG-NAME', element.name ?? ''],
    ['title', item.title === element.name ? '' : item.title],
    ['statement', item.statement],
    ['rationale', item.rationale],
    ['status', item.status],
    ['priority', item.priority],
    ['acceptance', item.acceptance],
    ['tags', item.tags],
    ...attributes,
  ]);
  said.delete('reqif:long-name');
  return new Map([...said].map(([name, value]) => [name, textOfValue(value)]));
}

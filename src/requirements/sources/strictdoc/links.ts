// How documents and nodes of StrictDoc refer to each other: relations, which either end may declare,
// `[LINK: ...]` in texts, which may point at an `[ANCHOR: ...]` instead of a node, and documents that
// take in others.
import { linkMeaning } from '../link-words.ts';
import type { SourceItem, SourceLink } from '../model.ts';
import { createNesting } from '../nesting.ts';
import type { ParsedDocument, SdocNode } from './model.ts';

const UID = '[\\p{L}\\p{N}_][\\p{L}\\p{N}_()\\-/.: ]*';
const INLINE_LINK = new RegExp(`\\[LINK: (${UID})(?:, (?:"[^"\\n]+"|[^,\\]\\n]+))?\\]`, 'gu');
const ANCHOR = new RegExp(`^\\[ANCHOR: (${UID})(?:, (?:"[^"\\n]+"|[^,\\]\\n]+))?\\]$`, 'gmu');
export function anchorsOf(node: SdocNode): { uid: string; line: number }[] {
  return node.fields.flatMap(({ value, line }) =>
    value.includes('[ANCHOR: ')
      ? [...value.matchAll(ANCHOR)].map(([, uid = '']) => ({ uid: uid.trim(), line }))
      : [],
  );
}

/**
 * The relations that a node declares, as links from the one that depends; its other end may too. One
 * to a parent refines it unless the role says else.
 */
export function relationLinks(node: SdocNode, item: SourceItem): SourceLink[] {
  const { id, path } = item;
  return node.relations.flatMap(({ type, value, role, line }): SourceLink[] => {
    if (value === '' || (type !== 'Parent' && type !== 'Child')) return [];
    const [from, to] = type === 'Child' ? [value, id] : [id, value];
    const meaning = role === null ? 'refines' : linkMeaning(role, 'refines').type;
    const link: SourceLink = { from, to, type: meaning, path, line, item };
    if (['depends', 'conflicts', 'relates'].includes(meaning)) link.isParental = true;
    if (role !== null && role.toLowerCase() !== meaning) link.role = role;
    return [link];
  });
}

export function inlineLinks(
  node: SdocNode,
  item: SourceItem,
  anchors: ReadonlyMap<string, string>,
): SourceLink[] {
  const { id, path } = item;
  const links = new Map<string, SourceLink>();
  for (const { value, valueLine } of node.fields) {
    if (!value.includes('[LINK: ')) continue;
    let [counted, lines] = [0, 0];
    for (const match of value.matchAll(INLINE_LINK)) {
      while (counted < match.index) if (value[counted++] === '\n') lines++;
      const uid = (match[1] ?? '').trim();
      const to = anchors.get(uid) ?? uid;
      if (to === id || links.has(to)) continue;
      links.set(to, {
        from: id,
        to,
        type: 'relates',
        path,
        line: valueLine + lines,
        item,
      });
    }
  }
  return [...links.values()];
}

export function beside(path: string, name: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const part of name.replaceAll('\\', '/').split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return '';
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return name.startsWith('/') ? '' : parts.join('/');
}

export function includedIn(documents: readonly ParsedDocument[]): Map<string, string> {
  const byPath = new Map(documents.map((document) => [document.path, document]));
  const around = new Map<string, string>();
  const nest = createNesting();
  for (const { path, id, content, ids, report } of documents) {
    for (const { file, line, parent } of content.includes) {
      const target = byPath.get(beside(path, file));
      const shown = JSON.stringify(file.slice(0, 200));
      const of = { itemId: id, relatedIds: target ? [target.id] : [] };
      if (target === undefined)
        report.report('missing_file', line, `The file ${shown} is not in the sources.`, of);
      else if (around.has(target.path))
        report.report('ambiguous_place', line, `Another place takes ${shown} in already.`, of);
      else if (!nest(target.path, path))
        report.report('reference_cycle', line, `${shown} takes in what takes it in.`, of);
      else around.set(target.path, parent === null ? id : (ids[parent] ?? id));
    }
  }
  return around;
}

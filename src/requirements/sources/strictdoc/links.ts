// Links between nodes of StrictDoc: relations, which either end may declare, and `[LINK: ...]` in
// texts, which may point at an `[ANCHOR: ...]` instead of a node.
import { linkMeaning } from '../link-words.ts';
import type { SourceItem, SourceLink } from '../model.ts';
import type { SdocNode } from './model.ts';

const UID = '[\\p{L}\\p{N}_][\\p{L}\\p{N}_()\\-/.: ]*';
const INLINE_LINK = new RegExp(`\\[LINK: (${UID})(?:, (?:"[^"\\n]+"|[^,\\]\\n]+))?\\]`, 'gu');
const ANCHOR = new RegExp(`^\\[ANCHOR: (${UID})(?:, (?:"[^"\\n]+"|[^,\\]\\n]+))?\\]$`, 'gmu');
/** Finds the anchors in the texts of a node. */
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

/** The links in the texts of a node, each target once, on the line where it stands. */
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

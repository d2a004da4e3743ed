// Links between nodes of StrictDoc: relations, which either end may declare, and `[LINK: ...]` in
// texts, which may point at an `[ANCHOR: ...]` instead of a node.
import type { SourceItem, SourceLink } from './model.ts';
import type { SdocNode, SdocRelation } from './strictdoc-model.ts';

const UID = '[\\p{L}\\p{N}_][\\p{L}\\p{N}_()\\-/.: ]*';
const INLINE_LINK = new RegExp(`\\[LINK: (${UID})(?:, (?:"[^"\\n]+"|[^,\\]\\n]+))?\\]`, 'gu');
const ANCHOR = new RegExp(`^\\[ANCHOR: (${UID})(?:, (?:"[^"\\n]+"|[^,\\]\\n]+))?\\]$`, 'gmu');
const WHOLE_UID = new RegExp(`^${UID}$`, 'u');

/** Whether a text is a UID as StrictDoc allows them. */
export function isUid(text: string): boolean {
  return WHOLE_UID.test(text);
}

const TYPES: [RegExp, SourceLink['type']][] = [
  [/^(?:verif|validat|test)/i, 'verifies'],
  [/^(?:satisf|implement|realiz|realis|fulfil|compl)/i, 'satisfies'],
  [/^deriv/i, 'derives'],
  [/^(?:depend|require|need|use)/i, 'depends'],
  [/^(?:conflict|contradict|violate)/i, 'conflicts'],
  [/^(?:relat|see)/i, 'relates'],
];

/** A relation as a sentence may show it: all that stands under it. */
export function shownRelation({ fields }: SdocRelation): string {
  const shown = fields.slice(0, 10).map(({ name, value }) => `${name}: ${value.slice(0, 100)}`);
  return shown.join(', ').slice(0, 200);
}

/** The type of a relation by its role; one to a parent refines it unless the role says else. */
export function typeOfRole(role: string | null): SourceLink['type'] {
  return TYPES.find(([pattern]) => pattern.test(role ?? ''))?.[1] ?? 'refines';
}

/** Finds the anchors in the texts of a node. */
export function anchorsOf(node: SdocNode): { uid: string; line: number }[] {
  return node.fields.flatMap(({ value, line }) =>
    value.includes('[ANCHOR: ')
      ? [...value.matchAll(ANCHOR)].map(([, uid = '']) => ({ uid: uid.trim(), line }))
      : [],
  );
}

/** The relations that a node declares, as links from the one that depends; its other end may too. */
export function relationLinks(node: SdocNode, item: SourceItem): SourceLink[] {
  const { id, path } = item;
  return node.relations.flatMap(({ type, value, role, line }): SourceLink[] => {
    if (value === '') return [];
    const [from, to] = type === 'Child' ? [value, id] : [id, value];
    if (type !== 'Parent' && type !== 'Child') return [];
    const meaning = typeOfRole(role);
    const parental = ['depends', 'conflicts', 'relates'].includes(meaning) && { isParental: true };
    const more = role === null || role.toLowerCase() === meaning ? {} : { role };
    return [{ from, to, type: meaning, path, line, item, ...parental, ...more }];
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

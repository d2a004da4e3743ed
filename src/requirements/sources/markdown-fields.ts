// What Markdown says of an item besides its statement: lines such as `Status: draft`, labels such as
// `**Acceptance criteria**`, and how an item itself begins.

import { ID_SOURCE, looksLikeId } from './item-ids.ts';
import type { SourceLink } from './model.ts';

export type Field =
  | { name: 'acceptance' | 'rationale' | 'status' | 'priority' | 'tags' | 'kind' }
  | { name: 'link'; type: SourceLink['type'] };

const LINKS: Record<SourceLink['type'], string> = {
  refines: 'refines?|parents?',
  derives: 'derives?(?: from)?|derived from',
  depends: 'depends(?: on)?|depend on|dependenc(?:y|ies)|requires|blocked by',
  verifies: 'verifies|verify|validates',
  satisfies: 'satisf(?:ies|y)|implements|realizes',
  conflicts: 'conflicts(?: with)?|contradicts',
  relates: 'relates(?: to)?|related(?: to)?|references|see also',
};

const FIELDS: [RegExp, Field][] = [
  [/^(?:acceptance(?: criteria| criterion)?|ac)$/i, { name: 'acceptance' }],
  [/^rationale$/i, { name: 'rationale' }],
  [/^status$/i, { name: 'status' }],
  [/^priority$/i, { name: 'priority' }],
  [/^(?:tags?|labels?)$/i, { name: 'tags' }],
  [/^(?:kind|type)$/i, { name: 'kind' }],
  ...Object.entries(LINKS).map(([type, names]): [RegExp, Field] => [
    new RegExp(`^(?:${names})$`, 'i'),
    { name: 'link', type: type as SourceLink['type'] },
  ]),
];

/** The field that a label names, such as `Acceptance criteria` or `Depends on`. */
export function fieldNamed(label: string): Field | null {
  const name = label.replace(/\s+/g, ' ').trim();
  if (name.length > 40) return null;
  return FIELDS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

const LINE =
  /^(\*{1,3}|_{1,3})?([A-Za-z][A-Za-z ]{1,38}?)(?::(\*{1,3}|_{1,3})?|(\*{1,3}|_{1,3})\s?:)(?:\s+(.*)|)$/s;
const BOLD = /^(\*\*|__)([A-Za-z][A-Za-z ]{1,38}?):?\1$/;

/** A field and its value where a line is one: `Status: draft`, `**Tags:** a, b`, `**Rationale**`. */
export function fieldLine(line: string): { field: Field; label: string; value: string } | null {
  const text = line.trim();
  const bold = BOLD.exec(text);
  const match = bold ? null : LINE.exec(text);
  const label = bold?.[2] ?? match?.[2];
  if (label === undefined) return null;
  if (match && (match[1] ?? '') !== (match[3] ?? match[4] ?? '')) return null;
  const field = fieldNamed(label);
  return field && { field, label, value: (match?.[5] ?? '').trim() };
}

/** A heading's text as a field: with or without a colon. */
export function fieldHeading(text: string): Field | null {
  return fieldNamed(text.replace(/[*_:]/g, ''));
}

/**
 * The criteria that a line right before a list begins: there it needs neither a colon nor a mark, and
 * is no sentence of its own.
 */
export function criteriaLabel(line: string): ReturnType<typeof fieldLine> {
  const field = fieldHeading(line);
  return field?.name === 'acceptance' ? { field, label: line.trim(), value: '' } : null;
}

const WRAPPED = new RegExp(
  `^(?:\\*\\*(${ID_SOURCE})(:?)\\*\\*|__(${ID_SOURCE})(:?)__|\\[(${ID_SOURCE})\\](?![(:\\[]\\S)|\`(${ID_SOURCE})\`)(?:\\s*:|\\s+[-\u2013\u2014](?=\\s))?(?:\\s+|$)`,
);
/** The whole beginning in bold, as in `**US-12: Log in**`. */
const IN_BOLD = new RegExp(
  `^(\\*\\*|__)(${ID_SOURCE})(?::|\\s+[-\u2013\u2014])\\s+(.+?)\\1(?=\\s|$|[.:])[:.]?\\s*`,
);
const BARE = new RegExp(`^(${ID_SOURCE})(?:\\s*:(?=\\s|$)|\\s+[-\u2013\u2014](?=\\s|$))\\s*`);
const ALONE = new RegExp(`^(${ID_SOURCE})$`);
const SPACED = new RegExp(`^(${ID_SOURCE})\\s+(?=\\S)`);

/** How an item begins: its id and the text that follows on the line. */
export interface ItemStart {
  id: string;
  rest: string;
  /** The address that the id is a link to. */
  url?: string;
}

/**
 * The id that a heading or a list item begins with: `US-12:`, `US-12 -`, `**US-12**`, `[US-12]`,
 * and in a heading `US-12` alone or before the title, or as it is numbered, emphasised and linked in
 * headings: `US-12.`, `US-12)`, `*US-12*`, `[US-12](address)`.
 *
 * @param heading - whether the text is that of a heading
 */
export function itemStart(text: string, heading: boolean): ItemStart | null {
  if (!heading) return plainStart(text, false);
  const shown = text.replace(/^\S+/, (word) => word.replace(/\\([!-/:-@[-`{-~])/g, '$1'));
  return plainStart(shown, true) ?? headingStart(shown);
}

const MARK = '(?<mark>\\*{1,3}|_{1,3})';
const ID = `(?<id>${ID_SOURCE})`;
const AFTER_ID =
  '(?:\\s*:(?=\\s|$)|[.)](?=\\s|$)|\\s+[-\u2013\u2014](?=\\s|$)|:(?=[^\\s\\d:/\\\\]))?';
const ENDED = '(?:\\s+|$|(?<=:))';
const ADDRESS = '\\((?<url>(?:[^()]|\\([^()]*\\))*)\\)';
const HEADING_STARTS = [
  `${ID}${AFTER_ID}${ENDED}`,
  `${MARK}${ID}[:.)]?\\k<mark>${AFTER_ID}${ENDED}`,
  `${MARK}${ID}${AFTER_ID}\\s+(?<title>.+?)\\k<mark>(?=\\s|$|[.:])[:.]?\\s*`,
  `\`${ID}\`${AFTER_ID}${ENDED}`,
  `\\[${ID}\\](?:${ADDRESS})?${AFTER_ID}${ENDED}`,
  `\\[${ID}${AFTER_ID}\\s+(?<title>[^\\[\\]]+)\\]${ADDRESS}\\s*`,
].map((source) => new RegExp(`^${source}`));
/** The number of a section of an appendix or a part: `A.1`, `IV.2.3`. */
const SECTION_NUMBER = /^(?:[A-Z]|[IVXLCDM]+)(?:\.[0-9]+)+$/;

function headingStart(text: string): ItemStart | null {
  const line = text.slice(0, 2000);
  for (const pattern of HEADING_STARTS) {
    const match = pattern.exec(line);
    const { id = '', title, url } = match?.groups ?? {};
    if (!match || !looksLikeId(id) || SECTION_NUMBER.test(id)) continue;
    const after = text.slice(match[0].length);
    const rest = title === undefined ? after : `${title} ${after}`.trimEnd();
    return url ? { id, rest, url } : { id, rest };
  }
  return null;
}

function plainStart(text: string, heading: boolean): ItemStart | null {
  const line = text.slice(0, 2000);
  const wrapped = WRAPPED.exec(line);
  if (wrapped) {
    const id = wrapped[1] ?? wrapped[3] ?? wrapped[5] ?? wrapped[6] ?? '';
    return looksLikeId(id) ? { id, rest: text.slice(wrapped[0].length) } : null;
  }
  const bold = IN_BOLD.exec(line);
  if (bold) {
    const [all, , id = '', title = ''] = bold;
    if (!looksLikeId(id)) return null;
    return { id, rest: `${title} ${text.slice(all.length)}`.trimEnd() };
  }
  const bare = BARE.exec(line) ?? (heading ? (ALONE.exec(line) ?? SPACED.exec(line)) : null);
  const id = bare?.[1];
  if (!bare || id === undefined || !looksLikeId(id)) return null;
  return { id, rest: text.slice(bare[0].length) };
}

const REFERENCE = new RegExp(`\\[(${ID_SOURCE})\\]`, 'g');

/**
 * The ids in brackets that a text refers to, with the line in the text, from 0: neither in code nor
 * in comments.
 */
export function referencesIn(text: string): { id: string; line: number }[] {
  const found: { id: string; line: number }[] = [];
  const lines = text.split('\n');
  let fence = '';
  lines.forEach((one, line) => {
    const mark = /^[ \t>]*(?:[-*+][ \t]+)?(`{3,}|~{3,})/.exec(one)?.[1];
    if (mark && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : '';
    if (fence !== '') lines[line] = '';
    else if (one.includes('`')) lines[line] = one.replace(/(`+)[^`]*\1/g, '');
  });
  const visible = text.includes('<!--') ? withoutComments(lines.join('\n')).split('\n') : lines;
  visible.forEach((one, line) => {
    if (!one.includes('[')) return;
    for (const [, id = ''] of one.matchAll(REFERENCE)) {
      if (looksLikeId(id)) found.push({ id, line });
    }
  });
  return found;
}

/** A text without its HTML comments, but for the ends of their lines. */
export function withoutComments(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf('<!--', from);
    const end = start < 0 ? -1 : text.indexOf('-->', start + 2);
    if (end < 0) break;
    parts.push(text.slice(from, start), text.slice(start, end).replace(/[^\n]+/g, ''));
    from = end + 3;
  }
  return parts.join('') + text.slice(from);
}

// What Markdown writes between texts that is no text itself: rules, anchors and line breaks alone on
// their lines, comments, and the addresses of links.
import { ID_SOURCE } from './item-ids.ts';
import type { PlacedText } from './markdown-blocks.ts';
import type { LinkDefinition } from './markdown-definitions.ts';

/** A rule between texts, such as `---`, as a line without spaces around it. */
export const RULE = /^(?:\*[ \t]*){3,}$|^(?:_[ \t]*){3,}$|^(?:-[ \t]*){3,}$/;
/** Nothing but line breaks, rules, anchors without a text, and comments. */
const EMPTY_HTML =
  /^(?:\s|<[bh]r(?:\s[^<>]*)?\/?>|<a(?:\s[^<>]*)?(?:\/>|>\s*<\/a>)|<!--(?:(?!-->)[\s\S])*-->)*$/i;
/** A definition of what a link in brackets means: an address, and maybe a title. */
const DEFINITION =
  /^ {0,3}\[(?!\^)([^[\]]+)\]:\s*(<[^<>]*>|(?=\S*[/#:.?]\S)\S+)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*$/;
/** One whose address is any word: it may be meant as a text. */
const WORD_DEFINITION =
  /^ {0,3}\[([^[\]]+)\]:[ \t]*\S+(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/;
const FOOTNOTE = /^\[\^[^\]\s]+\]:/;
const ID = new RegExp(`^${ID_SOURCE}$`);
const OTHER_PLACE = /^<?(?:[A-Za-z][A-Za-z0-9+.-]+:|\/\/)/;

/** Whether a line is a rule between texts, such as `---`. */
export function isRule(raw: string): boolean {
  return RULE.test(raw.trim());
}

/** Whether HTML shows nothing: comments, line breaks, and anchors for others to link to. */
export function isEmptyHtml(raw: string): boolean {
  return EMPTY_HTML.test(raw);
}

/** Whether an address is one of another place than the files of the source: it has a scheme or a host. */
export function isElsewhere(address: string): boolean {
  return OTHER_PLACE.test(address.trim());
}

/** What is said in a paragraph. */
export interface ParagraphContent {
  lines: string[];
  /** How many lines of it stand before them. */
  skipped: number;
  /** The definitions in these. */
  definitions: LinkDefinition[];
  /** Ids that it defines as links to other places. */
  elsewhere: string[];
  /** Whether it is a note on the text, wherever it stands. */
  isFootnote: boolean;
}

/** The lines of a paragraph without definitions of links, and without those before it that show nothing. */
export function paragraphContent({ raw, lines: places }: PlacedText): ParagraphContent {
  const lines = raw.split('\n');
  const elsewhere: string[] = [];
  const definitions: LinkDefinition[] = [];
  let skipped = 0;
  for (const line of lines) {
    const [, label = '', address = ''] = DEFINITION.exec(line) ?? [];
    if (label === '' && !isEmptyHtml(line)) break;
    if (ID.test(label) && isElsewhere(address)) elsewhere.push(label);
    if (label !== '') {
      const text = line.trim();
      definitions.push({
        ...{ label, raw: text, address: text.slice(label.length + 3).trim() },
        ...{ line: places[skipped] ?? 0, isReference: ID.test(label) && !isElsewhere(address) },
      });
    }
    skipped++;
  }
  const kept = lines.slice(skipped);
  return { lines: kept, skipped, elsewhere, definitions, isFootnote: FOOTNOTE.test(kept[0] ?? '') };
}

/** The text of a paragraph with empty lines for definitions of ids before it: these are no references. */
export function withoutOwnDefinitions(raw: string): string {
  if (!/^ {0,3}\[/.test(raw)) return raw;
  const lines = raw.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const label = WORD_DEFINITION.exec(lines[at] ?? '')?.[1];
    if (label === undefined || !ID.test(label)) break;
    lines[at] = '';
  }
  return lines.join('\n');
}

/** A line without the spaces or the backslash at its end that break it; two of these are a backslash. */
export function withoutBreak(line: string): string {
  const text = line.trimEnd();
  let end = text.length;
  while (text[end - 1] === '\\') end--;
  return (text.length - end) % 2 === 0 ? text : text.slice(0, -1).trimEnd();
}

/** Lines as one, but where the end of a line breaks it. */
export function paragraphText(lines: readonly string[]): string {
  const parts = lines.map((line) => {
    const text = line.trimEnd();
    if (line.endsWith('  ') && text !== '') return `${text}  \n`;
    return `${text}${withoutBreak(text) === text ? ' ' : '\n'}`;
  });
  return parts.join('').trim();
}

/** A text without the lines at its end that show nothing. */
export function withoutEmptyEnd(raw: string): string {
  if (!raw.trimEnd().endsWith('>')) return raw;
  const lines = raw.split('\n');
  while (lines.length > 1 && isEmptyHtml(lines.at(-1) ?? '')) lines.pop();
  return lines.join('\n').trimEnd();
}

// What Markdown writes between texts that is no text itself: rules, anchors and line breaks alone on
// their lines, comments, and the addresses of links.
import { ID_SOURCE } from './item-ids.ts';

/** A rule between texts, such as `---`, as a line without spaces around it. */
export const RULE = /^(?:\*[ \t]*){3,}$|^(?:_[ \t]*){3,}$|^(?:-[ \t]*){3,}$/;
/** Nothing but line breaks, rules, anchors without a text, and comments. */
const EMPTY_HTML =
  /^(?:\s|<[bh]r(?:\s[^<>]*)?\/?>|<a(?:\s[^<>]*)?(?:\/>|>\s*<\/a>)|<!--(?:(?!-->)[\s\S])*-->)*$/i;
/** A definition of what a link in brackets means: an address, and maybe a title. */
const DEFINITION =
  /^ {0,3}\[(?!\^)([^[\]]+)\]:\s*(<[^<>]*>|(?=\S*[/#:.?]\S)\S+)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*$/;
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

/** What a link in brackets means. */
export interface LinkDefinition {
  label: string;
  /** The definition as it is written. */
  raw: string;
}

/** What is said in a paragraph. */
export interface ParagraphContent {
  lines: string[];
  /** How many lines of it stand before them. */
  skipped: number;
  /** The definitions in these, but for those of ids, which are references. */
  definitions: LinkDefinition[];
  /** Ids that it defines as links to other places. */
  elsewhere: string[];
  /** Whether it is a note on the text, wherever it stands. */
  isFootnote: boolean;
}

/** The lines of a paragraph without definitions of links, and without those before it that show nothing. */
export function paragraphContent(raw: string): ParagraphContent {
  const lines = raw.split('\n');
  const elsewhere: string[] = [];
  const definitions: LinkDefinition[] = [];
  let skipped = 0;
  for (const line of lines) {
    const [, label = '', address = ''] = DEFINITION.exec(line) ?? [];
    if (label === '' && !isEmptyHtml(line)) break;
    if (ID.test(label) && isElsewhere(address)) elsewhere.push(label);
    if (label !== '' && (!ID.test(label) || isElsewhere(address))) {
      definitions.push({ label, raw: line.trim() });
    }
    skipped++;
  }
  const kept = lines.slice(skipped);
  return { lines: kept, skipped, elsewhere, definitions, isFootnote: FOOTNOTE.test(kept[0] ?? '') };
}

const BRACKETS = /\[((?:[^[\]\\]|\\[\s\S])+)\]/g;

/** A label as it is looked up: case and white space make no difference (CommonMark 0.31.2, 4.7). */
export function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

/** The definitions that a text uses, each once, in the order in which it does. */
export function definitionsIn(
  text: string,
  definitions: ReadonlyMap<string, LinkDefinition>,
): LinkDefinition[] {
  if (definitions.size === 0 || !text.includes('[')) return [];
  const used = new Set<LinkDefinition>();
  for (const [, label = ''] of text.matchAll(BRACKETS)) {
    const definition = definitions.get(labelKey(label));
    if (definition) used.add(definition);
  }
  return [...used];
}

/** A line without the backslash at its end that breaks it; two of them are a backslash. */
export function withoutBreak(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\\') end--;
  return (line.length - end) % 2 === 0 ? line : line.slice(0, -1).trimEnd();
}

/** A text without the lines at its end that show nothing. */
export function withoutEmptyEnd(raw: string): string {
  if (!raw.trimEnd().endsWith('>')) return raw;
  const lines = raw.split('\n');
  while (lines.length > 1 && isEmptyHtml(lines.at(-1) ?? '')) lines.pop();
  return lines.join('\n');
}

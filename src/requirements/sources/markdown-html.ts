// Where a line of Markdown begins an HTML block, and what ends it (CommonMark 0.31.2, 4.6).

/** Names of tags that begin a block of HTML wherever they stand (type 6). */
const BLOCK_NAMES = [
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog',
  'dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html',
  'iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section',
  'summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul',
].join('|');
const BLOCK_TAG = new RegExp(`^</?(?:${BLOCK_NAMES})(?:[ \\t>]|/>|$)`, 'i');

const NAME = '[A-Za-z][A-Za-z0-9-]*';
/** An unquoted value ends at a slash too, as micromark reads it. */
const VALUE = '"[^"]*"|\'[^\']*\'|[^ \\t"\'/<=>`]+';
const ATTRIBUTE = `[ \\t]+[A-Za-z_:][\\w.:-]*(?:[ \\t]*=[ \\t]*(?:${VALUE}))?`;
/** A tag alone on its line (type 7). */
const WHOLE_TAG = new RegExp(`^<(?:${NAME}(?:${ATTRIBUTE})*[ \\t]*/?|/${NAME}[ \\t]*)>[ \\t]*$`);

/** What begins a block that goes on up to a line with its end (types 1 to 5). */
const ENDED: [RegExp, RegExp][] = [
  [/^<!--/, /-->/],
  [/^<(?:script|pre|style|textarea)(?:[ \t>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![A-Za-z]/, />/],
];

/** What ends an HTML block: a line that has it in it, or a blank line. */
export type HtmlEnd = RegExp | 'blank';

/**
 * What ends the HTML block that a line begins; null where it begins none.
 *
 * @param text - the line without the spaces before it
 * @param inParagraph - whether it would end a paragraph by it, which a tag of any name cannot
 */
export function htmlEnd(text: string, inParagraph: boolean): HtmlEnd | null {
  if (!text.startsWith('<')) return null;
  const end = ENDED.find(([opener]) => opener.test(text))?.[1];
  if (end) return end;
  if (BLOCK_TAG.test(text)) return 'blank';
  return !inParagraph && WHOLE_TAG.test(text) ? 'blank' : null;
}

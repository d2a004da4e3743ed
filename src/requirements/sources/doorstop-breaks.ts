// The line breaks of YAML 1.1 that newer YAML takes for characters like others: U+0085, U+2028 and
// U+2029. PyYAML writes a line after each, indented, and folds it away when it reads.

const BREAK = /[\u0085\u2028\u2029]/;
const ANY_BREAK = /([\n\u0085\u2028\u2029])/;

/** Whether a text has such a break. */
export function hasOldBreaks(text: string): boolean {
  return BREAK.test(text);
}

/**
 * What PyYAML reads between single quotes: white space around breaks is folded away with the first
 * of them, unless that is U+2028 or U+2029, which stay; U+0085 is an end of a line.
 *
 * @param written - with the quotes
 */
export function quotedWithOldBreaks(written: string): string {
  const pieces = written.slice(1, -1).replaceAll("''", "'").split(ANY_BREAK);
  const last = pieces.length - 1;
  let text = '';
  let breaks: string[] = [];
  for (const [at, piece] of pieces.entries()) {
    if (at % 2 === 1) breaks.push(newer(piece));
    else {
      const inside = trimmed(piece, at > 0, at < last);
      if (inside === '' && at < last) continue;
      text += folded(breaks) + inside;
      breaks = [];
    }
  }
  return text;
}

/**
 * What PyYAML reads of a literal (`|`): the indent after each break is none of the text.
 *
 * @param text - what is read where such breaks are none
 * @param written - with the line of the `|`
 */
export function literalWithOldBreaks(text: string, written: string): string {
  const lines = text.split('\n');
  const full = lines.findIndex((line) => line !== '');
  const source = written.split('\n')[full + 1];
  const indent = (source?.length ?? 0) - (lines[full]?.length ?? 0);
  return text.replace(
    /([\u0085\u2028\u2029])( *)/g,
    (_, one: string, spaces: string) => newer(one) + spaces.slice(indent),
  );
}

function newer(one: string): string {
  return one === '\u0085' ? '\n' : one;
}

function folded(breaks: readonly string[]): string {
  if (breaks[0] !== '\n') return breaks.join('');
  return breaks.length === 1 ? ' ' : breaks.slice(1).join('');
}

function trimmed(text: string, before: boolean, after: boolean): string {
  const isSpace = (at: number) => text[at] === ' ' || text[at] === '\t';
  let [start, end] = [0, text.length];
  while (before && start < end && isSpace(start)) start++;
  while (after && end > start && isSpace(end - 1)) end--;
  return text.slice(start, end);
}

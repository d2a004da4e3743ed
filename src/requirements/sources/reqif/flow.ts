// Lays out text in lines: white space folded, blocks apart, list items indented under their mark.

/** A text that is being laid out. */
export interface Flow {
  /** Text in the line, its white space folded. */
  inline(text: string): void;
  /** Text with its white space as it is. */
  verbatim(text: string): void;
  lineBreak(): void;
  /** What follows is no part of the word before it. */
  apart(): void;
  /** What follows begins at least this many lines further down. */
  block(lines: 1 | 2): void;
  /** Lays out a list item: its first line after `mark`, the others under it. */
  item(mark: string, content: () => void): void;
  indented(indent: string, content: () => void): void;
  /** What was laid out, without blank lines around it; white space at its ends where that is kept. */
  text(): string;
}

/** Runs of white space, but for the single space that most of them are already. */
const UNFOLDED = /[\t\r\n][ \t\r\n]*| [ \t\r\n]+/g;

function breakOf(lines: number): string {
  if (lines === 1) return '\n';
  return lines === 2 ? '\n\n' : '\n'.repeat(lines);
}

/** A text with its white space folded, as in a line of its own. */
export function foldedLine(text: string): string {
  return text.replace(UNFOLDED, ' ').trim();
}

/** A text without the blank lines that it begins with; nothing of one that is blank. */
function withoutFirstBlankLines(text: string): string {
  const at = text.search(/\S/);
  return at === -1 ? '' : text.slice(text.lastIndexOf('\n', at) + 1);
}

/** A text without the blank lines that it ends with. */
function withoutLastBlankLines(text: string): string {
  const end = text.indexOf('\n', text.trimEnd().length);
  return end === -1 ? text : text.slice(0, end);
}

/** An empty text. */
export function createFlow(): Flow {
  let out = '';
  let breaks = 0;
  let space = false;
  let apart = false;
  /** What was put last. */
  let last = '';
  /** Whether the white space is kept of what was put first, and of what was put last. */
  let firstKept = false;
  let lastKept = false;
  let indent = '';
  /** Marks of list items that wait for the first text in them, and the indent of the first. */
  let marks = '';
  let marksIndent = '';

  function put(text: string, kept: boolean): void {
    if (out === '') firstKept = kept;
    lastKept = kept;
    if (out === '' || breaks > 0 || marks !== '') {
      if (out !== '') out += breakOf(Math.max(breaks, marks === '' ? 0 : 1));
      out += marks === '' ? indent : marksIndent + marks;
      marks = '';
    } else if (
      space ||
      (apart && /[\p{L}\p{N}]$/u.test(last.slice(-2)) && /^[\p{L}\p{N}]/u.test(text))
    ) {
      out += ' ';
    }
    breaks = 0;
    space = false;
    apart = false;
    last = text;
    out += text;
  }

  const flow: Flow = {
    inline(text) {
      const folded = text.replace(UNFOLDED, ' ');
      const begins = folded.startsWith(' ') ? 1 : 0;
      const ends = folded.length > begins && folded.endsWith(' ') ? 1 : 0;
      if (begins === 1) space = true;
      if (folded.length === begins) return;
      put(folded.slice(begins, folded.length - ends), false);
      space = ends === 1;
    },
    verbatim(text) {
      const lines = text.split('\n');
      lines.forEach((line, at) => {
        if (at > 0) breaks += 1;
        if (line === '') return;
        if (breaks > 0) space = false;
        put(line, true);
      });
    },
    lineBreak() {
      breaks = Math.min(breaks + 1, 2);
      space = false;
    },
    apart() {
      apart = true;
    },
    block(lines) {
      breaks = Math.max(breaks, lines);
      space = false;
    },
    item(mark, content) {
      if (marks === '') marksIndent = indent;
      marks += mark;
      flow.indented(' '.repeat(mark.length), content);
      // An item without any text leaves no mark behind.
      marks = '';
    },
    indented(more, content) {
      const before = indent;
      indent += more;
      content();
      indent = before;
    },
    text() {
      const from = firstKept ? withoutFirstBlankLines(out) : out.trimStart();
      return lastKept ? withoutLastBlankLines(from) : from.trimEnd();
    },
  };
  return flow;
}

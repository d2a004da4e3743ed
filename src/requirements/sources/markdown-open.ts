// What is open at a line of a Markdown text: quotes, items of lists, and the paragraph, code or HTML
// in them (CommonMark 0.31.2, appendix: the first of the two phases of a parse).
import { RULE } from './markdown-content.ts';
import { type HtmlEnd, htmlEnd } from './markdown-html.ts';

/** Quotes and items in each other that are looked into. */
const MOST_OPEN = 100;

const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
/** A heading with `#`: its marks, and its text. */
export const ATX = /^(#{1,6})(?:[ \t]+(.*))?$/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
const MARKER = /^(?:[-*+]|(\d{1,9})[.)])(?=[ \t]|$)/;
/** What a line may begin with before its text: there a tab is as many spaces as it shows. */
const PREFIX = /^[ \t>*+\-\d.)]*/;

/** A quote; or an item of a list, with how far its content is indented. */
type Container = 'quote' | { indent: number; empty: boolean };

type Leaf =
  | { type: 'none' | 'paragraph' | 'code' }
  | { type: 'fence'; end: RegExp }
  | { type: 'html'; end: HtmlEnd };

/** What a line is among the blocks at the top, which are in no other. */
export interface LineAt {
  /** Whether one of them, or another item of a list there, begins with it. */
  starts: boolean;
  /** Whether it is the first or the last line of fenced code there. */
  fence: 'opens' | 'closes' | null;
  /** Whether it starts right below indented code there. */
  belowCode: boolean;
}

/** Code or HTML that waits for its end: which, and its first line, from 0. */
export interface Unclosed {
  type: 'fence' | 'html';
  at: number;
}

/** Follows a text line by line. */
export interface OpenBlocks {
  take(line: string): LineAt;
  /** What of all lines so far has an end that has not come; null where there is nothing. */
  unclosed(): Unclosed | null;
}

const NONE: Leaf = { type: 'none' };
const PARAGRAPH: Leaf = { type: 'paragraph' };
const CODE: Leaf = { type: 'code' };
const GOES_ON: LineAt = { starts: false, fence: null, belowCode: false };
const STARTS: LineAt = { starts: true, fence: null, belowCode: false };

/** The blocks before the first line of a text: none. */
export function openBlocks(): OpenBlocks {
  const containers: Container[] = [];
  let leaf: Leaf = NONE;
  let taken = 0;
  let leafFrom = 0;

  /** What a line is of code or HTML that takes lines as they stand; null where none is open. */
  function verbatim(text: string): LineAt | null {
    if (leaf.type === 'fence') {
      if (!leaf.end.test(text)) return GOES_ON;
      leaf = NONE;
      return containers.length > 0 ? GOES_ON : { ...GOES_ON, fence: 'closes' };
    }
    if (leaf.type !== 'html') return null;
    if (leaf.end === 'blank' ? isBlank(text, 0) : leaf.end.test(text)) leaf = NONE;
    return GOES_ON;
  }

  /** Takes a line with a text that those before it do not take; `matched` containers go on with it. */
  function begin(text: string, from: number, matched: number): LineAt {
    const all = matched === containers.length;
    const open = leaf;
    const belowCode = open.type === 'code' && containers.length === 0;
    const begun = matched > 0 ? GOES_ON : belowCode ? { ...STARTS, belowCode } : STARTS;
    let at = from;
    let fresh = false;
    const put = (next: Leaf, container?: Container) => {
      if (!fresh) containers.length = matched;
      fresh = true;
      if (container !== undefined) containers.push(container);
      leaf = next;
      leafFrom = taken;
      return begun;
    };
    for (;;) {
      const indent = indentAt(text, at);
      const isText = open.type === 'paragraph' && !fresh;
      const inParagraph = isText && all;
      if (indent >= 4) {
        if (isText || (open.type === 'code' && all && !fresh)) return GOES_ON;
        return put(CODE);
      }
      at += indent;
      const rest = text.slice(at);
      if (rest.startsWith('>') && containers.length < MOST_OPEN) {
        put(NONE, 'quote');
        at += rest[1] === ' ' ? 2 : 1;
        if (isBlank(text, at)) return begun;
        continue;
      }
      const mark = FENCE.exec(rest);
      if (mark) {
        put({ type: 'fence', end: fenceEnd(mark[1] ?? mark[2] ?? '') });
        return containers.length > 0 ? begun : { ...begun, fence: 'opens' };
      }
      if (ATX.test(rest)) return put(NONE);
      const end = htmlEnd(rest, isText);
      if (end !== null)
        return put(end !== 'blank' && end.test(rest) ? NONE : { type: 'html', end });
      if (inParagraph && UNDERLINE.test(rest)) {
        leaf = NONE;
        return GOES_ON;
      }
      if (RULE.test(rest.trimEnd())) return put(NONE);
      const marker = MARKER.exec(rest);
      const width = marker?.[0].length ?? 0;
      const bare = isBlank(rest, width);
      const interrupts = !bare && (marker?.[1] ?? '1') === '1';
      if (marker && (interrupts || !inParagraph) && containers.length < MOST_OPEN) {
        const spaces = indentAt(rest, width);
        const inner = width + (bare || spaces > 4 ? 1 : spaces);
        put(NONE, { indent: indent + inner, empty: bare });
        if (bare) return begun;
        at += inner;
        continue;
      }
      return isText ? GOES_ON : put(PARAGRAPH);
    }
  }

  function take(line: string): LineAt {
    const text = line.includes('\t') ? expanded(line) : line;
    const { at, matched } = continued(text, containers);
    const all = matched === containers.length;
    const inside = all ? verbatim(text.slice(at)) : null;
    if (inside) return inside;
    if (!isBlank(text, at)) return begin(text, at, matched);
    containers.length = matched;
    if (leaf.type !== 'code' || !all) leaf = NONE;
    return GOES_ON;
  }

  return {
    take(line) {
      const place = take(line);
      taken++;
      return place;
    },
    unclosed() {
      if (leaf.type === 'fence') return { type: 'fence', at: leafFrom };
      return leaf.type === 'html' && leaf.end !== 'blank' ? { type: 'html', at: leafFrom } : null;
    },
  };
}

/** How many of the open quotes and items go on with a line, and where what they hold begins in it. */
function continued(text: string, containers: readonly Container[]) {
  let at = 0;
  let matched = 0;
  for (const container of containers) {
    const indent = indentAt(text, at);
    if (container === 'quote') {
      if (indent > 3 || text[at + indent] !== '>') break;
      at += indent + (text[at + indent + 1] === ' ' ? 2 : 1);
    } else if (at + indent >= text.length) {
      // An item that begins with a blank line has no second one.
      if (container.empty) break;
    } else {
      if (indent < container.indent) break;
      container.empty = false;
      at += container.indent;
    }
    matched++;
  }
  return { at, matched };
}

function indentAt(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at++;
  return at - from;
}

function isBlank(text: string, from: number): boolean {
  return from + indentAt(text, from) >= text.length;
}

function fenceEnd(mark: string): RegExp {
  return new RegExp(`^ {0,3}${mark[0]}{${Math.min(mark.length, 1000)},}[ \\t]*$`);
}

/** A line with the tabs before its text as the spaces that they stand for. */
function expanded(line: string): string {
  const prefix = PREFIX.exec(line)?.[0] ?? '';
  if (!prefix.includes('\t')) return line;
  const parts: string[] = [];
  let column = 0;
  for (const char of prefix) {
    const shown = char === '\t' ? ' '.repeat(4 - (column % 4)) : char;
    parts.push(shown);
    column += shown.length;
  }
  return parts.join('') + line.slice(prefix.length);
}

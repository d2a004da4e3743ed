// The blocks of a Markdown text (CommonMark) with their lines. What is plain (headings, paragraphs
// and flat lists at the margin, fenced code) is told apart here, in one pass; all else goes to
// micromark in small pieces, whose time grows faster than its text.
import type { List, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { RULE, withoutEmptyEnd } from './markdown-content.ts';
import { ATX, type Unclosed } from './markdown-open.ts';
import { BLOCKS_ONLY, MOST_PIECE, type Piece, piecesOf } from './markdown-pieces.ts';

/** A text as it is written, without the indentation of what it is in. */
export interface PlacedText {
  raw: string;
  /** The line in the file of each of its lines: blank ones between them may be more or fewer there. */
  lines: number[];
}

/** A block; `line` is the one it begins on, `spaced` where a blank line is before it in its item. */
export type Block = PlacedText & { line: number; spaced?: boolean } & (
    | { type: 'heading'; depth: number; text: string }
    | {
        type: 'paragraph';
        /** Which of its lines, from 0, stand at the margin though it begins further in. */
        atMargin?: readonly number[];
      }
    | { type: 'code' | 'html' | 'other' }
    | { type: 'list'; items: ListItem[] }
  );

/** An item of a list, with its text without the marker, which stands on `line`. */
export interface ListItem extends PlacedText {
  blocks: Block[];
  line: number;
  /** The marker as it is written: `-`, `2.`. */
  mark: string;
}

/** Something of the text that is kept as it stands, and in which nothing is looked for. */
export interface BlockLoss {
  line: number;
  detail: string;
}

const MOST_NESTING = 40;
/** Lines of small pieces that are parsed at once, since each parse has its cost. */
const PIECES_TOGETHER = 10;

/** A line that can be nothing but a line of a paragraph. */
const PLAIN = /^(?:\p{L}|\*\*?\S|__?\S|\[|\(|"|'|@|\d+(?![\d.)]))/u;
/** The text of a flat bullet: nothing that opens another block. */
const PLAIN_BULLET = /^([-*+]) ((?:\p{L}|\*\*?\S|__?\S|\[|\(|"|@).*)$/u;

const ITEM_MARK = /^(?:[-*+]|\d{1,9}[.)])/;

/**
 * The blocks of a text, and the code or HTML at its end that nothing ends.
 *
 * @param lines - the lines of the text, without their ends
 * @param offset - how many lines of the file stand before them
 */
export function blocksOf(
  lines: readonly string[],
  offset: number,
): { blocks: Block[]; losses: BlockLoss[]; unclosed: Unclosed | null } {
  const blocks: Block[] = [];
  const losses: BlockLoss[] = [];
  let waiting = null as Piece | null;
  const parseWaiting = () => {
    if (waiting)
      blocks.push(...parsed(lines.slice(waiting.from, waiting.to), offset + waiting.from + 1));
    waiting = null;
  };
  const { pieces, unclosed } = piecesOf(lines);
  for (const piece of pieces) {
    const line = offset + piece.from + 1;
    const own = lines.slice(piece.from, piece.to);
    const known = piece.code
      ? codeBlock(own, line)
      : (plainBlocks(own, line) ?? opaque(own, line, losses));
    if (known === null) {
      const size = waiting === null ? 0 : piece.to - waiting.from;
      if (size > PIECES_TOGETHER || piece.apart) parseWaiting();
      waiting = { ...piece, from: waiting?.from ?? piece.from };
      continue;
    }
    parseWaiting();
    blocks.push(...known);
  }
  parseWaiting();
  return { blocks: joined(blocks), losses, unclosed };
}

function codeBlock(lines: readonly string[], line: number): Block[] {
  return [{ type: 'code', ...placed(trimEnd(lines), line) }];
}

/** A text whose lines stand one below the other in the file, from a line on. */
function placed(raw: string, line: number): PlacedText & { line: number } {
  const lines = [line];
  for (let at = raw.indexOf('\n'); at >= 0; at = raw.indexOf('\n', at + 1)) {
    lines.push(line + lines.length);
  }
  return { raw, lines, line };
}

/** The block of a piece where it is plain at the margin; null where micromark has to say. */
function plainBlocks(all: readonly string[], line: number): Block[] | null {
  const text = trimEnd(all);
  const lines = text === '' ? [] : text.split('\n');
  const first = lines[0];
  if (first === undefined) return [];
  const heading = ATX.exec(first);
  if (heading && lines.length === 1) {
    const title = headingText(heading[2] ?? '');
    const depth = heading[1]?.length ?? 1;
    return [{ type: 'heading', depth, text: title, ...placed(first, line) }];
  }
  const bullet = PLAIN_BULLET.exec(first);
  if (bullet && lines.length === 1 && !RULE.test(first)) {
    const raw = bullet[2] ?? '';
    if (raw.startsWith('* ') || raw.startsWith('_ ') || RULE.test(raw)) return null;
    const own = { raw: raw.trimEnd(), lines: [line], line };
    const blocks: Block[] = [{ type: 'paragraph', ...own }];
    const item: ListItem = { ...own, blocks, mark: bullet[1] ?? '-' };
    return [{ type: 'list', items: [item], ...placed(first, line) }];
  }
  if (!lines.every((one) => PLAIN.test(one) && !RULE.test(one) && !/^[*_] /.test(one))) return null;
  return [{ type: 'paragraph', ...placed(lines.map(trimmed).join('\n').trimEnd(), line) }];
}

/** A piece that is kept as it stands since it is too much to look into; null where it is not. */
function opaque(all: readonly string[], from: number, losses: BlockLoss[]): Block[] | null {
  const before = all.findIndex((one) => one.trim() !== '');
  const lines = all.slice(before);
  const line = from + before;
  const raw = trimEnd(lines);
  const why =
    raw.length > MOST_PIECE
      ? 'is too long'
      : lines.some((one) => nesting(one) > MOST_NESTING)
        ? 'nests too deep'
        : null;
  if (why === null) return null;
  losses.push({ line, detail: `The block ${why}; it is kept, and nothing is looked for in it.` });
  return [{ type: 'other', ...placed(raw, line) }];
}

function parsed(lines: readonly string[], line: number): Block[] {
  const text = trimEnd(lines);
  const own = text.split('\n');
  const { children } = fromMarkdown(text, { extensions: [BLOCKS_ONLY] });
  return children.map((node) => blockOf(node, own, line));
}

/** How deep the markers at the start of a line nest lists and quotes. */
function nesting(line: string): number {
  const prefix = /^(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))+/.exec(line.slice(0, 4096))?.[0];
  if (prefix === undefined) return 0;
  const markers = prefix.replace(/[ \t\d]/g, '').length;
  return markers === 0 ? 0 : markers + (/^[ \t]*/.exec(prefix)?.[0].length ?? 0) / 2;
}

function blockOf(node: RootContent, lines: readonly string[], line: number): Block {
  const raw = sourceOf(node, lines);
  const place = placed(raw, line + (node.position?.start.line ?? 1) - 1);
  switch (node.type) {
    case 'heading': {
      const atx = /^#{1,6}(?=[ \t]|$)/.exec(raw)?.[0];
      const underline = raw.lastIndexOf('\n');
      const text = atx === undefined ? raw.slice(0, underline) : headingText(raw.slice(atx.length));
      return { type: 'heading', depth: node.depth, text: fold(text), ...place };
    }
    case 'list':
      return { type: 'list', items: itemsOf(node, lines, line), ...place };
    case 'paragraph':
      return { type: 'paragraph', ...place, ...marginOf(node, lines) };
    case 'code':
    case 'html':
      return { type: node.type, ...place };
    default:
      return { type: 'other', ...place };
  }
}

/** Which lines of a paragraph that begins further in stand at the margin. */
function marginOf({ position }: RootContent, lines: readonly string[]): { atMargin?: number[] } {
  if (!position || position.start.column === 1) return {};
  const { start, end } = position;
  const atMargin: number[] = [];
  for (let at = start.line; at < end.line; at++) {
    if (/^\S/.test(lines[at] ?? '')) atMargin.push(at - start.line + 1);
  }
  return atMargin.length > 0 ? { atMargin } : {};
}

function itemsOf(list: List, lines: readonly string[], line: number): ListItem[] {
  return list.children.map((item) => {
    let end = Number.POSITIVE_INFINITY;
    const blocks = item.children.map((child) => {
      const spaced = (child.position?.start.line ?? 0) - end > 1;
      end = child.position?.end.line ?? end;
      return { ...blockOf(child, lines, line), spaced };
    });
    const { line: at = 1, column = 1 } = item.position?.start ?? {};
    return {
      mark: ITEM_MARK.exec((lines[at - 1] ?? '').slice(column - 1))?.[0] ?? '-',
      blocks,
      ...textOfBlocks(blocks),
      line: line + at - 1,
    };
  });
}

/** The text of blocks below one another, with a blank line where one stands before a block. */
export function textOfBlocks(blocks: readonly Block[]): PlacedText {
  const parts = blocks.map(
    ({ raw, spaced }, at) => `${at === 0 ? '' : spaced ? '\n\n' : '\n'}${raw}`,
  );
  const lines = blocks.flatMap(({ lines: own, spaced }, at) =>
    at > 0 && spaced ? [(own[0] ?? 1) - 1, ...own] : own,
  );
  return { raw: parts.join(''), lines };
}

/**
 * The text of a node, its later lines without the indentation of its first; of a paragraph and of a
 * list, without lines at the end that show nothing, such as the anchor of what comes next.
 */
function sourceOf(node: RootContent, lines: readonly string[]): string {
  const { start, end } = node.position ?? {
    start: { line: 1, column: 1 },
    end: { line: 0, column: 1 },
  };
  const own = lines.slice(start.line - 1, end.line);
  const indent = start.column - 1;
  if (own.length > 0) {
    own[own.length - 1] = (own.at(-1) ?? '').slice(0, end.column - 1);
    own[0] = (own[0] ?? '').slice(indent);
  }
  const inner = own.slice(1).map((text) => {
    const spaces = /^[ \t]*/.exec(text)?.[0].length ?? 0;
    return node.type === 'paragraph' ? trimmed(text) : text.slice(Math.min(spaces, indent));
  });
  const head = own[0] ?? '';
  const text = [node.type === 'paragraph' ? trimmed(head) : head, ...inner].join('\n').trimEnd();
  return node.type === 'paragraph' || node.type === 'list' ? withoutEmptyEnd(text) : text;
}

/** A line of a paragraph without the white space around it, but for two spaces that break it. */
function trimmed(line: string): string {
  return line.endsWith('  ') ? `${line.trim()}  ` : line.trim();
}

/** Lists that were cut at their items become one again. */
function joined(blocks: readonly Block[]): Block[] {
  const result: Block[] = [];
  let items: ListItem[] = [];
  let raws: string[] = [];
  for (const block of blocks) {
    const before = result.at(-1);
    const continues =
      block.type === 'list' && before?.type === 'list' && markOf(block.raw) === markOf(before.raw);
    if (!continues) {
      if (before?.type === 'list') before.raw = raws.join('\n');
      result.push(block);
      if (block.type === 'list') {
        items = block.items;
        raws = [block.raw];
      }
      continue;
    }
    for (const item of block.items) items.push(item);
    for (const line of block.lines) before.lines.push(line);
    raws.push(block.raw);
  }
  const last = result.at(-1);
  if (last?.type === 'list') last.raw = raws.join('\n');
  return result;
}

/** What the items of a list begin with: lists with different marks are different lists. */
function markOf(raw: string): string {
  return /^(?:[-*+]|\d{1,9}([.)]))/.exec(raw)?.[1] ?? raw.slice(0, 1);
}

function trimEnd(lines: readonly string[]): string {
  return lines.join('\n').trimEnd();
}

/** The text of an ATX heading without the marks that may close it. */
function headingText(marked: string): string {
  const text = marked.trim();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  return end === 0 || /\s/.test(text[end - 1] ?? '') ? text.slice(0, end).trim() : text;
}

/** White space as single blanks. */
export function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

// The blocks of a Markdown file with their lines, by markdown-it; what stands in lines is parsed only
// where an item may begin.
import MarkdownIt, { type Env, type Token } from 'markdown-it';

type BlockType =
  | 'root'
  | 'heading'
  | 'paragraph'
  | 'list'
  | 'entry'
  | 'table'
  | 'quote'
  | 'code'
  | 'indented'
  | 'html'
  | 'rule';

export interface Row {
  cells: string[];
  line: number;
}

export interface Block {
  type: BlockType;
  /** Its lines in the file, from 1, both included; empty lines may end it. */
  from: number;
  to: number;
  /** Of a heading. */
  depth: number;
  /** Of headings, paragraphs, code and HTML: without indentation. */
  text: string;
  /** The entries of a list, and what is in an entry. */
  blocks: Block[];
  /** Of a table, its head first. */
  rows: Row[];
}

const MAX_NESTING = 100;

const inlineParser = new MarkdownIt('commonmark');
const blockParser = new MarkdownIt('commonmark').enable('table');
blockParser.set({ maxNesting: MAX_NESTING } as never);
blockParser.core.ruler.disable(['inline', 'text_join']);

const TYPES: Record<string, BlockType> = {
  heading_open: 'heading',
  paragraph_open: 'paragraph',
  bullet_list_open: 'list',
  ordered_list_open: 'list',
  list_item_open: 'entry',
  table_open: 'table',
  blockquote_open: 'quote',
  fence: 'code',
  code_block: 'indented',
  html_block: 'html',
  hr: 'rule',
};

/**
 * The blocks of a text, and the labels that it defines as links to other hosts.
 * @param offset - the lines of the file before the text
 */
export function blocksOf(
  text: string,
  offset: number,
): { blocks: Block[]; elsewhere: Set<string> } {
  const env: Env = {};
  const root = blockOf('root', null, 0);
  const open = [root];
  for (const token of blockParser.parse(text, env)) {
    const top = open.at(-1) ?? root;
    if (token.nesting === -1) {
      open.pop();
      continue;
    }
    const type = TYPES[token.type];
    const block = type === undefined ? top : blockOf(type, token, offset);
    if (block !== top) top.blocks.push(block);
    if (token.nesting === 1) open.push(block);
    if (token.type === 'tr_open')
      top.rows.push({ cells: [], line: (token.map?.[0] ?? 0) + offset + 1 });
    else if (token.type === 'inline' && top.type === 'table')
      top.rows.at(-1)?.cells.push(token.content.trim());
    else if (token.type === 'inline') top.text = token.content;
  }
  const elsewhere = Object.entries(env.references ?? {}).filter(([, { href }]) =>
    isElsewhere(href),
  );
  return { blocks: root.blocks, elsewhere: new Set(elsewhere.map(([label]) => label)) };
}

function blockOf(type: BlockType, token: Token | null, offset: number): Block {
  return {
    type,
    from: (token?.map?.[0] ?? 0) + offset + 1,
    to: (token?.map?.[1] ?? 0) + offset,
    depth: type === 'heading' ? Number(token?.tag.slice(1)) : 0,
    text: token?.content ?? '',
    blocks: [],
    rows: [],
  };
}

export function isElsewhere(address: string): boolean {
  return /^\s*<?(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address);
}

export function hasMarkup(text: string): boolean {
  return /[*_`[\]<\\&\n]/.test(text);
}

export function visibleText(text: string): string {
  if (!hasMarkup(text)) return text.trim();
  const [inline] = inlineParser.parseInline(text.replace(/\]\[[^\]]*\]/g, ']'), {});
  return (inline?.children ?? [])
    .map(({ type, content }) => {
      if (type === 'text' || type === 'code_inline' || type === 'text_special') return content;
      return type.endsWith('break') ? ' ' : '';
    })
    .join('')
    .trim();
}

export function dedent(text: string): string {
  return outdented(text, /^[ \t]*/.exec(text)?.[0].length ?? 0).trimEnd();
}

export function entryText(text: string): string {
  const mark = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]{1,4}|$)/m.exec(text);
  return outdented(text, mark?.index === 0 ? mark[0].length : 0).trim();
}

function outdented(text: string, indent: number): string {
  const others = (white: string) => `\n${white.slice(1 + indent)}`;
  return text.slice(indent).replace(/\n[^\S\n]+/g, others);
}

export function fold(text: string): string {
  return (/[^\S ]| {2}/.test(text) ? text.replace(/\s+/g, ' ') : text).trim();
}

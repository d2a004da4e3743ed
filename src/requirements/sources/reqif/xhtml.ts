// The XHTML of a ReqIF value as plain text that still shows paragraphs, line breaks, lists and tables,
// and names the images and objects that it holds.
import { type Part, takeText } from '../account.ts';

const PARAGRAPHS = namesOf('p h1 h2 h3 h4 h5 h6 blockquote');
const BLOCKS = namesOf('div dl dt li pre address hr caption table thead tbody tfoot');
const DELETED = namesOf('del s strike');
const RAISED = new Map([
  ['h:sup', '^'],
  ['h:sub', '_'],
]);
const SINGLE = /^(?:[-+\u2212]?[\p{L}\p{N}]+(?:[.,]\p{N}+)?|[^\p{L}\p{N}\s])$/u;
/** What plain text cannot show: a formula in one line would say something else. */
const LEFT_OUT = namesOf('script style math');

interface Around {
  flow: Flow;
  /** White space stays as it is. */
  preserve: boolean;
  /** In a list item or a cell: no empty lines. */
  tight: boolean;
  inCell: boolean;
}

function namesOf(names: string): ReadonlySet<string> {
  return new Set(names.split(' ').map((name) => `h:${name}`));
}

export function xhtmlText(element: Part): string {
  const flow = createFlow();
  renderParts(element, { flow, preserve: false, tight: false, inCell: false });
  return flow.text();
}

function renderParts(element: Part, around: Around): void {
  for (const [at, part] of element.parts.entries()) {
    if (part.name === '#text') {
      part.kept = true;
      if (around.preserve) around.flow.verbatim(part.text);
      else around.flow.inline(part.text);
    } else if (part.kind === 'element') render(part, around, element.parts[at + 1]);
  }
}

/** Takes an element that is shown and whose text is not deleted. */
function taken(part: Part): boolean {
  const isDeleted =
    DELETED.has(part.name) || /text-decoration[^;]*:[^;]*line-through/i.test(styleOf(part));
  part.kept = !isDeleted && !LEFT_OUT.has(part.name);
  return part.kept;
}

function render(part: Part, outer: Around, next?: Part): void {
  const { name } = part;
  if (!taken(part)) return;
  const { flow } = outer;
  const keepsSpace = name === 'h:pre' || /white-space\s*:\s*pre/.test(styleOf(part));
  const around = keepsSpace && !outer.preserve ? { ...outer, preserve: true } : outer;
  if (around.inCell && /^h:t[rdh]$/.test(name)) {
    flow.inline(' ');
    renderParts(part, around);
    flow.inline(' ');
  } else if (PARAGRAPHS.has(name)) {
    renderBlock(part, around, around.tight ? 1 : 2);
  } else if (name === 'h:tr') {
    renderRow(part, around);
  } else if (name === 'h:ul' || name === 'h:ol') {
    renderList(part, around);
  } else if (name === 'h:dd') {
    flow.block(1);
    flow.indented('  ', () => renderParts(part, { ...around, tight: true }));
    flow.block(1);
  } else if (BLOCKS.has(name)) {
    renderBlock(part, around, 1);
  } else {
    renderInline(part, around, next);
  }
}

function renderBlock(part: Part, around: Around, lines: 1 | 2): void {
  around.flow.block(lines);
  renderParts(part, around);
  around.flow.block(lines);
}

function renderInline(part: Part, around: Around, next: Part | undefined): void {
  const { flow } = around;
  const { name } = part;
  const mark = RAISED.get(name);
  if (mark !== undefined) {
    const inside = createFlow();
    renderParts(part, { ...around, flow: inside });
    const text = inside.text();
    // What follows without a break would be read as part of it.
    const after = next?.name === '#text' ? next.text.slice(0, 1) : '';
    const goesOn = /^(?:\p{L}\p{L}|\p{N}\p{N})$/u.test(`${text.slice(-1)}${after}`);
    const isPlain = SINGLE.test(text) && !goesOn;
    if (text !== '') flow.inline(`${mark}${isPlain ? text : `(${text})`}`);
  } else if (name === 'h:br') {
    flow.lineBreak();
    renderParts(part, around);
  } else if (name === 'h:object' || name === 'h:img') {
    const type = part.parts.find((one) => one.name === '@type')?.text;
    const data = takeText(part, '@data') ?? takeText(part, '@src') ?? takeText(part, '@type');
    const kind = name === 'h:img' || type?.startsWith('image/') ? 'image' : 'object';
    const known = [takeText(part, '@name') ?? takeText(part, '@alt'), data].filter(Boolean);
    flow.inline(known.length === 0 ? `[${kind}]` : `[${kind}: ${known.join(', ')}]`);
    // What stands in its place where it cannot be shown.
    if (part.parts.some((one) => !one.name.startsWith('@'))) flow.inline(' ');
    renderParts(part, around);
  } else if (name === 'h:q') {
    flow.inline('"');
    renderParts(part, around);
    flow.inline('"');
  } else {
    renderParts(part, around);
    const target = name === 'h:a' ? takeText(part, '@href') : undefined;
    const first = part.parts.find((one) => one.name === '#text')?.text.trim();
    if (target && target !== first) flow.inline(` (${target})`);
  }
}

function renderList(list: Part, around: Around): void {
  const { flow } = around;
  let number = 0;
  flow.block(1);
  for (const part of list.parts) {
    if (part.name === '#text') {
      part.kept = true;
      if (/\S/.test(part.text)) flow.inline(part.text);
    } else if (part.name === 'h:li') {
      number += 1;
      if (!taken(part)) continue;
      flow.block(1);
      const mark = list.name === 'h:ol' ? `${number}. ` : '- ';
      flow.item(mark, () => renderParts(part, { ...around, tight: true }));
      flow.block(1);
    } else if (!part.name.startsWith('@')) flow.indented('  ', () => render(part, around));
  }
  flow.block(1);
}

function renderRow(row: Part, around: Around): void {
  const { flow } = around;
  const texts: string[] = [];
  let headings = 0;
  for (const cell of row.parts.filter(({ name }) => !name.startsWith('@'))) {
    const isCell = cell.name === 'h:td' || cell.name === 'h:th';
    const inside = createFlow();
    const within = { flow: inside, preserve: false, tight: true, inCell: true };
    if (!isCell) renderParts({ ...row, parts: [cell] }, within);
    else if (taken(cell)) renderParts(cell, within);
    const lines = inside
      .text()
      .split('\n')
      .map((line) => line.trim());
    const text = lines.filter(Boolean).join(' / ');
    if (text === '' && !isCell) continue;
    texts.push(text.replaceAll('|', '\\|'));
    if (cell.name === 'h:th') headings += 1;
  }
  if (texts.length === 0) return;
  flow.block(1);
  flow.inline(`| ${texts.join(' | ')} |`);
  flow.block(1);
  if (headings < texts.length) return;
  flow.inline(`|${' --- |'.repeat(texts.length)}`);
  flow.block(1);
}

function styleOf({ parts }: Part): string {
  if (parts.length === 0 || !parts[0]?.name.startsWith('@')) return '';
  return parts.find(({ name }) => name === '@style')?.text ?? '';
}

interface Flow {
  /** Text in the line, its white space folded. */
  inline(text: string): void;
  verbatim(text: string): void;
  lineBreak(): void;
  /** What follows begins at least this many lines further down. */
  block(lines: 1 | 2): void;
  /** Lays out a list item: its first line after `mark`, the others under it. */
  item(mark: string, content: () => void): void;
  indented(indent: string, content: () => void): void;
  text(): string;
}

const UNFOLDED = /[\t\r\n][ \t\r\n]*| [ \t\r\n]+/g;

function createFlow(): Flow {
  let out = '';
  let breaks = 0;
  let space = false;
  let indent = '';
  /** Marks of list items that wait for the first text in them, and the indent of the first. */
  let marks = '';
  let marksIndent = '';

  function put(text: string): void {
    if (out === '' || breaks > 0 || marks !== '') {
      if (out !== '') out += '\n'.repeat(Math.max(breaks, 1));
      out += marks === '' ? indent : marksIndent + marks;
      marks = '';
    } else if (space) out += ' ';
    breaks = 0;
    space = false;
    out += text;
  }

  const flow: Flow = {
    inline(text) {
      const folded = text.replace(UNFOLDED, ' ');
      const begins = folded.startsWith(' ') ? 1 : 0;
      const ends = folded.length > begins && folded.endsWith(' ') ? 1 : 0;
      if (begins === 1) space = true;
      if (folded.length === begins) return;
      put(folded.slice(begins, folded.length - ends));
      space = ends === 1;
    },
    verbatim(text) {
      text.split('\n').forEach((line, at) => {
        if (at > 0) breaks += 1;
        if (breaks > 0) space = false;
        if (line !== '') put(line);
      });
    },
    lineBreak() {
      breaks = Math.min(breaks + 1, 2);
      space = false;
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
    text: () => out.trim(),
  };
  return flow;
}

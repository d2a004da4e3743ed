// The XHTML of a ReqIF value as plain text that still shows paragraphs, line breaks, lists and tables,
// and names the images and objects that it holds.
import { type Part, take, takeText } from '../account.ts';
import { createFlow, type Flow, foldedLine } from './flow.ts';

/** Elements that an empty line sets off. */
const PARAGRAPHS = namesOf('p h1 h2 h3 h4 h5 h6 blockquote');
/** Elements that begin a line. */
const BLOCKS = namesOf('div dl dt li pre address hr caption thead tbody tfoot');
/** Elements that add nothing to a text that is all there is in them. */
const WRAPPERS = namesOf('div p span');
const DELETED = namesOf('del s strike');
/** The marks before text that is raised or lowered. */
const RAISED = new Map([
  ['h:sup', '^'],
  ['h:sub', '_'],
]);
/** The marks between the parts of an element of MathML. */
const BETWEEN = new Map([
  ['h:mfrac', '/'],
  ['h:msup', '^'],
  ['h:msub', '_'],
]);
/** A number or a word, with a sign; or one character of another kind, such as a star. */
const SINGLE = /^(?:[-+\u2212]?[\p{L}\p{N}]+(?:[.,]\p{N}+)?|[^\p{L}\p{N}\s])$/u;
/** So wide a table is shown in its columns; cells that would lie beyond follow one another. */
const MAX_COLUMNS = 40;

/** What surrounds the element that is rendered. */
interface Around {
  flow: Flow;
  /** White space stays as it is. */
  preserve: boolean;
  /** In a list item or a cell: no empty lines. */
  tight: boolean;
  inCell: boolean;
  /** Of the table around, by column: for how many more rows a cell above takes it. */
  spans: number[];
}

function namesOf(names: string): ReadonlySet<string> {
  return new Set(names.split(' ').map((name) => `h:${name}`));
}

/** The text of an element's content; text that is marked as deleted is left out, and untaken. */
export function xhtmlText(element: Part): string {
  const only = onlyText(element);
  if (only !== undefined) return foldedLine(only);
  const flow = createFlow();
  renderParts(element, { flow, preserve: false, tight: false, inCell: false, spans: [] });
  return flow.text();
}

/** The text where there is but one, in nothing but elements that only hold it: most values. */
function onlyText(element: Part): string | undefined {
  const way: Part[] = [];
  for (let inside = element; ; ) {
    let next: Part | undefined;
    for (const part of inside.parts) {
      if (part.name === '#text' && !/\S/.test(part.text)) continue;
      if (next !== undefined) return undefined;
      next = part;
    }
    if (next === undefined) return undefined;
    way.push(next);
    if (next.name === '#text') break;
    if (!WRAPPERS.has(next.name)) return undefined;
    inside = next;
  }
  for (const part of [element, ...way]) for (const one of part.parts) one.kept = true;
  return way.at(-1)?.text ?? '';
}

function renderParts(element: Part, around: Around): void {
  const { parts } = element;
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] as Part;
    if (part.name === '#text') {
      part.kept = true;
      if (around.preserve) around.flow.verbatim(part.text);
      else around.flow.inline(part.text);
    } else if (/^[h{]/.test(part.name)) render(part, around, parts[at + 1]);
  }
}

/** Takes an element whose text is not deleted. */
function taken(part: Part, flow: Flow): boolean {
  if (DELETED.has(part.name) || /text-decoration[^;]*:[^;]*line-through/i.test(styleOf(part))) {
    if (/\s/.test(allText(part))) flow.apart();
    return false;
  }
  part.kept = true;
  return true;
}

function render(part: Part, outer: Around, next?: Part): void {
  const { name } = part;
  if (name === 'h:script' || name === 'h:style' || !taken(part, outer.flow)) return;
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
  } else if (name === 'h:table') {
    renderBlock(part, { ...around, spans: [] }, 1);
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
  const between = BETWEEN.get(name);
  if (mark !== undefined) {
    const text = textIn(around, (inside) => renderParts(part, inside));
    const after = next?.name === '#text' ? next.text.slice(0, 1) : '';
    const goesOn = /^(?:\p{L}\p{L}|\p{N}\p{N})$/u.test(`${text.slice(-1)}${after}`);
    if (text !== '') flow.inline(`${mark}${goesOn ? `(${text})` : grouped(text)}`);
  } else if (between !== undefined) {
    const elements = part.parts.filter((one) => one.name.startsWith('h:'));
    const texts = elements.map((one) => grouped(textIn(around, (inside) => render(one, inside))));
    flow.inline(texts.join(between));
  } else if (name === 'h:br') {
    flow.lineBreak();
    renderParts(part, around);
  } else if (name === 'h:img') {
    flow.inline(referred('image', takeText(part, '@alt'), takeText(part, '@src')));
    renderParts(part, around);
  } else if (name === 'h:object') {
    const type = part.parts.find((one) => one.name === '@type')?.text;
    const data = takeText(part, '@data') ?? takeText(part, '@type');
    const kind = type?.startsWith('image/') ? 'image' : 'object';
    flow.inline(referred(kind, takeText(part, '@name'), data));
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

/** The text that something renders. */
function textIn(around: Around, show: (inside: Around) => void): string {
  const flow = createFlow();
  show({ ...around, flow });
  return flow.text();
}

/** A text in parentheses, unless it is one number or word. */
function grouped(text: string): string {
  return text === '' || SINGLE.test(text) ? text : `(${text})`;
}

function referred(kind: string, ...names: (string | undefined)[]): string {
  const known = names.filter((name) => name?.trim());
  return known.length === 0 ? `[${kind}]` : `[${kind}: ${known.join(', ')}]`;
}

function renderList(list: Part, around: Around): void {
  const { flow } = around;
  let number = numberIn(list, '@start', 1) - 1;
  flow.block(1);
  for (const part of list.parts) {
    if (part.name === '#text') {
      part.kept = true;
      if (/\S/.test(part.text)) flow.inline(part.text);
    } else if (part.name === 'h:li') {
      number = numberIn(part, '@value', number + 1);
      if (!taken(part, flow)) continue;
      flow.block(1);
      const mark = list.name === 'h:ol' ? `${number}. ` : '- ';
      flow.item(mark, () => renderParts(part, { ...around, tight: true }));
      flow.block(1);
    } else if (!part.name.startsWith('@')) flow.indented('  ', () => render(part, around));
  }
  flow.block(1);
}

/** The number that an attribute holds; another where it holds none. */
function numberIn(part: Part, name: string, otherwise: number): number {
  const written = part.parts.find((one) => one.name === name)?.text ?? '';
  if (!/^\s*[+-]?\d{1,9}\s*$/.test(written)) return otherwise;
  take(part, name);
  return Number(written);
}

/** A row as `| a | b |`, with a line under it where it is one of headings. */
function renderRow(row: Part, around: Around): void {
  const { flow, spans } = around;
  const texts: string[] = [];
  const cells = row.parts.filter((part) => !part.name.startsWith('@'));
  const next = spans.map((rows) => Math.max(rows - 1, 0));
  let shown = 0;
  let headings = 0;
  for (const cell of cells) {
    const isCell = cell.name === 'h:td' || cell.name === 'h:th';
    const inside = createFlow();
    const within = { ...around, flow: inside, preserve: false, tight: true, inCell: true };
    if (!isCell) renderParts({ ...row, parts: [cell] }, within);
    else if (taken(cell, inside)) renderParts(cell, within);
    const text = inside
      .text()
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .join(' / ');
    if (text === '' && !isCell) continue;
    while ((spans[texts.length] ?? 0) > 0) texts.push('');
    const last = Math.min(texts.length + Math.max(numberIn(cell, '@colspan', 1), 1), MAX_COLUMNS);
    const rows = Math.max(numberIn(cell, '@rowspan', 1), 1);
    for (let at = texts.length; at < last; at += 1) next[at] = rows - 1;
    texts.push(text.replaceAll('|', '\\|'));
    if (cell !== cells.at(-1)) while (texts.length < last) texts.push('');
    shown += 1;
    if (cell.name === 'h:th') headings += 1;
  }
  spans.splice(0, spans.length, ...next);
  if (shown === 0) return;
  flow.block(1);
  flow.inline(`| ${texts.join(' | ')} |`);
  if (headings === shown) {
    flow.block(1);
    flow.inline(`|${' --- |'.repeat(texts.length)}`);
  }
  flow.block(1);
}

function styleOf({ parts }: Part): string {
  if (parts.length === 0 || !parts[0]?.name.startsWith('@')) return '';
  return parts.find(({ name }) => name === '@style')?.text ?? '';
}

function allText({ name, text, parts }: Part): string {
  return name === '#text'
    ? text
    : /^h:(?:br|p|div|li|t[drh])$/.test(name)
      ? ' '
      : parts.map(allText).join('');
}

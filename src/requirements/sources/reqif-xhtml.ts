// Renders the XHTML of a ReqIF value as plain text that still shows paragraphs, line breaks, lists
// and tables, and names the images and objects that it holds.

import { type Cell, type Columns, createColumns } from './reqif-columns.ts';
import { NO_ATTRIBUTES, type XmlElement } from './reqif-element.ts';
import { createFlow, type Flow, foldedLine } from './reqif-flow.ts';
import { BETWEEN, grouped, RAISED, raised } from './reqif-raised-text.ts';
import { BLOCKS, CODE, PARAGRAPHS, PLACED, UNSHOWN, WRAPPERS } from './reqif-xhtml-names.ts';
import { hasUnkeptAttributes, isDeleted, type XhtmlNotes } from './reqif-xhtml-notes.ts';

/** What surrounds the element that is rendered. */
interface Around {
  flow: Flow;
  notes: XhtmlNotes;
  /** White space is kept as it is. */
  preserve: boolean;
  /** Inside a list item or a cell: paragraphs are not set apart by an empty line. */
  tight: boolean;
  inCell: boolean;
  /** Of the table around; undefined outside of one. */
  columns?: Columns;
}

/**
 * The text of an element's content.
 *
 * @param element - THE-VALUE, DEFAULT-VALUE's or any other element around XHTML
 * @param notes - is told what is not in the text
 */
export function xhtmlText(element: XmlElement, notes: XhtmlNotes): string {
  const verbatim = verbatimText(element, notes);
  if (verbatim !== undefined) return verbatim;
  const only = onlyText(element, notes);
  if (only !== undefined) return foldedLine(only);
  const flow = createFlow();
  renderChildren(element, { flow, notes, preserve: false, tight: false, inCell: false });
  return flow.text();
}

/**
 * Exactly the text where the only element is one whose style keeps white space, with nothing but
 * text and line breaks in it: what our own writer makes of any text.
 */
function verbatimText(element: XmlElement, notes: XhtmlNotes): string | undefined {
  const inside = element.children.filter((child) => typeof child !== 'string' || /\S/.test(child));
  const only = inside[0];
  if (inside.length !== 1 || only === undefined || typeof only === 'string') return undefined;
  if (only.space !== 'xhtml' || !keepsSpace(only) || isDeleted(only)) return undefined;
  const unsaid = [only];
  let text = '';
  for (const child of only.children) {
    if (typeof child === 'string') text += child;
    else if (child.name === 'br' && child.children.length === 0) {
      if (child.attributes !== NO_ATTRIBUTES) unsaid.push(child);
      text += '\n';
    } else return undefined;
  }
  for (const one of unsaid) notes.attributes(one);
  return text;
}

/** The text where there is but one, in nothing but elements that only hold it. */
function onlyText(element: XmlElement, notes: XhtmlNotes): string | undefined {
  let inside = element;
  let styled: XmlElement[] | undefined;
  for (;;) {
    let next: XmlElement | string | undefined;
    for (const child of inside.children) {
      if (typeof child === 'string' && !/\S/.test(child)) continue;
      if (next !== undefined) return undefined;
      next = child;
    }
    if (next === undefined) return undefined;
    if (typeof next === 'string') {
      if (styled !== undefined) for (const one of styled) notes.attributes(one);
      return next;
    }
    if (!WRAPPERS.has(next.name)) return undefined;
    if (next.attributes !== NO_ATTRIBUTES) {
      if (saysMore(next)) return undefined;
      styled ??= [];
      styled.push(next);
    }
    inside = next;
  }
}

/** Whether the attributes of an element that only holds text say something of it. */
function saysMore(element: XmlElement): boolean {
  return keepsSpace(element) || isDeleted(element) || hasUnkeptAttributes(element);
}

function keepsSpace(element: XmlElement): boolean {
  const style = element.attributes.style;
  return style !== undefined && /white-space\s*:\s*pre/.test(style);
}

function renderChildren(element: XmlElement, around: Around): void {
  for (const [at, child] of element.children.entries()) {
    if (typeof child !== 'string') {
      const mark = RAISED.get(child.name);
      if (mark === undefined) render(child, around);
      else renderRaised(child, mark, element.children[at + 1], around);
    } else if (around.preserve) around.flow.verbatim(child);
    else around.flow.inline(child);
  }
}

/** Leaves out what is marked as deleted, and notes what is not in the text of the others. */
function isLeftOut(element: XmlElement, { flow, notes }: Around): boolean {
  if (element.attributes !== NO_ATTRIBUTES) notes.attributes(element);
  if (!isDeleted(element)) return false;
  if (notes.deleted(element)) flow.apart();
  return true;
}

function render(element: XmlElement, around: Around): void {
  if (isLeftOut(element, around)) return;
  const { flow } = around;
  const { name } = element;
  const inside =
    around.preserve || name === 'pre' || keepsSpace(element)
      ? { ...around, preserve: true }
      : around;
  if (around.inCell && (name === 'tr' || name === 'td' || name === 'th')) {
    flow.inline(' ');
    renderChildren(element, inside);
    flow.inline(' ');
  } else if (PARAGRAPHS.has(name)) {
    const apart = around.tight ? 1 : 2;
    flow.block(apart);
    renderChildren(element, inside);
    flow.block(apart);
  } else if (name === 'tr') {
    renderRow(element, around);
  } else if (name === 'table') {
    flow.block(1);
    renderChildren(element, { ...inside, columns: createColumns() });
    flow.block(1);
  } else if (name === 'ul' || name === 'ol') {
    renderList(element, inside);
  } else if (name === 'dd') {
    flow.block(1);
    flow.indented('  ', () => renderChildren(element, { ...inside, tight: true }));
    flow.block(1);
  } else if (BLOCKS.has(name)) {
    flow.block(1);
    renderChildren(element, inside);
    flow.block(1);
  } else {
    renderInline(element, inside);
  }
}

function renderInline(element: XmlElement, around: Around): void {
  const { flow, notes } = around;
  const { name, line } = element;
  if (CODE.has(name)) {
    if (element.children.length > 0) notes.unkept(`text of <${name}>`, line);
    return;
  }
  if (UNSHOWN.has(name) || PLACED.has(name)) notes.unkept(`<${name}>`, line);
  switch (name) {
    case 'br':
      flow.lineBreak();
      renderChildren(element, around);
      break;
    case 'img':
      flow.inline(named('image', element.attributes.alt, element.attributes.src));
      renderInside(element, around);
      break;
    case 'object':
      renderObject(element, around);
      break;
    case 'q':
      flow.inline('"');
      renderChildren(element, around);
      flow.inline('"');
      break;
    case 'mfrac':
    case 'msup':
    case 'msub':
      renderBetween(element, around);
      break;
    case 'a':
      renderChildren(element, around);
      renderTarget(element, flow);
      break;
    default:
      renderChildren(element, around);
  }
}

/** Text that is set higher or lower than what stands before it. */
function renderRaised(
  element: XmlElement,
  mark: string,
  next: XmlElement | string | undefined,
  around: Around,
): void {
  if (isLeftOut(element, around)) return;
  const text = textOf(around, (inside) => renderChildren(element, inside));
  if (text === '') return;
  around.flow.inline(`${mark}${raised(text, typeof next === 'string' ? next : '')}`);
}

/** What MathML sets above, below or over another: `1/2`, `10^3`. */
function renderBetween(element: XmlElement, around: Around): void {
  const parts = element.children.filter((child) => typeof child !== 'string');
  const texts = parts.map((part) => grouped(textOf(around, (inside) => render(part, inside))));
  around.flow.inline(texts.join(BETWEEN.get(element.name)));
}

/** The text that something renders. */
function textOf(around: Around, show: (inside: Around) => void): string {
  const flow = createFlow();
  show({ ...around, flow });
  return flow.text();
}

/** The address of a link, unless the link's text is the address. */
function renderTarget(element: XmlElement, flow: Flow): void {
  const target = element.attributes.href;
  const first = element.children[0];
  const said = typeof first === 'string' ? first.trim() : '';
  if (target !== undefined && target !== '' && target !== said) flow.inline(` (${target})`);
}

/** An embedded file by its name, then what the XHTML gives in its place. */
function renderObject(element: XmlElement, around: Around): void {
  const { data, type, name } = element.attributes;
  const kind = type?.startsWith('image/') === true ? 'image' : 'object';
  around.flow.inline(named(kind, name, data ?? type));
  renderInside(element, around);
}

/** What an element holds, after its own name. */
function renderInside(element: XmlElement, around: Around): void {
  if (element.children.length === 0) return;
  around.flow.inline(' ');
  renderChildren(element, around);
}

function named(kind: string, name: string | undefined, file: string | undefined): string {
  const parts = [name, file].filter((part) => part !== undefined && part.trim() !== '');
  return parts.length === 0 ? `[${kind}]` : `[${kind}: ${parts.join(', ')}]`;
}

function renderList(element: XmlElement, around: Around): void {
  const { flow } = around;
  let number = numberOf(element.attributes.start, 1) - 1;
  flow.block(1);
  for (const child of element.children) {
    if (typeof child === 'string') {
      if (/\S/.test(child)) flow.inline(child);
    } else if (child.name === 'li') {
      number = numberOf(child.attributes.value, number + 1);
      if (isLeftOut(child, around)) continue;
      flow.block(1);
      flow.item(element.name === 'ol' ? `${number}. ` : '- ', () =>
        renderChildren(child, { ...around, tight: true }),
      );
      flow.block(1);
    } else {
      flow.indented('  ', () => render(child, around));
    }
  }
  flow.block(1);
}

/** The number that an attribute says; another where it says none. */
function numberOf(said: string | undefined, otherwise: number): number {
  return said !== undefined && /^\s*[+-]?\d{1,9}\s*$/.test(said) ? Number(said) : otherwise;
}

/** A row as `| a | b |`, with a line under it where it is one of headings. */
function renderRow(element: XmlElement, { flow, notes, columns }: Around): void {
  const cells: Cell[] = [];
  let headings = 0;
  for (const cell of cellsOf(element)) {
    if (cell.name === 'th') headings += 1;
    const inside = createFlow();
    const within = { flow: inside, notes, preserve: false, tight: true, inCell: true };
    if (!isCell(cell) || !isLeftOut(cell, within)) renderChildren(cell, within);
    const text = oneLine(inside.text(), ' / ');
    if (text === '' && !isCell(cell)) continue;
    const { colspan, rowspan } = cell.attributes;
    cells.push({
      text: text.replaceAll('|', '\\|'),
      columns: Math.max(numberOf(colspan, 1), 1),
      rows: Math.max(numberOf(rowspan, 1), 1),
    });
  }
  const texts = (columns ?? createColumns()).row(cells);
  if (cells.length === 0) return;
  flow.block(1);
  flow.inline(`| ${texts.join(' | ')} |`);
  if (headings === cells.length) {
    flow.block(1);
    flow.inline(`|${' --- |'.repeat(texts.length)}`);
  }
  flow.block(1);
}

/** The cells of a row; what stands in none, though it should, is as if it stood in one. */
function cellsOf(row: XmlElement): XmlElement[] {
  const cells: XmlElement[] = [];
  let loose: XmlElement | undefined;
  for (const child of row.children) {
    if (typeof child !== 'string' && isCell(child)) {
      cells.push(child);
      loose = undefined;
    } else if (loose !== undefined) loose.children.push(child);
    else if (typeof child !== 'string' || /\S/.test(child)) {
      loose = { ...row, attributes: {}, children: [child] };
      cells.push(loose);
    }
  }
  return cells;
}

function isCell({ name }: XmlElement): boolean {
  return name === 'td' || name === 'th';
}

/** The lines of a text that are not empty, in one. */
export function oneLine(text: string, separator = ' '): string {
  if (!text.includes('\n')) return text.trim();
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(separator);
}

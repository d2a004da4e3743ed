// Doorstop's items in Markdown: YAML front matter, and a body whose first heading is the header and
// whose rest is the text.
import type { Report } from './doorstop-document.ts';
import { type ItemContent, normalText, readFields, readMap } from './doorstop-item.ts';
import { isScalar, type PyEntry } from './doorstop-python.ts';

interface Body {
  header: string;
  text: string;
}

/**
 * Reads an item in Markdown.
 *
 * @param text - with line ends as `\n`
 * @returns null where nothing can be made of it
 */
export function readMarkdownItem(text: string, report: Report): ItemContent | null {
  const start = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const from = /^-{3,}[^\S\n]*\n/.exec(trimmed)?.[0].length ?? 0;
  const closing = from === 0 ? null : closingMark(trimmed, from);
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  let fields = new Map<string, PyEntry>();
  let body = trimmed;
  let bodyAt = start;
  if (closing !== null) {
    const map = readMap(trimmed.slice(from, closing.start), lineAt(start + from) - 1, report);
    if (map === null) return null;
    fields = map.entries;
    const rest = trimmed.slice(closing.end);
    body = rest.trim();
    bodyAt = start + closing.end + (rest.length - rest.trimStart().length);
  } else if (from > 0 && /^[\w-]+:(?:\s|$)/.test(trimmed.slice(from).trimStart())) {
    const detail = 'The front matter is not closed: to Doorstop all of the file is text.';
    report('unclosed_front_matter', 'warning', lineAt(start), detail);
  }
  const line = lineAt(bodyAt);
  const parts = splitHeader(body);
  const entry = (value: string): PyEntry => ({
    line,
    value: { kind: 'str', line, text: value, source: value, plain: false },
  });
  const isTextLost = tellOverruled(fields, parts, report);
  if (parts.header !== '') fields.set('header', entry(parts.header));
  fields.set('text', entry(parts.text));
  return readFields(fields, report, isTextLost);
}

function closingMark(text: string, from: number): { start: number; end: number } | null {
  const boundary = /^-{3,}[^\S\n]*$/gm;
  boundary.lastIndex = from;
  const match = boundary.exec(text);
  return match === null ? null : { start: match.index, end: match.index + match[0].length };
}

function splitHeader(body: string): Body {
  const end = body.indexOf('\n');
  const first = end < 0 ? body : body.slice(0, end);
  const heading = /^#\s+(\S.*)$/.exec(first.trim());
  if (heading?.[1] === undefined) return { header: '', text: body };
  const rest = end < 0 ? '' : body.slice(end + 1);
  return { header: heading[1], text: rest.replace(/^(?:[^\S\n]*\n)+/, '') };
}

/**
 * Tells what the front matter says and the body overrules: the text always, even where the body has
 * none, and the header where the body has one.
 *
 * @returns whether the item has lost its text
 */
function tellOverruled(fields: ReadonlyMap<string, PyEntry>, body: Body, report: Report): boolean {
  const overruled = (name: keyof Body): PyEntry | undefined => {
    const entry = fields.get(name);
    return entry && saysMore(entry, body[name]) ? entry : undefined;
  };
  const header = body.header === '' ? undefined : overruled('header');
  if (header !== undefined) {
    const detail = '`header` is not kept: the header of the item is the heading of its body.';
    report('duplicate_field', 'warning', header.line, detail);
  }
  const text = overruled('text');
  if (text === undefined) return false;
  if (body.text === '') {
    const detail = 'The item has no text: its body is empty, and `text` is not kept.';
    report('missing_statement', 'warning', text.line, detail);
    return true;
  }
  const detail = '`text` is not kept: the text of the item is its body.';
  report('duplicate_field', 'warning', text.line, detail);
  return false;
}

function saysMore({ value }: PyEntry, kept: string): boolean {
  if (value.kind === 'none') return false;
  const text = isScalar(value) ? normalText(value.text).trim() : null;
  return text !== '' && text !== normalText(kept).trim();
}

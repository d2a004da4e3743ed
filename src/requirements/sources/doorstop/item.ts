// Doorstop's items: files of YAML, or of Markdown with YAML front matter, whose body's first heading
// is the header and whose rest is the text.
import type { FileReport } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { DEFAULT_LEVEL, type DoorstopLevel, parseLevel } from './level.ts';
import { isScalar, type PyEntry, type PyValue } from './python.ts';
import { type DoorstopUid, parseUid } from './uid.ts';
import { readYaml } from './yaml.ts';

/** What a stamp says: the hash it holds, that it was confirmed by hand, or that there is none. */
export type Stamp = string | true | null;

/** A link as an item declares it. */
export interface DoorstopLink {
  value: string;
  uid: DoorstopUid | null;
  stamp: Stamp;
  line: number;
}

/** A file that an item refers to. */
export interface DoorstopReference {
  type: string;
  path: string;
  keyword: PyValue | null;
  sha: PyValue | null;
  line: number;
}

/** What an item's file says. */
export interface ItemContent {
  text: string;
  header: string;
  level: DoorstopLevel;
  active: boolean;
  derived: boolean;
  normative: boolean;
  ref: string;
  references: DoorstopReference[];
  links: DoorstopLink[];
  reviewed: Stamp;
  /** All fields as they stand in the file. */
  fields: Map<string, PyEntry>;
}

/** An item that was read, by its file's name and path. */
export interface ReadItem {
  path: string;
  uid: DoorstopUid;
  content: ItemContent;
  report: FileReport;
}

/**
 * Reads an item in YAML.
 *
 * @param text - with line ends as `\n`
 * @throws SourceFault with the line, for what is no YAML or no value of its field
 */
export function readYamlItem(text: string, report: FileReport): ItemContent {
  return contentOf(readYaml(text, report).entries, report);
}

/** The same for an item in Markdown. */
export function readMarkdownItem(text: string, report: FileReport): ItemContent {
  const trimmed = text.trim();
  const start = text.length - text.trimStart().length;
  const from = /^-{3,}[^\S\n]*\n/.exec(trimmed)?.[0].length ?? 0;
  const closing = from === 0 ? null : closingMark(trimmed, from);
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  let fields = new Map<string, PyEntry>();
  let bodyAt = 0;
  if (closing !== null) {
    const matter = trimmed.slice(from, closing.start);
    fields = readYaml(matter, report, lineAt(start + from) - 1).entries;
    bodyAt = closing.end;
  }
  const body = trimmed.slice(bodyAt).trim();
  const rest = trimmed.slice(bodyAt);
  const line = lineAt(start + bodyAt + (rest.length - rest.trimStart().length));
  const { header, text: content } = splitHeader(body);
  if (header !== '') overrule('header', header);
  overrule('text', content);
  return contentOf(fields, report);

  /** The body says what header and text are, whatever the front matter says. */
  function overrule(name: string, value: string): void {
    const earlier = fields.get(name);
    fields.set(name, {
      line,
      value: { kind: 'str', line, text: value, source: value, plain: false },
    });
    if (earlier === undefined || earlier.value.kind === 'none') return;
    const said = isScalar(earlier.value) ? earlier.value.text : earlier.value.kind;
    if (said.trim() === '' || normalText(said).trim() === normalText(value).trim()) return;
    report.reportLosses([{ what: name, line: earlier.line, text: said.slice(0, 120), times: 1 }]);
  }
}

function closingMark(text: string, from: number): { start: number; end: number } | null {
  const boundary = /^-{3,}[^\S\n]*$/gm;
  boundary.lastIndex = from;
  const match = boundary.exec(text);
  return match === null ? null : { start: match.index, end: match.index + match[0].length };
}

function splitHeader(body: string): { header: string; text: string } {
  const end = body.indexOf('\n');
  const first = end < 0 ? body : body.slice(0, end);
  const heading = /^#\s+(\S.*)$/.exec(first.trim());
  if (heading?.[1] === undefined) return { header: '', text: body };
  const rest = end < 0 ? '' : body.slice(end + 1);
  return { header: heading[1], text: rest.replace(/^(?:[^\S\n]*\n)+/, '') };
}

function contentOf(fields: Map<string, PyEntry>, report: FileReport): ItemContent {
  return {
    text: normalText(textOf('text', fields)),
    header: normalText(textOf('header', fields)),
    level: levelOf(fields.get('level')),
    active: switchOf('active', fields, true),
    derived: switchOf('derived', fields, false),
    normative: switchOf('normative', fields, true),
    ref: textOf('ref', fields).trim(),
    references: referencesOf(fields.get('references')),
    links: linksOf(fields.get('links'), report),
    reviewed: stampOf(fields.get('reviewed')),
    fields,
  };
}

function textOf(name: string, fields: Map<string, PyEntry>): string {
  const entry = fields.get(name);
  if (entry === undefined || entry.value.kind === 'none') return '';
  const { value, line } = entry;
  if (!isScalar(value)) throw new SourceFault(line, `\`${name}\` is no text.`);
  return value.kind === 'str' ? value.text : value.source;
}

/** Without empty lines around it and without spaces at the ends of lines, as Doorstop hashes it. */
function normalText(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text[start] === '\n') start++;
  while (end > start && text[end - 1] === '\n') end--;
  return text
    .slice(start, end)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

function levelOf(entry: PyEntry | undefined): DoorstopLevel {
  if (entry === undefined) return DEFAULT_LEVEL;
  const { value, line } = entry;
  const written = value.kind === 'list' ? value.items.map(sourceOf).join('.') : sourceOf(value);
  const level = parseLevel(written);
  if (level === null) throw new SourceFault(line, '`level` is no sequence of numbers.');
  return level;
}

function sourceOf(value: PyValue): string {
  if (value.kind === 'list' || value.kind === 'map') return '?';
  return value.kind === 'none' ? '' : value.source;
}

/** The words that mean true to Doorstop, and those that mean false to people too. */
const TRUE = new Set(['yes', 'true', 'enabled', '1']);
const FALSE = new Set(['no', 'false', 'off', 'disabled', '0']);

function truthOf(value: PyValue): boolean | undefined {
  if (value.kind === 'none' || !isScalar(value)) return undefined;
  const word = value.text.toLowerCase().trim();
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : undefined;
}

function switchOf(name: string, fields: Map<string, PyEntry>, otherwise: boolean): boolean {
  const entry = fields.get(name);
  if (entry === undefined) return otherwise;
  const is = truthOf(entry.value);
  if (is === undefined) throw new SourceFault(entry.line, `\`${name}\` is no boolean.`);
  return is;
}

function stampOf(entry: PyEntry | undefined): Stamp {
  if (entry === undefined || entry.value.kind === 'none') return null;
  if (entry.value.kind === 'str') return stampOfText(entry.value.text);
  const is = truthOf(entry.value);
  if (is === undefined) throw new SourceFault(entry.line, 'A stamp is a text or a boolean.');
  return is || null;
}

function stampOfText(text: string): Stamp {
  if (TRUE.has(text.toLowerCase().trim())) return true;
  return text === '' ? null : text;
}

function referencesOf(entry: PyEntry | undefined): DoorstopReference[] {
  return itemsOf('references', entry).map((item) => {
    const path = item.kind === 'map' ? item.entries.get('path')?.value : undefined;
    const type = item.kind === 'map' ? item.entries.get('type')?.value : undefined;
    if (item.kind !== 'map' || path?.kind !== 'str' || type?.kind !== 'str')
      throw new SourceFault(item.line, 'A reference needs a `type` and a `path`.');
    return {
      type: type.text,
      path: path.text.trim(),
      keyword: item.entries.get('keyword')?.value ?? null,
      sha: item.entries.get('sha')?.value ?? null,
      line: item.line,
    };
  });
}

function itemsOf(name: string, entry: PyEntry | undefined): PyValue[] {
  if (entry === undefined || entry.value.kind === 'none') return [];
  if (entry.value.kind !== 'list') throw new SourceFault(entry.line, `\`${name}\` is no list.`);
  return entry.value.items;
}

function linksOf(entry: PyEntry | undefined, report: FileReport): DoorstopLink[] {
  const links = new Map<string, DoorstopLink>();
  for (const [at, item] of itemsOf('links', entry).entries()) {
    const link = linkOf(item);
    const text = `${link.value}${link.stamp === null ? '' : `: ${link.stamp}`}`.slice(0, 120);
    if (link.uid === null)
      report.report('invalid_link', link.line, `A link names no UID: ${JSON.stringify(text)}`);
    const key = link.uid?.key ?? `${at}`;
    const first = links.get(key);
    if (first === undefined) links.set(key, link);
    else if (link.stamp !== null && link.stamp !== first.stamp)
      report.reportLosses([{ what: 'links', line: link.line, text, times: 1 }]);
  }
  return [...links.values()];
}

function linkOf(item: PyValue): DoorstopLink {
  let value = '';
  let stamp: Stamp = null;
  if (item.kind === 'map') {
    const [first] = item.entries;
    if (item.entries.size > 1)
      throw new SourceFault(item.line, 'A link is to one UID, after a dash of its own.');
    value = first?.[0] ?? '';
    stamp = stampOf(first?.[1]);
  } else if (item.kind === 'str') {
    const colon = item.text.lastIndexOf(':');
    value = colon < 0 ? item.text : item.text.slice(0, colon);
    if (colon >= 0) stamp = stampOfText(item.text.slice(colon + 1));
  } else if (isScalar(item) && item.kind !== 'none') value = item.text;
  else if (item.kind === 'list') throw new SourceFault(item.line, 'A link is no list.');
  return { value: value.slice(0, 500), uid: parseUid(value), stamp, line: item.line };
}

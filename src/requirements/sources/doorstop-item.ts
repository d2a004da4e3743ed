// Doorstop's items: YAML files, or Markdown with YAML front matter whose first heading is the header.
import { truth } from './doorstop-attributes.ts';
import type { Report } from './doorstop-document.ts';
import { DEFAULT_LEVEL, type DoorstopLevel, parseLevel } from './doorstop-level.ts';
import type { PyEntry, PyMap, PyValue } from './doorstop-python.ts';
import { type DoorstopUid, parseUid } from './doorstop-uid.ts';
import { readYaml } from './doorstop-yaml.ts';

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

/**
 * Reads an item in YAML.
 *
 * @param text - with line ends as `\n`
 * @returns null where nothing can be made of it
 */
export function readYamlItem(text: string, report: Report): ItemContent | null {
  const map = readMap(text, 0, report);
  return map === null ? null : readFields(map.entries, report);
}

/** Reads an item in Markdown, in the same way. */
export function readMarkdownItem(text: string, report: Report): ItemContent | null {
  const start = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const from = /^-{3,}[^\S\n]*\n/.exec(trimmed)?.[0].length ?? 0;
  const closing = from === 0 ? null : closingMark(trimmed, from);
  let fields = new Map<string, PyEntry>();
  let body = trimmed;
  let bodyAt = start;
  if (closing !== null) {
    const linesBefore = text.slice(0, start + from).split('\n').length - 1;
    const map = readMap(trimmed.slice(from, closing.start), linesBefore, report);
    if (map === null) return null;
    fields = map.entries;
    const rest = trimmed.slice(closing.end);
    body = rest.trim();
    bodyAt = start + closing.end + (rest.length - rest.trimStart().length);
  }
  const line = text.slice(0, bodyAt).split('\n').length;
  const parts = splitHeader(body);
  const entry = (value: string): PyEntry => ({
    line,
    value: { kind: 'str', line, text: value, source: value, plain: false },
  });
  if (parts.header !== '') fields.set('header', entry(parts.header));
  fields.set('text', entry(parts.text));
  return readFields(fields, report);
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

function readMap(text: string, lineOffset: number, report: Report): PyMap | null {
  const { map, problems } = readYaml(text, lineOffset);
  for (const { code, line, detail } of problems) {
    report(code, code === 'unparsed_source' ? 'error' : 'warning', line, detail);
  }
  return map;
}

function readFields(fields: Map<string, PyEntry>, report: Report): ItemContent {
  const value = (name: string) => fields.get(name)?.value;
  const switched = (name: string, otherwise: boolean) => {
    const found = value(name);
    return found === undefined ? otherwise : truth(found);
  };
  return {
    text: normalText(textOf('text', fields, report)),
    header: normalText(textOf('header', fields, report)),
    level: levelOf(fields.get('level'), report),
    active: switched('active', true),
    derived: switched('derived', false),
    normative: switched('normative', true),
    ref: textOf('ref', fields, report).trim(),
    references: referencesOf(fields.get('references'), report),
    links: linksOf(fields.get('links'), report),
    reviewed: stampOf(value('reviewed')),
    fields,
  };
}

function textOf(name: string, fields: Map<string, PyEntry>, report: Report): string {
  const entry = fields.get(name);
  if (entry === undefined || entry.value.kind === 'none') return '';
  const { value, line } = entry;
  if (value.kind === 'str') return value.text;
  report('invalid_value', 'warning', line, `\`${name}\` is no text.`);
  return value.kind === 'list' || value.kind === 'map' ? '' : value.source;
}

/** Without empty lines around it and without spaces at the ends of lines, as Doorstop hashes it. */
export function normalText(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text[start] === '\n') start++;
  while (end > start && text[end - 1] === '\n') end--;
  return text
    .slice(start, end)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

function levelOf(entry: PyEntry | undefined, report: Report): DoorstopLevel {
  if (entry === undefined) return DEFAULT_LEVEL;
  const { value, line } = entry;
  let written = '';
  if (value.kind === 'list') written = value.items.map(scalarText).join('.');
  else if (value.kind !== 'none') written = scalarText(value);
  const level = parseLevel(written);
  if (level === null) {
    report('invalid_level', 'warning', line, `${written.slice(0, 80)} is no level.`);
    return DEFAULT_LEVEL;
  }
  if (value.kind === 'float' && /\.\d+0$/.test(written)) {
    const detail = `The level ${written} is a number to Doorstop (${value.text}): quote it.`;
    report('unquoted_level', 'info', line, detail);
  }
  return level;
}

function scalarText(value: PyValue): string {
  if (value.kind === 'list' || value.kind === 'map') return '?';
  return value.kind === 'none' ? '' : value.source;
}

function referencesOf(entry: PyEntry | undefined, report: Report): DoorstopReference[] {
  if (entry === undefined) return [];
  const items = entry.value.kind === 'list' ? entry.value.items : null;
  if (items === null) {
    report('invalid_value', 'warning', entry.line, '`references` is no list of files.');
    return [];
  }
  return items.flatMap((item) => {
    const path = item.kind === 'map' ? item.entries.get('path')?.value : undefined;
    const type = item.kind === 'map' ? item.entries.get('type')?.value : undefined;
    if (item.kind !== 'map' || path?.kind !== 'str' || type?.kind !== 'str') {
      report('invalid_value', 'warning', item.line, 'A reference needs a `type` and a `path`.');
      return [];
    }
    if (type.text !== 'file') {
      report('invalid_value', 'warning', item.line, 'A reference can be to a `file` only.');
    }
    return {
      type: type.text,
      path: path.text.trim(),
      keyword: item.entries.get('keyword')?.value ?? null,
      sha: item.entries.get('sha')?.value ?? null,
      line: item.line,
    };
  });
}

function linksOf(entry: PyEntry | undefined, report: Report): DoorstopLink[] {
  if (entry === undefined || entry.value.kind === 'none') return [];
  if (entry.value.kind !== 'list') {
    report('invalid_value', 'warning', entry.line, '`links` is no list.');
    return [];
  }
  const links = new Map<string, DoorstopLink>();
  for (const item of entry.value.items) {
    const link = linkOf(item);
    const key = link.uid?.key ?? `?${link.value.toLowerCase()}`;
    if (!links.has(key)) links.set(key, link);
    else report('duplicate_link', 'info', link.line, `The link to ${link.value} stands twice.`);
  }
  return [...links.values()];
}

function linkOf(item: PyValue): DoorstopLink {
  let value = '';
  let stamp: Stamp = null;
  if (item.kind === 'map') {
    const [first] = item.entries;
    if (first !== undefined) [value, stamp] = [first[0], stampOf(first[1].value)];
  } else if (item.kind === 'str') {
    const colon = item.text.lastIndexOf(':');
    value = colon < 0 ? item.text : item.text.slice(0, colon);
    if (colon >= 0) stamp = stampOfText(item.text.slice(colon + 1));
  } else if (item.kind !== 'none' && item.kind !== 'list') {
    value = item.text;
  }
  return { value: value.slice(0, 500), uid: parseUid(value), stamp, line: item.line };
}

function stampOf(value: PyValue | undefined): Stamp {
  if (value === undefined) return null;
  if (value.kind === 'str') return stampOfText(value.text);
  return truth(value) ? true : null;
}

function stampOfText(text: string): Stamp {
  if (['yes', 'true', 'enabled', '1'].includes(text.toLowerCase().trim())) return true;
  return text === '' ? null : text;
}

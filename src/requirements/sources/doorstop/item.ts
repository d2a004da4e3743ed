// Doorstop's items: files of YAML, or of Markdown with YAML front matter, whose body's first heading
// is the header and whose rest is the text.
import type { FileReport } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { DEFAULT_LEVEL, type DoorstopLevel, parseLevel } from './level.ts';
import { isScalar, type PyEntry, type PyValue, readYaml } from './python.ts';
import { type DoorstopUid, parseUid } from './uid.ts';

export type Stamp = string | true | null;

export interface DoorstopLink {
  uid: DoorstopUid;
  stamp: Stamp;
  line: number;
}

export interface DoorstopReference {
  type: string;
  path: string;
  keyword: PyValue | null;
  sha: PyValue | null;
}

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

export interface ReadItem {
  path: string;
  uid: DoorstopUid;
  content: ItemContent;
  report: FileReport;
}

/**
 * Reads an item in YAML.
 * @param text - with line ends as `\n`
 * @throws SourceFault with the line, for what is no YAML or no value of its field
 */
export function readYamlItem(text: string, report: FileReport): ItemContent {
  return contentOf(readYaml(text, report).entries, report);
}

const FRONT_MATTER = /\s*-{3,}[^\S\n]*\n([\s\S]*?)^-{3,}[^\S\n]*$/my;

export function readMarkdownItem(text: string, report: FileReport): ItemContent {
  FRONT_MATTER.lastIndex = 0;
  const [whole = '', matter = ''] = FRONT_MATTER.exec(text) ?? [];
  const linesOf = (part: string) => part.split('\n').length - 1;
  const offset = linesOf(whole) - linesOf(matter);
  const { entries: fields } = readYaml(matter, report, offset);
  const { header, text: body } = splitHeader(text.slice(whole.length).trim());
  const line = linesOf(whole) + 1;
  for (const [name, value] of Object.entries(
    header === '' ? { text: body } : { header, text: body },
  )) {
    const earlier = fields.get(name);
    if (earlier && earlier.value.kind !== 'none') {
      const lost = isScalar(earlier.value) ? earlier.value.text : earlier.value.kind;
      report.reportLosses([{ what: name, line: earlier.line, text: lost.slice(0, 120), times: 1 }]);
    }
    fields.set(name, { line, value: { kind: 'str', line, text: value, source: value } });
  }
  return contentOf(fields, report);
}

function splitHeader(body: string): { header: string; text: string } {
  const [first = '', ...rest] = body.split('\n');
  const heading = /^#\s+(\S.*)$/.exec(first.trim());
  if (heading?.[1] === undefined) return { header: '', text: body };
  return { header: heading[1], text: rest.join('\n').replace(/^(?:[^\S\n]*\n)+/, '') };
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
  const level = isScalar(value) ? parseLevel(value.kind === 'none' ? '' : value.source) : null;
  if (level === null) throw new SourceFault(line, '`level` is no sequence of numbers.');
  return level;
}

function switchOf(name: string, fields: Map<string, PyEntry>, otherwise: boolean): boolean {
  const entry = fields.get(name);
  if (entry === undefined) return otherwise;
  if (entry.value.kind !== 'bool') throw new SourceFault(entry.line, `\`${name}\` is no boolean.`);
  return entry.value.text === 'True';
}

function stampOf(entry: PyEntry | undefined): Stamp {
  if (entry === undefined || entry.value.kind === 'none') return null;
  if (entry.value.kind === 'bool') return entry.value.text === 'True' || null;
  if (entry.value.kind === 'str') return entry.value.text || null;
  throw new SourceFault(entry.line, 'A stamp is a text or a boolean.');
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
  for (const link of itemsOf('links', entry).map(linkOf)) {
    const { value, stamp, line } = link;
    const text = JSON.stringify(`${value}${stamp === null ? '' : `: ${stamp}`}`.slice(0, 120));
    const uid = parseUid(value);
    if (uid === null)
      report.report('invalid_link', line, `A link names no UID: ${text}`, { isLoss: true });
    else if (links.has(uid.key)) report.reportLosses([{ what: 'links', line, text, times: 1 }]);
    else links.set(uid.key, { uid, stamp, line });
  }
  return [...links.values()];
}

function linkOf(item: PyValue): { value: string; stamp: Stamp; line: number } {
  const { line } = item;
  if (isScalar(item)) {
    const text = item.kind === 'none' ? '' : item.text;
    const [, value = text, stamp = ''] = /^(.*):(.*)$/s.exec(text) ?? [];
    return { value, stamp: stamp || null, line };
  }
  const [link, second] = item.kind === 'map' ? item.entries : [];
  if (link === undefined || second !== undefined)
    throw new SourceFault(line, 'A link is to one UID, after a dash of its own.');
  return { value: link[0], stamp: stampOf(link[1]), line };
}

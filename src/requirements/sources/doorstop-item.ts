// Doorstop's items: what the fields of their files say, and the files that are YAML.
import { shownValue } from './doorstop-attributes.ts';
import type { Report } from './doorstop-document.ts';
import { DEFAULT_LEVEL, type DoorstopLevel, parseLevel } from './doorstop-level.ts';
import { isScalar, type PyEntry, type PyMap, type PyValue } from './doorstop-python.ts';
import { readStamp, readSwitch, type Stamp, stampOfText } from './doorstop-switches.ts';
import { type DoorstopUid, parseUid } from './doorstop-uid.ts';
import { readYaml } from './doorstop-yaml.ts';

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
  /** Whether it has no text because what stands for one is none, which is told where it is read. */
  isTextLost: boolean;
}

/**
 * Reads an item in YAML.
 *
 * @param text - with line ends as `\n`
 * @returns null where nothing can be made of it
 */
export function readYamlItem(text: string, report: Report): ItemContent | null {
  const map = readMap(text, 0, report);
  if (map === null) return null;
  const entry = map.entries.get('text');
  if (entry === undefined || isScalar(entry.value)) return readFields(map.entries, report);
  const detail = `The item has no text: its \`text\` is a ${entry.value.kind}.`;
  report('missing_statement', 'warning', entry.line, detail);
  return readFields(map.entries, report, true);
}

/** Reads the fields of an item; null where nothing can be made of them. */
export function readMap(text: string, lineOffset: number, report: Report): PyMap | null {
  const { map, problems } = readYaml(text, lineOffset);
  for (const { code, line, detail } of problems) {
    report(code, code === 'unparsed_source' ? 'error' : 'warning', line, detail);
  }
  return map;
}

/**
 * Makes an item of its fields.
 *
 * @param isTextLost - see `ItemContent`
 */
export function readFields(
  fields: Map<string, PyEntry>,
  report: Report,
  isTextLost = false,
): ItemContent {
  const switched = (name: string, otherwise: boolean) =>
    readSwitch(name, fields.get(name), otherwise, report);
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
    reviewed: readStamp('`reviewed`', fields.get('reviewed'), report),
    fields,
    isTextLost,
  };
}

function textOf(name: string, fields: Map<string, PyEntry>, report: Report): string {
  const entry = fields.get(name);
  if (entry === undefined || entry.value.kind === 'none') return '';
  const { value, line } = entry;
  if (value.kind === 'str') return value.text;
  const isTold = name === 'text' && !isScalar(value);
  if (!isTold) report('invalid_value', 'warning', line, `\`${name}\` is no text.`);
  return isScalar(value) ? value.source : '';
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
    const detail = `${shownValue(value)} is no level: the item is taken to have none, which means ${DEFAULT_LEVEL.text}.`;
    report('invalid_level', 'warning', line, detail);
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
    const detail = `\`links\` is no list: ${shownValue(entry.value)} is not kept.`;
    report('invalid_value', 'warning', entry.line, detail);
    return [];
  }
  const links = new Map<string, DoorstopLink>();
  for (const [at, item] of entry.value.items.entries()) {
    const link = linkOf(item, report);
    // Entries that name nothing are not one link.
    const unlike = link.value === '' ? `#${at}` : `?${link.value.toLowerCase()}`;
    const key = link.uid?.key ?? unlike;
    const first = links.get(key);
    if (first !== undefined) {
      const isLost = link.stamp !== null && link.stamp !== first.stamp;
      const stamp = isLost ? `, and the stamp ${String(link.stamp).slice(0, 80)} is not kept` : '';
      const detail = `The link to ${link.value.slice(0, 80)} stands twice: the first holds${stamp}.`;
      report('duplicate_link', 'info', link.line, detail);
      continue;
    }
    links.set(key, link);
    if (link.uid === null) {
      const what =
        link.value === ''
          ? `The link ${shownValue(item)}`
          : `The link to ${JSON.stringify(link.value.slice(0, 80))}`;
      report('invalid_id', 'error', link.line, `${what} names no UID: it is not kept.`);
    }
  }
  return [...links.values()];
}

function linkOf(item: PyValue, report: Report): DoorstopLink {
  let value = '';
  let stamp: Stamp = null;
  if (item.kind === 'map') {
    const [first, ...others] = item.entries;
    if (first !== undefined) {
      value = first[0];
      stamp = readStamp(`The stamp of the link to ${value.slice(0, 80)}`, first[1], report);
    }
    for (const [name, { line }] of others) {
      const detail = `\`${name.slice(0, 80)}\` is not kept: a link is to one UID, after a dash of its own.`;
      report('invalid_value', 'warning', line, detail);
    }
  } else if (item.kind === 'str') {
    const colon = item.text.lastIndexOf(':');
    value = colon < 0 ? item.text : item.text.slice(0, colon);
    if (colon >= 0) stamp = stampOfText(item.text.slice(colon + 1));
  } else if (item.kind !== 'none' && item.kind !== 'list') {
    value = item.text;
  }
  return { value: value.slice(0, 500), uid: parseUid(value), stamp, line: item.line };
}

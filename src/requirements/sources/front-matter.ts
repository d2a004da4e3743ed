// YAML front matter: the map between `---` lines at the start of a Markdown file.
import {
  type Alias,
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import { syntaxOf } from './front-matter-syntax.ts';
import { isCoreTag, keepAsWritten } from './front-matter-values.ts';
import type { AttributeValue } from './model.ts';
import type { FileNotes } from './source-result.ts';

export interface FrontMatter {
  values: Record<string, unknown>;
  /** The line in the file of each of its keys. */
  keyLines: ReadonlyMap<string, number>;
  /** The line of what is in a map or a list, by its keys and places: `defaults.tags.0`. */
  partLines: ReadonlyMap<string, number>;
  /** How many lines it takes, its own marks included; 0 where there is none. */
  lines: number;
}

const MOST_LINES = 1000;
const MOST_CHARACTERS = 64 * 1024;
const NONE: FrontMatter = { values: {}, keyLines: new Map(), partLines: new Map(), lines: 0 };

/**
 * Reads the front matter. Where it is wrong, a finding says so and its lines are left out; what is
 * text between two rules stays text.
 */
export function readFrontMatter(lines: readonly string[], notes: FileNotes): FrontMatter {
  if (lines[0]?.trimEnd() !== '---') return NONE;
  const end = lines
    .slice(0, MOST_LINES)
    .findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end < 0) return NONE;
  const text = lines.slice(1, end).join('\n');
  const empty = { ...NONE, lines: end + 1 };
  const wrong = (line: number, why: string): FrontMatter => {
    if (isApart(text) || hasHeading(text)) return noneOf(why);
    notes.lose('invalid_front_matter', line, `The front matter is left out: ${why}.`);
    return empty;
  };
  const noneOf = (why: string): FrontMatter => {
    const detail = `What stands between the first rules is no front matter, and is read as text: ${why}.`;
    notes.note('invalid_front_matter', 1, detail);
    return NONE;
  };
  if (text.trim() === '') return empty;
  if (isApart(text) && hasHeading(text)) return noneOf('it has a heading');
  if (text.length > MOST_CHARACTERS) return wrong(1, 'it is too long');
  try {
    const { tags, fault: unread } = syntaxOf(text);
    if (unread) return wrong(text.slice(0, unread.offset).split('\n').length + 1, unread.why);
    const lineCounter = new LineCounter();
    const document = parseDocument(text, {
      ...{ lineCounter, prettyErrors: false, logLevel: 'silent', stringKeys: true },
    });
    const fault = document.errors[0];
    const lineAt = (offset: number) => lineCounter.linePos(offset).line + 1;
    if (fault) {
      const isKey = fault.code === 'NON_STRING_KEY';
      return wrong(lineAt(fault.pos[0]), isKey ? 'a key of it is no plain text' : fault.message);
    }
    const { contents } = document;
    if (!isMap(contents)) return noneOf('it is not a map');
    if (!isCoreTag(contents.tag)) return wrong(lineAt(tags[0] ?? 0), 'it has a tag of its own');
    const lineOf = (node: unknown) => lineAt((isNode(node) ? node.range?.[0] : null) ?? 0);
    const alias = unknownAlias(document);
    if (alias) return wrong(lineOf(alias), `there is no anchor for *${alias.source}`);
    const keyLines = new Map<string, number>();
    const partLines = new Map<string, number>();
    for (const { key, value } of contents.items) {
      if (!isScalar(key)) continue;
      keyLines.set(String(key.value), lineOf(key));
      placeParts(value, String(key.value), lineOf, partLines);
    }
    for (const { key, offset, text: written } of keepAsWritten(document, text, tags)) {
      const said = written.replace(/\s+/g, ' ').slice(0, 200);
      const detail = `\`${key.slice(0, 200)}\` of the front matter has a tag that is not known, and is kept as the text that is written: ${said}`;
      notes.note('invalid_field', lineAt(offset), detail);
    }
    const values: Record<string, unknown> = document.toJS({ maxAliasCount: 50 });
    return { values, keyLines, partLines, lines: end + 1 };
  } catch (cause) {
    return wrong(1, cause instanceof Error ? cause.message : 'it cannot be read');
  }
}

/** Whether something begins with an empty line, as front matter does not. */
function isApart(text: string): boolean {
  return /^[ \t]*\n/.test(text);
}

/** Whether there is a line in something that is a heading in Markdown, and a comment in YAML. */
function hasHeading(text: string): boolean {
  return /^ {0,3}#{1,6}[ \t]+\S/m.test(text);
}

/** The first alias of a document that stands for nothing before it. */
function unknownAlias(document: Document.Parsed): Alias | null {
  const anchors = new Set<string>();
  let unknown: Alias | null = null;
  visit(document, {
    Value(_key, { anchor }) {
      if (anchor !== undefined) anchors.add(anchor);
    },
    Alias(_key, alias) {
      if (anchors.has(alias.source)) return;
      unknown = alias;
      return visit.BREAK;
    },
  });
  return unknown;
}

/** Notes the lines of what is in a map or a list, two levels deep. */
function placeParts(
  node: unknown,
  path: string,
  lineOf: (node: unknown) => number,
  lines: Map<string, number>,
  level = 0,
): void {
  const parts: [unknown, unknown, unknown][] = isMap(node)
    ? node.items.map(({ key, value }) => [isScalar(key) ? key.value : null, key, value])
    : isSeq(node)
      ? node.items.map((item, at) => [at, item, item])
      : [];
  for (const [name, place, value] of parts) {
    const own = `${path}.${name}`;
    lines.set(own, lineOf(place));
    if (level < 1) placeParts(value, own, lineOf, lines, level + 1);
  }
}

/** A plain value as text; null for a list, a map and nothing. */
export function textValue(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Tags: a list, or a text with commas, as in `[a, b]` or with a `#` before each. */
export function wordsValue(value: unknown): string[] {
  const parts = Array.isArray(value) ? value : tagsIn(textValue(value) ?? '');
  return [...new Set(parts.flatMap((part) => textValue(part)?.replace(/^#/, '') ?? []))];
}

/** A list in brackets, with nothing in these that has brackets itself. */
const IN_BRACKETS = /^\[([^[\]]*)\]$/;
const HASHTAGS = /^#\S+(?:\s+#\S+)+$/;
const QUOTED = /^(["'])(.*)\1$/;

function tagsIn(text: string): string[] {
  const list = IN_BRACKETS.exec(text)?.[1];
  const parts = (list ?? text).split(',').map((part) => part.trim());
  const words = list === undefined ? parts : parts.map((part) => part.replace(QUOTED, '$2'));
  return words.flatMap((part) => (HASHTAGS.test(part) ? part.split(/\s+/) : [part]));
}

/** Any value as an attribute: a map as its JSON text, a date as ISO 8601. */
export function attributeValue(value: unknown, level = 0): AttributeValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value) && level < 16) return value.map((one) => attributeValue(one, level + 1));
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

// YAML front matter: the map between `---` lines at the start of a Markdown file.
import { type Lines, lossesOf, type Part } from './account.ts';
import type { AttributeValue } from './model.ts';
import type { FileReport } from './report.ts';
import { SourceFault } from './tree/fault.ts';
import { attributeOf as attributeOfPart } from './tree/value.ts';
import { parseYaml } from './tree/yaml.ts';

const MAX_LINES = 1000;
const MAX_CHARACTERS = 64 * 1024;

export interface FrontMatter {
  /** The map; its parts are untaken. */
  top: Part;
  /** How many lines it takes, its marks included; 0 where there is none. */
  lines: number;
}

/**
 * Reads the front matter and takes its lines. What is no map, or begins with an empty line, is text.
 * @throws SourceFault for what is no YAML
 */
export function readFrontMatter(lines: Lines): FrontMatter {
  const none = { top: { name: '', kind: 'map', line: 1, text: '', parts: [] } as Part, lines: 0 };
  if (lines.all[0]?.trimEnd() !== '---' || lines.all[1]?.trim() === '') return none;
  const end = lines.all
    .slice(0, MAX_LINES)
    .findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end < 0) return none;
  const text = lines.all.slice(1, end).join('\n');
  if (text.length > MAX_CHARACTERS)
    throw new SourceFault(1, `The front matter is longer than ${MAX_CHARACTERS} characters.`);
  const top = parseYaml(text, { lineOffset: 1 });
  if (top.kind !== 'map') return none;
  lines.take(1, end + 1);
  return { top, lines: end + 1 };
}

export function reportFrontMatter({ top }: FrontMatter, report: FileReport): void {
  report.reportLosses(lossesOf({ ...top, name: 'front matter' }).values());
}

/** A plain value as text; null for a list, a map and nothing. */
export function textOfPart(part: Part | undefined): string | null {
  if (part === undefined || part.parts.length > 0 || part.kind === 'null') return null;
  return part.text.trim() === '' ? null : part.text.trim();
}

/** A value as an attribute, taken whole; a number that is not written as numbers are, `1.10`, is text. */
export function attributeOf(part: Part): AttributeValue {
  return attributeOfPart(part, (text) => (String(Number(text)) === text ? Number(text) : text));
}

const LIST = /^\[([^[\]]*)\]$/;

/** Tags: a list, or a text with commas, as in `[a, b]`, or with a `#` before each. */
export function wordsOf(text: string): string[] {
  const parts = (LIST.exec(text)?.[1] ?? text).split(',').map((part) => part.trim());
  return parts
    .flatMap((part) => (/^#\S+(?:\s+#\S+)+$/.test(part) ? part.split(/\s+/) : [part]))
    .map((part) => part.replace(/^(["'])(.*)\1$/, '$2').replace(/^#/, ''))
    .filter((part) => part !== '');
}

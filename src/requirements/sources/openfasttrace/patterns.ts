// The words of OpenFastTrace in Markdown: ids such as `req~login~1`, the lines that begin an item, and
// the regions and code in which none of it counts.

const ID = '([A-Za-z]+)~([\\p{L}][\\p{L}\\p{N}_-]*(?:\\.[\\p{L}\\p{N}_-]+)*)~([0-9]+)';
const OLD_ID = '([A-Za-z]+):([\\p{L}][\\p{L}\\p{N}_.-]*),\\s*v([0-9]+)';

const AT_START = new RegExp(`^\`?(?:${ID}|${OLD_ID})\`?(?![\\w~-])`, 'u');
const ANYWHERE = new RegExp(`(?<![\\w~-])(?:${ID}|${OLD_ID})(?![\\w~-])`, 'u');
const FORWARD = new RegExp(
  `(?<![\\w~-])([A-Za-z]+)\\s*-->\\s*([A-Za-z]+(?:\\s*,\\s*[A-Za-z]+)*)\\s*:\\s*${ID}(?![\\w~-])`,
  'u',
);

/** The parts of an id: kind of artifact, name, revision. */
export interface ItemId {
  type: string;
  name: string;
  /** Digits without zeros before them: a number holds too few. */
  revision: string;
}

/** The id as it is written today. */
export function idText({ type, name, revision }: ItemId): string {
  return `${type}~${name}~${revision}`;
}

function plainDigits(digits: string): string {
  return digits.replace(/^0+(?=[0-9])/, '');
}

/** An id in a text, and what the text says beside it. */
export interface FoundId {
  id: ItemId;
  /** Empty where there is nothing but marks. */
  rest: string;
}

function foundId(text: string, pattern: RegExp): FoundId | null {
  const match = /[~:]/.test(text) ? pattern.exec(text) : null;
  if (!match) return null;
  const [, type = match[4], name = match[5], revision = match[6]] = match;
  if (!type || !name || !revision) return null;
  return { id: { type, name, revision: plainDigits(revision) }, rest: around(text, match) };
}

/** What stands around a match; empty where it is marks of code, lists and links alone. */
function around(text: string, { 0: { length }, index }: RegExpExecArray): string {
  return words(`${text.slice(0, index).trim()} ${text.slice(index + length).trim()}`);
}

/** A text without white space around it; empty where it is marks alone. */
export function words(text: string): string {
  return /[\p{L}\p{N}]/u.test(text) ? text.trim() : '';
}

/** The id that a line begins with, in backticks or not, of today's or the older form. */
export function idAtStart(line: string): FoundId | null {
  return foundId(line, AT_START);
}

/** The first id in a text, with what is around it. */
export function findId(text: string): FoundId | null {
  return foundId(text, ANYWHERE);
}

/** An item that is passed on: `arch --> dsn : req~web-ui~1`. */
export interface Forward {
  type: string;
  needs: string[];
  original: ItemId;
  /** What else the line says; empty where there is nothing but marks. */
  rest: string;
}

/** The first forward on a line, wherever it stands. */
export function forwardOn(line: string): Forward | null {
  const match = line.includes('-->') ? FORWARD.exec(line) : null;
  const [, type, needs, kind, name, revision] = match ?? [];
  if (!match || !type || !needs || !kind || !name || !revision) return null;
  const original = { type: kind, name, revision: plainDigits(revision) };
  const rest = around(line, match);
  return { type, needs: needs.split(',').map((need) => need.trim()), original, rest };
}

/** A heading with `#`, or one that the next line underlines. */
export function headingOn(
  line: string,
  next: string | undefined,
): { title: string; depth: number } | null {
  const marks = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line);
  if (marks) {
    const title = line.slice(marks[0].length).trim();
    return {
      title: title.endsWith('#') ? title.replace(/(?:^| )#+$/, '').trim() : title,
      depth: marks[1]?.length ?? 1,
    };
  }
  const underline = /^ {0,3}(=+|-{2,})\s*$/.exec(next ?? '')?.[1];
  if (underline === undefined || !/^ {0,3}[^\s>|*+#-]/.test(line)) return null;
  return { title: line.trim(), depth: underline.startsWith('=') ? 1 : 2 };
}

/**
 * Whether a line counts, is code and therefore only text, is left out by `oft:off`, or has the mark
 * that begins or ends what is left out.
 */
export type LineUse = 'counts' | 'text' | 'off' | 'turns off' | 'turns on';

const REGION = /\boft:(on|off)\b/;

/** The mark of a region on a line; in backticks it is spoken of. */
function regionMark(line: string): string | undefined {
  return line.includes('oft:') ? REGION.exec(line.replace(/`[^`]*`/g, ''))?.[1] : undefined;
}

/** Follows a text from its first line: gives the use of each line in turn. */
export function lineUses(): (line: string) => LineUse {
  let fence: string | null = null;
  let off = false;
  return (line) => {
    const run = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    const mark = run?.[1] ?? '';
    if (fence !== null) {
      if (mark.startsWith(fence) && (run?.[2] ?? '').trim() === '') fence = null;
      return off ? 'off' : 'text';
    }
    if (run && !(mark.startsWith('`') && run[2]?.includes('`'))) {
      fence = mark;
      return off ? 'off' : 'text';
    }
    const region = regionMark(line);
    if (region === undefined) return off ? 'off' : 'counts';
    off = region === 'off';
    return off ? 'turns off' : 'turns on';
  };
}

/** What stands beside the mark of a region on its line; empty where there is nothing but marks. */
export function besideRegionMark(line: string): string {
  return words(line.replace(REGION, ' ').replace(/<!--|-->/g, ' '));
}

/** Whether a Markdown text has an item of OpenFastTrace outside code. */
export function hasSpecificationItem(text: string): boolean {
  if (!/~[0-9]|,\s*v[0-9]/.test(text)) return false;
  const useOf = lineUses();
  return text
    .split(/\r\n|\n|\r/)
    .some(
      (line) =>
        useOf(line) === 'counts' && (idAtStart(line) !== null || forwardOn(line)?.rest === ''),
    );
}

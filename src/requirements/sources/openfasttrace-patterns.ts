// The words of OpenFastTrace in Markdown: ids such as `req~login~1`, the lines that begin an item and
// those that name its fields, and the regions and code in which none of it counts.

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

function idOf(match: RegExpExecArray | null): ItemId | null {
  if (!match) return null;
  const [, type = match[4], name = match[5], revision = match[6]] = match;
  return type && name && revision ? { type, name, revision: plainDigits(revision) } : null;
}

/** An id in a text, and what the text says beside it. */
export interface FoundId {
  id: ItemId;
  /** Empty where there is nothing but marks. */
  rest: string;
}

function foundId(text: string, pattern: RegExp): FoundId | null {
  const match = /[~:]/.test(text) ? pattern.exec(text) : null;
  const id = idOf(match);
  return match && id ? { id, rest: around(text, match) } : null;
}

/** What stands around a match; empty where it is marks of code, lists and links alone. */
function around(text: string, { 0: { length }, index }: RegExpExecArray): string {
  const rest = [text.slice(0, index), text.slice(index + length)].map((part) => part.trim());
  return rest.some((part) => /[\p{L}\p{N}]/u.test(part)) ? rest.join(' ').trim() : '';
}

/** The id that a line begins with, in backticks or not, of today's or the older form. */
export function idAtStart(line: string): FoundId | null {
  return foundId(line, AT_START);
}

/** The first id in a text, with what is around it. */
export function findId(text: string): FoundId | null {
  return foundId(text, ANYWHERE);
}

/** The first id in a text. */
export function idWithin(text: string): ItemId | null {
  return findId(text)?.id ?? null;
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

/**
 * Whether a line counts, is code and therefore only text, is left out by `oft:off`, or has the mark
 * that begins or ends what is left out.
 */
export type LineUse = 'counts' | 'text' | 'off' | 'turns off' | 'turns on';

const REGION = /\boft:(on|off)\b/;

/** Tells line by line what each is. */
export interface LineUses {
  of(line: string): LineUse;
  /** The line, from 0 for the first, of the mark of code that is open; null where none is. */
  openCode(): number | null;
}

/** Follows a text from its first line. */
export function lineUses(): LineUses {
  let fence: string | null = null;
  let off = false;
  let taken = 0;
  let fenceFrom = 0;
  const of = (line: string): LineUse => {
    taken++;
    const run = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    const mark = run?.[1] ?? '';
    if (fence !== null) {
      if (mark.startsWith(fence) && (run?.[2] ?? '').trim() === '') fence = null;
      return off ? 'off' : 'text';
    }
    if (run && !(mark.startsWith('`') && run[2]?.includes('`'))) {
      fence = mark;
      fenceFrom = taken - 1;
      return off ? 'off' : 'text';
    }
    const region = REGION.exec(line)?.[1];
    if (region === undefined) return off ? 'off' : 'counts';
    off = region === 'off';
    return off ? 'turns off' : 'turns on';
  };
  return { of, openCode: () => (fence === null ? null : fenceFrom) };
}

/** What stands beside the mark of a region on its line; empty where there is nothing but marks. */
export function besideRegionMark(line: string): string {
  const rest = line
    .replace(REGION, ' ')
    .replace(/<!--|-->/g, ' ')
    .trim();
  return /[\p{L}\p{N}]/u.test(rest) ? rest : '';
}

/** Whether a Markdown text has an item of OpenFastTrace outside code. */
export function hasSpecificationItem(text: string): boolean {
  if (!/~[0-9]|,\s*v[0-9]/.test(text)) return false;
  const uses = lineUses();
  return text
    .split(/\r\n|\n|\r/)
    .some(
      (line) =>
        uses.of(line) === 'counts' && (idAtStart(line) !== null || forwardOn(line)?.rest === ''),
    );
}

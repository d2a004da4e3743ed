// The words of OpenFastTrace in Markdown: ids such as `req~login~1`, the lines that begin an item, and
// the regions and code in which none of it counts.

const ID = '([A-Za-z]+)~([\\p{L}][\\p{L}\\p{N}_-]*(?:\\.[\\p{L}\\p{N}_-]+)*)~([0-9]+)';
const OLD_ID = '([A-Za-z]+):([\\p{L}][\\p{L}\\p{N}_.-]*),\\s*v([0-9]+)';

const AT_START = new RegExp(`^\`?(?:${ID}|${OLD_ID})\`?(?![\\w~-])`, 'u');
const ANYWHERE = new RegExp(`(?<![\\w~-])(?:${ID}|${OLD_ID})(?![\\w~-])`, 'u');
const FORWARD = new RegExp(
  `^[\\s*+\`-]*([A-Za-z]+)\\s*-->\\s*([A-Za-z]+(?:\\s*,\\s*[A-Za-z]+)*)\\s*:\\s*${ID}[\`\\s]*$`,
  'u',
);

export interface ItemId {
  type: string;
  name: string;
  /** Digits without zeros before them: a number holds too few. */
  revision: string;
}

export function idText({ type, name, revision }: ItemId): string {
  return `${type}~${name}~${revision}`;
}

function plainDigits(digits: string): string {
  return digits.replace(/^0+(?=[0-9])/, '');
}

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
  const { 0: whole, index } = match;
  const rest = words(`${text.slice(0, index).trim()} ${text.slice(index + whole.length).trim()}`);
  return { id: { type, name, revision: plainDigits(revision) }, rest };
}

export function words(text: string): string {
  return /[\p{L}\p{N}]/u.test(text) ? text.trim() : '';
}

/** The id that a line begins with, in backticks or not, of today's or the older form. */
export function idAtStart(line: string): FoundId | null {
  return foundId(line, AT_START);
}

export function findId(text: string): FoundId | null {
  return foundId(text, ANYWHERE);
}

export interface Forward {
  type: string;
  needs: string[];
  original: ItemId;
}

export function forwardOn(line: string): Forward | null {
  const match = line.includes('-->') ? FORWARD.exec(line) : null;
  const [, type, needs, kind, name, revision] = match ?? [];
  if (!type || !needs || !kind || !name || !revision) return null;
  const original = { type: kind, name, revision: plainDigits(revision) };
  return { type, needs: needs.split(',').map((need) => need.trim()), original };
}

export function headingOn(
  line: string,
  next: string | undefined,
): { title: string; depth: number } | null {
  const marks = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line);
  if (marks) {
    const title = line
      .slice(marks[0].length)
      .trim()
      .replace(/(?:^| )#+$/, '')
      .trim();
    return { title, depth: marks[1]?.length ?? 1 };
  }
  const underline = /^ {0,3}(=+|-{2,})\s*$/.exec(next ?? '')?.[1];
  if (underline === undefined || !/^ {0,3}[^\s>|*+#-]/.test(line)) return null;
  return { title: line.trim(), depth: underline.startsWith('=') ? 1 : 2 };
}

/**
 * Follows a text from its first line: gives whether each line in turn counts, is code and therefore
 * only text, or is left out, as a line with `oft:off` is.
 */
export function lineUses(): (line: string) => 'counts' | 'text' | 'off' {
  let fence: string | null = null;
  let off = false;
  return (line) => {
    const [, mark = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence !== null) {
      if (mark.startsWith(fence) && rest.trim() === '') fence = null;
      return off ? 'off' : 'text';
    }
    if (mark !== '' && !(mark.startsWith('`') && rest.includes('`'))) {
      fence = mark;
      return off ? 'off' : 'text';
    }
    // A mark in backticks is spoken of.
    const region = line.includes('oft:') && /\boft:(on|off)\b/.exec(line.replace(/`[^`]*`/g, ''));
    if (region) off = region[1] === 'off';
    return off || region ? 'off' : 'counts';
  };
}

/** Whether a Markdown text has an item of OpenFastTrace outside code. */
export function hasSpecificationItem(text: string): boolean {
  if (!/~[0-9]|,\s*v[0-9]/.test(text)) return false;
  const useOf = lineUses();
  return text
    .split(/\r\n|\n|\r/)
    .some((line) => useOf(line) === 'counts' && (idAtStart(line) ?? forwardOn(line)) !== null);
}

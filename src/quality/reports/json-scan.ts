// Finds how far a JSON text (RFC 8259) is good, so that what stands before the fault can be read.

export interface JsonScan {
  /** Up to where the text is good, closed so that it parses; undefined where nothing is. */
  salvaged: string | undefined;
  /** The text ends too early; otherwise something in it is no JSON. */
  cut: boolean;
  /** Where the fault is, from 1. */
  line: number;
  /** Keys and indexes from the root to what was not complete: it holds only a part of itself. */
  open: (string | number)[];
}

const DEPTH = 1000;
const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[\s,\]}])/y;

interface Level {
  /** `]` or `}`. */
  closer: string;
  key: string;
  /** Members that are complete. */
  count: number;
}

/**
 * Scans a text that does not parse.
 *
 * @returns what is good of it: the members of open objects and lists that were complete
 */
export function scanJson(text: string): JsonScan {
  const levels: Level[] = [];
  /** Up to where the text is good, and the levels that are open there. */
  let good = -1;
  let at = 0;

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  /** Reads a string; undefined where none stands here, or it has no end or is no JSON. */
  const string = (): string | undefined => {
    const end = text[at] === '"' ? endOfString(text, at) : -1;
    if (end === -1) return undefined;
    try {
      const read = JSON.parse(text.slice(at, end)) as string;
      at = end;
      return read;
    } catch {
      return undefined;
    }
  };
  const complete = (level: Level) => {
    level.count += 1;
    good = at;
  };

  /** Reads a value or opens one; false where neither stands here. */
  const value = (): boolean => {
    match(SPACE);
    const next = text[at];
    if (next === '{' || next === '[') {
      if (levels.length >= DEPTH) return false;
      levels.push({ closer: next === '{' ? '}' : ']', key: '', count: 0 });
      at += 1;
      good = at;
      return true;
    }
    if (string() === undefined && match(SCALAR) === undefined) return false;
    const level = levels.at(-1);
    if (level !== undefined) complete(level);
    return true;
  };

  /** Reads what may stand inside an open object or list; false at the fault. */
  const step = (level: Level): boolean => {
    match(SPACE);
    if (text[at] === level.closer) {
      at += 1;
      levels.pop();
      const outer = levels.at(-1);
      if (outer === undefined) good = at;
      else complete(outer);
      return true;
    }
    if (level.count > 0) {
      if (text[at] !== ',') return false;
      at += 1;
      match(SPACE);
    }
    if (level.closer === ']') return value();
    const key = string();
    if (key === undefined) return false;
    level.key = key;
    match(SPACE);
    if (text[at] !== ':') return false;
    at += 1;
    return value();
  };

  if (value()) {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      if (!step(level)) break;
    }
  }
  const line = text.slice(0, at).split('\n').length;
  const closers = levels
    .map(({ closer }) => closer)
    .reverse()
    .join('');
  return {
    salvaged: good === -1 ? undefined : text.slice(0, good) + closers,
    cut: isCut(text.slice(at)),
    line,
    open: levels.slice(0, -1).map(({ closer, key, count }) => (closer === ']' ? count : key)),
  };
}

/** Behind the quotation mark that ends a string; -1 where there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return -1;
}

/** Whether what is left is the beginning of something rather than a fault. */
function isCut(rest: string): boolean {
  const start = rest.trimStart();
  if (start === '' || start.trimEnd() === ',') return true;
  if (start.startsWith('"')) return endOfString(start, 0) === -1;
  if (start.length > 100) return false;
  return /^(?:-?[\d.eE+-]*|t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?)$/.test(start);
}

// Where things stand in a JSON text (RFC 8259): JSON.parse gives the values, this gives their lines,
// their repeated keys, and the place of the first error. Nothing here recurses.

/** A member of an object or an element of an array, by its offsets in the text. */
export interface JsonMember {
  /** The key; the index as text in an array. */
  key: string;
  /** Where the member starts, its key included. */
  at: number;
  /** Where its value starts and ends. */
  start: number;
  end: number;
  /** How many members the objects in its value have, repeated ones included. */
  inner: number;
}

const QUOTE = 34;
const BACKSLASH = 92;

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

function skipSpace(text: string, from: number): number {
  let i = from;
  while (i < text.length && isSpace(text.charCodeAt(i))) i++;
  return i;
}

/** The offset after a string that starts at `from`; the text's length where it does not end. */
export function stringEnd(text: string, from: number): number {
  let i = from + 1;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i + 1;
    i += code === BACKSLASH ? 2 : 1;
  }
  return text.length;
}

/** The offset after the value at `from`, how deep it nests, and the members of the objects in it. */
function skipValue(text: string, from: number): { end: number; depth: number; inner: number } {
  let open = 0;
  let depth = 0;
  let inner = 0;
  let i = from;
  while (i < text.length) {
    const char = text[i] ?? '';
    if (char === '"') {
      i = stringEnd(text, i);
    } else if (char === '{' || char === '[') {
      open++;
      depth = Math.max(depth, open);
      i++;
    } else if (char === '}' || char === ']') {
      if (open === 0) return { end: i, depth, inner };
      open--;
      i++;
    } else if (open === 0 && (char === ',' || isSpace(text.charCodeAt(i)))) {
      return { end: i, depth, inner };
    } else {
      if (char === ':') inner++;
      i++;
      continue;
    }
    if (open === 0) return { end: i, depth, inner };
  }
  return { end: text.length, depth, inner };
}

/** How many arrays and objects the value at an offset nests; 0 for a plain value. */
export function depthAt(text: string, from: number): number {
  return skipValue(text, skipSpace(text, from)).depth;
}

/**
 * The members of the object or the elements of the array at an offset, repeated keys included, in
 * their order; of a text that breaks off, those before. Nothing where another value stands.
 */
export function membersAt(text: string, from = 0): JsonMember[] {
  const members: JsonMember[] = [];
  let i = skipSpace(text, from);
  const opened = text[i];
  if (opened !== '{' && opened !== '[') return members;
  i = skipSpace(text, i + 1);
  while (i < text.length && text[i] !== '}' && text[i] !== ']') {
    const at = i;
    let key = String(members.length);
    if (opened === '{') {
      const end = stringEnd(text, i);
      key = unquoted(text.slice(i, end));
      i = skipSpace(text, end);
      if (text[i] !== ':') return members;
      i = skipSpace(text, i + 1);
    }
    const { end, inner } = skipValue(text, i);
    members.push({ key, at, start: i, end, inner });
    i = skipSpace(text, end);
    if (text[i] !== ',') return members;
    i = skipSpace(text, i + 1);
  }
  return members;
}

/** The members in the value at an offset, at any depth, whose key stands before in their object. */
export function repeatsAt(text: string, from: number): JsonMember[] {
  const repeats: JsonMember[] = [];
  const open = [from];
  for (let start = open.pop(); start !== undefined; start = open.pop()) {
    const seen = new Set<string>();
    for (const member of membersAt(text, start)) {
      if (seen.has(member.key)) repeats.push(member);
      seen.add(member.key);
      open.push(member.start);
    }
  }
  return repeats.sort((a, b) => a.at - b.at);
}

function unquoted(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

const SCALAR = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)/y;
const STRING_END = /^(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))$/;

/** The offset of the first error in a string, or where it ends. */
function checkString(text: string, from: number): { end: number; wrong: boolean } {
  let i = from + 1;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return { end: i + 1, wrong: false };
    if (code < 32) return { end: i, wrong: true };
    const length = code !== BACKSLASH ? 1 : text[i + 1] === 'u' ? 6 : 2;
    if (length > 1 && !STRING_END.test(text.slice(i, i + length))) return { end: i, wrong: true };
    i += length;
  }
  return { end: text.length, wrong: true };
}

/** The offset of the first error in a text that is not JSON; its length where it breaks off. */
export function faultOf(text: string): number {
  const closers: string[] = [];
  let expected: 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'next' = 'value';
  let i = skipSpace(text, 0);
  while (i < text.length) {
    const char = text[i] ?? '';
    const closer = closers.at(-1);
    if (expected === 'next') {
      if (closer === undefined) return i;
      if (char === closer) closers.pop();
      else if (char === ',') expected = closer === '}' ? 'key' : 'value';
      else return i;
      i++;
    } else if (expected === 'key' || expected === 'keyOrEnd') {
      if (expected === 'keyOrEnd' && char === '}') {
        closers.pop();
        expected = 'next';
        i++;
      } else {
        if (char !== '"') return i;
        const { end, wrong } = checkString(text, i);
        if (wrong) return end;
        i = skipSpace(text, end);
        if (text[i] !== ':') return i;
        i++;
        expected = 'value';
      }
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      expected = char === '{' ? 'keyOrEnd' : 'valueOrEnd';
      i++;
    } else if (expected === 'valueOrEnd' && char === ']') {
      closers.pop();
      expected = 'next';
      i++;
    } else if (char === '"') {
      const { end, wrong } = checkString(text, i);
      if (wrong) return end;
      i = end;
      expected = 'next';
    } else {
      SCALAR.lastIndex = i;
      const scalar = SCALAR.exec(text);
      if (scalar === null) return i;
      i += scalar[0].length;
      expected = 'next';
    }
    i = skipSpace(text, i);
  }
  return text.length;
}

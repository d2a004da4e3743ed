// The forms in which a secret turns up in reports and logs: as it is, line by line, as hex and within
// base64; and with any of its characters encoded as URLs, JSON, XML or HTML encode them. Which ones
// are differs from tool to tool, so that each of them may be.

/** Characters of the shortest that is masked: a shorter one would be found in half of all words. */
export const MIN_MASKED = 6;
const MIN_LINE = 8;

/** The texts of which none may be seen: a secret, and of one with several lines each long one. */
export function maskedTexts(secret: string): string[] {
  if (secret.length < MIN_MASKED) return [];
  // A newline at its end, as files have it, is rarely shown with it.
  const core = secret.trim();
  const lines = core.split(/\r\n|\r|\n/);
  const several =
    lines.length === 1
      ? []
      : [
          lines.join('\n'),
          lines.join('\r\n'),
          ...lines.map((line) => line.trim()).filter((line) => line.length >= MIN_LINE),
        ];
  return [...new Set([secret, core, ...several].filter(isMasked))];
}

const isMasked = (text: string) => text.length >= MIN_MASKED;

export function wholeForms(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  return [...new Set([text, hex, hex.toUpperCase(), ...base64Of(text)])];
}

/** What base64 (RFC 4648) of any text has in it that holds this one: that depends on where it begins. */
function base64Of(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    // The characters whose six bits are all of this text.
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6)];
    return (['base64', 'base64url'] as const)
      .map((encoding) => whole.toString(encoding).slice(from, to))
      .filter(isMasked);
  });
}

export interface Spelling {
  /** Length of the longest. */
  longest: number;
  /** The two characters with which each of them begins. */
  starts: string[];
  /** Where the one that begins at a place ends; undefined where none does. */
  endAt(text: string, at: number): number | undefined;
}

interface Character {
  codePoint: number;
  plain: string;
  /** Encoded, in lower case: read in any. */
  encoded: string[];
  /** The code with which it is plain, whatever follows; NaN where there is none. */
  sure: number;
}

const OTHERWISE: Record<string, string[]> = {
  ' ': ['+'],
  '\\': ['/', '\\\\'],
  '/': ['\\/'],
  '&': ['&amp;'],
  "'": ['&apos;'],
  '"': ['&quot;', '\\"'],
  '<': ['&lt;'],
  '>': ['&gt;'],
  '\n': ['\\n'],
  '\r': ['\\r'],
  '\t': ['\\t'],
  '\b': ['\\b'],
  '\f': ['\\f'],
};

const REFERENCE = /&#(?:x0{0,6}([0-9a-f]{1,6})|0{0,6}([0-9]{1,7}));/iy;
const REFERENCE_LENGTH = 17;

/**
 * Makes what finds a text, however its characters are encoded.
 * @param bytes - whether it is looked for in bytes of UTF-8, each as a character
 */
export function spellingOf(text: string, bytes: boolean): Spelling {
  const characters = [...text].map((one) => characterOf(one, bytes));
  return {
    longest: characters.reduce(
      (sum, { plain, encoded }) =>
        sum + Math.max(REFERENCE_LENGTH, plain.length, ...encoded.map((one) => one.length)),
      0,
    ),
    starts: startsOf(characters),
    endAt: (inText, at) => endAt(characters, inText, at),
  };
}

function characterOf(one: string, bytes: boolean): Character {
  const utf8 = Buffer.from(one);
  const plain = bytes ? utf8.toString('latin1') : one;
  const percent = utf8.toString('hex').replace(/../g, '%$&');
  const encoded = [percent, jsonUnits(one), ...(OTHERWISE[one] ?? [])];
  const isSure = plain.length === 1 && one !== '&' && encoded.every((form) => form[0] !== plain);
  return {
    codePoint: one.codePointAt(0) ?? 0,
    plain,
    encoded,
    sure: isSure ? plain.charCodeAt(0) : Number.NaN,
  };
}

/** Each of its units of UTF-16 (RFC 8259, 7), in lower case. */
function jsonUnits(one: string): string {
  return Array.from({ length: one.length }, (_, at) => {
    const unit = one.charCodeAt(at).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
}

function startsOf([first, second]: Character[]): string[] {
  if (!first || !second) return [];
  const next = ['&', second.plain.charAt(0), ...second.encoded.map((one) => one.charAt(0))];
  const starts = [first.plain, ...first.encoded].flatMap((one) =>
    one.length > 1
      ? [one.slice(0, 2), one.slice(0, 2).toUpperCase()]
      : next.map((other) => one + other),
  );
  return [...new Set(['&#', ...starts])];
}

function endAt(characters: Character[], text: string, start: number): number | undefined {
  // Where one that begins an encoding (`%25` is `%`) may also stand for itself: the last such place
  // is enough, as two ways of reading do not both last until the next.
  let other: { index: number; at: number } | undefined;
  let at = start;
  for (let index = 0; index < characters.length; index += 1) {
    const { plain, encoded, sure, codePoint } = characters[index] as Character;
    if (text.charCodeAt(at) === sure) {
      at += 1;
      continue;
    }
    const isPlain = text.startsWith(plain, at);
    const length =
      encoded.find((one) => isAt(one, text, at))?.length ?? referenceAt(text, at, codePoint);
    if (length > 0) {
      if (isPlain) other = { index, at: at + plain.length };
      at += length;
    } else if (isPlain) {
      at += plain.length;
    } else if (other) {
      ({ index, at } = other);
      other = undefined;
    } else {
      return undefined;
    }
  }
  return at;
}

function isAt(encoded: string, text: string, at: number): boolean {
  return (
    text.charCodeAt(at) === encoded.charCodeAt(0) &&
    text.slice(at, at + encoded.length).toLowerCase() === encoded
  );
}

function referenceAt(text: string, at: number, codePoint: number): number {
  if (text.charCodeAt(at) !== 0x26 || text.charCodeAt(at + 1) !== 0x23) return 0;
  REFERENCE.lastIndex = at;
  const [whole = '', hex, decimal] = REFERENCE.exec(text) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code === codePoint ? whole.length : 0;
}

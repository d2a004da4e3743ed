// A secret within a URL, XML or JSON. Which characters are encoded differs from tool to tool, and from
// one part of a URL to another, so that each of them may be: percent-encoded, as `\u0061`, or as a
// character reference of XML and HTML, in either case of the hex digits.

/** The spellings of one text in URLs. */
export interface UrlForm {
  /** Length of the longest. */
  longest: number;
  /** The two characters with which each of them begins. */
  starts: string[];
  /** Where the one that begins at a place ends; undefined where none does. */
  endAt(text: string, at: number): number | undefined;
}

/** How one character is written. */
interface Character {
  codePoint: number;
  /** As it is; undefined where no URL has it. */
  plain: string | undefined;
  /** Encoded, in lower case: read in any. */
  encoded: string[];
  /** The code with which it is plain, whatever follows; NaN where there is none. */
  sure: number;
}

/** What there is beside those of any character: what forms and browsers do, and XML and JSON. */
const OTHERWISE: Record<string, string[]> = {
  ' ': ['+'],
  '\\': ['/', '\\\\'],
  '/': ['\\/'],
  '&': ['&amp;'],
  "'": ['&apos;'],
  '"': ['&quot;', '\\"'],
  '<': ['&lt;'],
  '>': ['&gt;'],
};

/** A character reference (XML 1.0, 4.1), with as many zeros before it as anybody writes. */
const REFERENCE = /&#(?:x0{0,6}([0-9a-f]{1,6})|0{0,6}([0-9]{1,7}));/iy;
const REFERENCE_LENGTH = 17;

/**
 * Makes what finds a text in URLs.
 *
 * @param secret - at least two characters
 * @param bytes - whether it is looked for in bytes of UTF-8, each as a character
 */
export function urlForm(secret: string, bytes: boolean): UrlForm {
  const known = new Map<string, Character>();
  const characters = [...secret].map((one) => {
    const character = known.get(one) ?? spell(one, bytes);
    known.set(one, character);
    return character;
  });
  return {
    longest: characters.reduce(
      (sum, one) => sum + Math.max(REFERENCE_LENGTH, ...spellings(one).map(lengthOf)),
      0,
    ),
    starts: startsOf(characters),
    endAt: (text, at) => endAt(characters, text, at),
  };
}

function spell(one: string, bytes: boolean): Character {
  const utf8 = Buffer.from(one);
  const percent = utf8.toString('hex').replace(/../g, '%$&');
  const plain = bytes ? utf8.toString('latin1') : one;
  const encoded = [percent, inJson(one), ...(OTHERWISE[one] ?? [])];
  const isSure =
    plain.length === 1 && !' &'.includes(one) && encoded.every((form) => form[0] !== plain);
  return {
    ...{ plain: one === ' ' ? undefined : plain, encoded, codePoint: one.codePointAt(0) ?? 0 },
    sure: isSure ? plain.charCodeAt(0) : Number.NaN,
  };
}

/** Each of its units of UTF-16 (RFC 8259, 7), in lower case. */
function inJson(one: string): string {
  return Array.from({ length: one.length }, (_, at) => {
    const unit = one.charCodeAt(at).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
}

const lengthOf = (text: string) => text.length;

function spellings({ plain, encoded }: Character): string[] {
  return plain === undefined ? encoded : [plain, ...encoded];
}

function startsOf([first, second]: Character[]): string[] {
  if (!first || !second) return [];
  const next = ['&', ...spellings(second).map((one) => one.charAt(0))];
  const plain = first.plain ?? '';
  const starts = [
    '&#',
    ...(plain.length > 1 ? [plain.slice(0, 2)] : []),
    ...spellings(first).flatMap((one) => (one.length > 1 ? [] : next.map((other) => one + other))),
    ...first.encoded
      .filter((one) => one.length > 1)
      .flatMap((one) => [one.slice(0, 2), one.slice(0, 2).toUpperCase()]),
  ];
  return [...new Set(starts)];
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
    const isPlain = plain !== undefined && text.startsWith(plain, at);
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

/** How long the reference at a place is that stands for a character; 0 where none is. */
function referenceAt(text: string, at: number, codePoint: number): number {
  if (text.charCodeAt(at) !== 0x26 || text.charCodeAt(at + 1) !== 0x23) return 0;
  REFERENCE.lastIndex = at;
  const [whole = '', hex, decimal] = REFERENCE.exec(text) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code === codePoint ? whole.length : 0;
}

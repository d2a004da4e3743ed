// A secret within a URL. Which characters are percent-encoded differs from tool to tool, and from
// one part of a URL to another, so that each of them may be, in either case of the hex digits.

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
  /** As it is; undefined where no URL has it. */
  plain: string | undefined;
  /** Encoded, in lower case: read in any. */
  encoded: string[];
  /** The code with which it is plain, whatever follows; NaN where there is none. */
  sure: number;
}

/** What else there is than percent-encoding: what forms and browsers do, and XML and JSON around a URL. */
const OTHERWISE: Record<string, string[]> = {
  ' ': ['+'],
  '\\': ['/', '\\\\'],
  '/': ['\\/'],
  '&': ['&amp;', '&#38;', '&#x26;', '\\u0026'],
  "'": ['&apos;', '&#39;', '&#x27;', '\\u0027'],
};

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
    longest: characters.reduce((sum, one) => sum + Math.max(...spellings(one).map(lengthOf)), 0),
    starts: startsOf(characters),
    endAt: (text, at) => endAt(characters, text, at),
  };
}

function spell(one: string, bytes: boolean): Character {
  const utf8 = Buffer.from(one);
  const percent = utf8.toString('hex').replace(/../g, '%$&');
  const plain = bytes ? utf8.toString('latin1') : one;
  const encoded = [percent, ...(OTHERWISE[one] ?? [])];
  const isSure = plain.length === 1 && one !== ' ' && encoded.every((form) => form[0] !== plain);
  return {
    ...{ plain: one === ' ' ? undefined : plain, encoded },
    sure: isSure ? plain.charCodeAt(0) : Number.NaN,
  };
}

const lengthOf = (text: string) => text.length;

function spellings({ plain, encoded }: Character): string[] {
  return plain === undefined ? encoded : [plain, ...encoded];
}

function startsOf([first, second]: Character[]): string[] {
  if (!first || !second) return [];
  const next = spellings(second).map((one) => one.charAt(0));
  const plain = first.plain ?? '';
  const starts = [
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
    const { plain, encoded, sure } = characters[index] as Character;
    if (text.charCodeAt(at) === sure) {
      at += 1;
      continue;
    }
    const isPlain = plain !== undefined && text.startsWith(plain, at);
    const found = encoded.find((one) => isAt(one, text, at));
    if (found !== undefined) {
      if (isPlain) other = { index, at: at + plain.length };
      at += found.length;
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

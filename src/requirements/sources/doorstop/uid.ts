// UIDs of Doorstop items: how a string splits into prefix and number or name, and when two of them
// mean the same item (zero padding, separator and the prefix's case do not count).

export interface DoorstopUid {
  /** As written. */
  value: string;
  prefix: string;
  number: bigint;
  name: string;
  /** Equal for all spellings of the same item. */
  key: string;
}

const MAX_CHARACTERS = 200;
const WORD = '\\p{L}\\p{N}_';
const SEPARATED = new RegExp(`^([${WORD}.-]+)[-_.]([${WORD}]+)`, 'u');
const JOINED = new RegExp(`^([${WORD}.-]*\\D)(\\d+)`, 'u');

/** Takes the prefix of a document or UID into the form in which prefixes are compared. */
export function prefixKey(prefix: string): string {
  return prefix.toLowerCase();
}

/**
 * Splits a UID as Doorstop does: the prefix is as long as it can be, what follows a separator may be
 * a name, and what comes after the match is not looked at.
 * @returns null where it is no UID
 */
export function parseUid(value: string): DoorstopUid | null {
  if (value.length > MAX_CHARACTERS) return null;
  let prefix: string;
  let number = -1n;
  let name = '';
  const separated = SEPARATED.exec(value);
  if (separated?.[1] !== undefined && separated[2] !== undefined) {
    prefix = separated[1];
    if (/^\d+(?:_\d+)*$/.test(separated[2])) number = BigInt(separated[2].replaceAll('_', ''));
    else name = separated[2];
  } else {
    const joined = JOINED.exec(value);
    if (joined?.[1] === undefined || joined[2] === undefined) return null;
    prefix = joined[1].replace(/[-_.]+$/, '');
    number = BigInt(joined[2]);
  }
  if (prefixKey(prefix) === 'all') return null;
  return { value, prefix, number, name, key: `${prefixKey(prefix)}/${number}/${name}` };
}

export function compareUids(a: DoorstopUid, b: DoorstopUid): number {
  const [left, right] = [prefixKey(a.prefix), prefixKey(b.prefix)];
  if (left !== right) return left < right ? -1 : 1;
  if (a.number !== b.number) return a.number < b.number ? -1 : 1;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

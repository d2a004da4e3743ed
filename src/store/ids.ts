// Identifiers: a prefix that says what is named, and a time-ordered UUIDv7 (RFC 9562) in
// Crockford's base32, lower case, 26 characters.
import { hash, randomBytes } from 'node:crypto';
import { v7 } from 'uuid';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

// biome-ignore format: a word a line says no more
export type IdPrefix =
  | 'prj' | 'tok' | 'edt' | 'add' | 'trc' | 'val' | 'cmd' | 'run'
  | 'pln' | 'ste' | 'lse' | 'scn' | 'rte' | 'iss' | 'att' | 'log';

/** A new identifier; later ones sort behind earlier ones of the same process. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${crockford(v7(undefined, new Uint8Array(16)))}`;
}

/** The identifier of something that has no row: the same wherever the same parts are given. */
export function derivedId(prefix: IdPrefix, ...parts: string[]): string {
  const digest = hash('sha256', JSON.stringify([prefix, ...parts]), 'buffer');
  return `${prefix}_${crockford(digest.subarray(0, 16))}`;
}

/** A random name of 32 bytes that nobody can guess: 52 characters. */
export function newSecret(): string {
  return crockford(randomBytes(32));
}

/** Whether a text has the form of an identifier with this prefix. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.startsWith(`${prefix}_`) && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(prefix.length + 1))
  );
}

/** Bytes as Crockford base32, the first character holding the bits that do not fill five. */
function crockford(bytes: Uint8Array): string {
  const length = Math.ceil((bytes.length * 8) / 5);
  let bits = length * 5 - bytes.length * 8;
  let value = 0;
  let text = '';
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return text;
}

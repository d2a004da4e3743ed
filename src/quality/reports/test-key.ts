// The key that a test has from run to run: a hash of where it is and what it is called. Tests that are
// alike in all of that differ by their order. Keys of one suite begin alike, so that they stand
// together in an index: a report brings its tests suite by suite.
import { hash } from 'node:crypto';

export interface KeySubject {
  /** Relative to the root (see `fileUnder`). */
  file: string | null;
  path: readonly string[];
  name: string;
  parameters: Readonly<Record<string, string>> | null;
}

const SHARED = 6;
const OWN = 21;

/** The key of a test; `ordinal`: how many like it came before in the same report. */
export function testKey(subject: KeySubject, ordinal = 0): string {
  return keyOf(digest(placeDigest(subject), subject), ordinal);
}

/** Gives the tests of one report their keys, in order; the ordinals count by what is alike. */
export function createTestKeys() {
  const seen = new Map<string, number>();
  let last: (Pick<KeySubject, 'file' | 'path'> & { digest: string }) | undefined;
  return {
    /** What tests have in common that are alike. */
    baseOf(subject: KeySubject): string {
      const { file, path } = subject;
      // Most tests stand where the one before them does.
      if (last?.file !== file || last.path !== path)
        last = { file, path, digest: placeDigest(subject) };
      return digest(last.digest, subject);
    },
    /** The key of the next test with this base. */
    next(base: string): string {
      const ordinal = seen.get(base) ?? 0;
      seen.set(base, ordinal + 1);
      return keyOf(base, ordinal);
    },
  };
}

function keyOf(base: string, ordinal: number): string {
  if (ordinal === 0) return `t1:${base}`;
  return `t1:${base.slice(0, SHARED)}${digestOf(`${base}#${ordinal}`, OWN)}`;
}

function placeDigest({ file, path }: KeySubject): string {
  return digestOf(composed(JSON.stringify([file, path])), SHARED + OWN);
}

function digest(place: string, { name, parameters }: KeySubject): string {
  const sorted = Object.entries(parameters ?? {}).sort(([one], [two]) => (one < two ? -1 : 1));
  const rest = sorted.length === 0 ? '' : composed(JSON.stringify(sorted));
  return place.slice(0, SHARED) + digestOf(`${place}\0${composed(name)}\0${rest}`, OWN);
}

function digestOf(text: string, characters: number): string {
  return hash('sha256', text, 'base64url').slice(0, characters);
}

function composed(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins there.
  return /^[\x00-\x7f]*$/.test(text) ? text : text.normalize('NFC');
}

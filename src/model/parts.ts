// Large texts in parts: each is made and encoded while others wait no longer than for one of them.
import { createHash } from 'node:crypto';
import type { Steps } from '../runtime/scheduler.ts';
import { etagFrom } from './etag.ts';

export type Parts = Iterable<string>;

export interface Encoded {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

export function* encodeParts(version: number, parts: Parts): Steps<Encoded> {
  const encoder = new TextEncoder();
  const sum = createHash('sha256');
  const encoded: Uint8Array[] = [];
  let length = 0;
  for (const part of parts) {
    const bytes = encoder.encode(part);
    sum.update(bytes);
    encoded.push(bytes);
    length += bytes.length;
    yield;
  }
  // To put them together at once would take some 20 ms for 50 MB.
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const part of encoded) {
    bytes.set(part, at);
    at += part.length;
    yield;
  }
  return { bytes, etag: etagFrom(version, sum.digest('base64url')) };
}

/** How many items are in a part. */
const PART = 128;

export function* joinParts<T>(
  items: Iterable<T>,
  between: string,
  textOf: (item: T) => string,
): Generator<string> {
  let texts: string[] = [];
  let before = '';
  for (const item of items) {
    texts.push(textOf(item));
    if (texts.length < PART) continue;
    yield before + texts.join(between);
    texts = [];
    before = between;
  }
  if (texts.length > 0) yield before + texts.join(between);
}

/** JSON of an object, its lists in parts. */
export function* jsonParts(body: object): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(body)) {
    yield `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (!Array.isArray(value)) {
      yield JSON.stringify(value);
      continue;
    }
    yield '[';
    for (let at = 0; at < value.length; at += PART)
      yield (at > 0 ? ',' : '') + JSON.stringify(value.slice(at, at + PART)).slice(1, -1);
    yield ']';
  }
  yield '}';
}

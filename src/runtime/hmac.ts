// HMAC-SHA-256 (RFC 2104) of texts. The object that `createHmac` makes costs a busy process three times
// what it computes, so on Bun it is a copy of a hasher that has its key already.
import { createHmac } from 'node:crypto';

interface Hasher {
  copy(): Hasher;
  update(text: string): Hasher;
  digest(encoding: 'base64url'): string;
}

interface BunHashers {
  CryptoHasher: new (algorithm: 'sha256', key: Uint8Array) => Hasher;
}

const keyed = new WeakMap<Uint8Array, Hasher>();

/** The code in base64url without padding (43 characters). */
export function hmacSha256(key: Uint8Array, text: string): string {
  const bun = (globalThis as { Bun?: BunHashers }).Bun;
  if (!bun) return createHmac('sha256', key).update(text).digest('base64url');
  let hasher = keyed.get(key);
  if (!hasher) {
    hasher = new bun.CryptoHasher('sha256', key);
    keyed.set(key, hasher);
  }
  return hasher.copy().update(text).digest('base64url');
}

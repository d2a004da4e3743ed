// Signed, temporary links to files: an HMAC-SHA-256 (RFC 2104) over what the link opens, for whom
// and until when. Nothing is stored; who holds the link may read the file.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../access/caller.ts';
import type { SigningKeys } from '../../store/keys/key-files.ts';

/** All that a signature covers, besides the key id. `expires` is in Unix seconds. */
export interface LinkClaims {
  projectId: string;
  key: string;
  tokenId: string;
  expires: number;
}

const LINK_TTL_SECONDS = 900;
export const LINK_TTL_MAX_SECONDS = 7 * 24 * 3600;
const LINK_ROUNDING_SECONDS = 300;

/** The path and query of a link, signed with the current key. */
export function linkPath({ current: { kid, key } }: SigningKeys, claims: LinkClaims): string {
  const query = `expires=${claims.expires}&by=${claims.tokenId}&kid=${kid}`;
  return `/api/files/${claims.key}?${query}&signature=${signatureOf(key, kid, claims)}`;
}

/**
 * Makes links that end at one time, rounded up so that those of the same five minutes are alike.
 * @param ttlSeconds - how long the caller asked the links to last
 */
export function createLinkMint(
  keys: SigningKeys,
  { tokenId }: Pick<Caller, 'tokenId'>,
  now: number,
  ttlSeconds = LINK_TTL_SECONDS,
) {
  const seconds = Math.floor(now / 1000) + ttlSeconds;
  const expires = Math.ceil(seconds / LINK_ROUNDING_SECONDS) * LINK_ROUNDING_SECONDS;
  return {
    urlOf: ({ projectId, key }: Pick<LinkClaims, 'projectId' | 'key'>) =>
      linkPath(keys, { projectId, key, tokenId, expires }),
  };
}

const QUERY =
  /^expires=([1-9]\d{0,10})&by=([\w-]{1,128})&kid=([\w-]{1,128})&signature=([\w-]{43})$/;

/**
 * Checks the query of a file request. The caller still has to check that the token it was minted
 * for could read the file today.
 * @param query - as it was sent, not decoded: it must be spelled as it was minted
 * @param file - the file asked for; for an unknown key pass any project, the answer is then
 *   `signature_invalid`
 */
export function verifyLink(
  keys: SigningKeys,
  query: string,
  file: { projectId: string; key: string },
  nowSeconds: number,
) {
  const refused = <R extends string>(reason: R) => ({ ok: false, reason }) as const;
  if (!/(?:^|&)signature=/.test(query)) return refused('signature_required');
  const [, expiry, tokenId = '', kid = '', signature = ''] = QUERY.exec(query) ?? [];
  const key = keys.all.get(kid);
  const expires = Number(expiry);
  const wanted = key && signatureOf(key, kid, { ...file, tokenId, expires });
  if (!wanted || !timingSafeEqual(Buffer.from(signature), Buffer.from(wanted)))
    return refused('signature_invalid');
  if (nowSeconds >= expires) return refused('signature_expired');
  return { ok: true, tokenId } as const;
}

function signatureOf(key: Uint8Array, kid: string, claims: LinkClaims): string {
  const { projectId, key: file, tokenId, expires } = claims;
  // A JSON array says where each part ends, so no two sets of parts give one message.
  const parts = ['pqrs-file-link-1', kid, 'GET', projectId, file, 'inline', tokenId, expires];
  return hmacSha256(key, JSON.stringify(parts));
}

interface Hasher {
  copy(): Hasher;
  update(text: string): Hasher;
  digest(encoding: 'base64url'): string;
}

interface BunHashers {
  CryptoHasher: new (algorithm: 'sha256', key: Uint8Array) => Hasher;
}

const keyed = new WeakMap<Uint8Array, Hasher>();

/**
 * HMAC-SHA-256 in base64url without padding (43 characters). The object that `createHmac` makes costs a busy
 * process three times what it computes, so on Bun it is a copy of a hasher that has its key already.
 */
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

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
const WORD = /^[A-Za-z0-9_-]{1,128}$/;
const SECONDS = /^[1-9][0-9]{0,10}$/;
const PARAMETERS = ['expires', 'by', 'kid', 'signature'];

/** In Unix seconds: rounded up so that links of the same five minutes are alike. */
export function linkExpiry(nowSeconds: number, ttlSeconds: number = LINK_TTL_SECONDS): number {
  return Math.ceil((nowSeconds + ttlSeconds) / LINK_ROUNDING_SECONDS) * LINK_ROUNDING_SECONDS;
}

/** Signs a link with the current key; the signature in base64url without padding (43 characters). */
export function signLink(
  keys: SigningKeys,
  claims: LinkClaims,
): { kid: string; signature: string } {
  const { kid, key } = keys.current;
  return { kid, signature: signatureOf(key, kid, claims) };
}

/** The path and query of a signed link. @throws RangeError where they could not be read back */
export function linkPath(keys: SigningKeys, { projectId, key, ...holder }: LinkClaims): string {
  return linksOf(keys, holder)({ projectId, key });
}

function linksOf(keys: SigningKeys, { tokenId, expires }: Omit<LinkClaims, 'projectId' | 'key'>) {
  const { kid } = keys.current;
  if (!WORD.test(tokenId) || !WORD.test(kid) || !SECONDS.test(String(expires)))
    throw new RangeError('a link needs a plain token id, a plain key id and whole seconds');
  const query = `expires=${expires}&by=${tokenId}&kid=${kid}`;
  return ({ projectId, key }: Pick<LinkClaims, 'projectId' | 'key'>): string => {
    const { signature } = signLink(keys, { projectId, key, tokenId, expires });
    return `/api/files/${encodeURIComponent(key)}?${query}&signature=${signature}`;
  };
}

/** @param ttlSeconds - how long the caller asked the links to last */
export function createLinkMint(
  keys: SigningKeys,
  { tokenId }: Pick<Caller, 'tokenId'>,
  now: number,
  ttlSeconds: number | undefined,
) {
  const expires = linkExpiry(Math.floor(now / 1000), ttlSeconds);
  return { urlOf: linksOf(keys, { tokenId, expires }) };
}

/**
 * Checks the query of a file request. The caller still has to check that the token it was minted
 * for could read the file today.
 * @param query - as it was sent, not decoded, so that a repeated or oddly spelled parameter is seen
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
  if (!/(?:^|[?&])signature=/.test(query)) return refused('signature_required');
  const given = readParameters(query);
  const { expires: text = '', by: tokenId = '', kid = '', signature = '' } = given ?? {};
  const key = keys.all.get(kid);
  const expires = Number(text);
  if (
    !key ||
    tokenId === '' ||
    !SECONDS.test(text) ||
    !isSame(signature, signatureOf(key, kid, { ...file, tokenId, expires }))
  )
    return refused('signature_invalid');
  if (nowSeconds >= expires) return refused('signature_expired');
  return { ok: true, tokenId, expires, kid } as const;
}

function signatureOf(key: Uint8Array, kid: string, claims: LinkClaims): string {
  const { projectId, key: file, tokenId, expires } = claims;
  // A JSON array says where each part ends, so no two sets of parts give one message.
  const parts = ['pqrs-file-link-1', kid, 'GET', projectId, file, 'inline', tokenId, expires];
  return hmacSha256(key, JSON.stringify(parts));
}

function isSame(given: string, wanted: string): boolean {
  return given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
}

// Every value of a link is spelled without percent-encoding, so anything else is not ours.
function readParameters(query: string): Partial<Record<string, string>> | undefined {
  const pairs = query.replace(/^\?/, '').split('&');
  const given = pairs.map((pair) => /^([a-z]+)=([^=]*)$/.exec(pair)?.slice(1) ?? ['', '']);
  const isOurs = ([name = '', value = '']: string[]) =>
    PARAMETERS.includes(name) && WORD.test(value);
  const names = new Set(given.map(([name]) => name));
  return given.every(isOurs) && names.size === given.length ? Object.fromEntries(given) : undefined;
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

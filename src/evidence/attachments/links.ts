// Signed, temporary links to files: an HMAC-SHA-256 (RFC 2104) over what the link opens, for whom
// and until when. Nothing is stored; who holds the link may read the file.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../access/caller.ts';
import type { SigningKeys } from '../../store/keys/signing-keys.ts';
import type { AttachmentRow } from '../../store/tables/evidence.ts';

export type LinkDisposition = 'inline' | 'attachment';

/** All that a signature covers, besides the key id. `expires` is in Unix seconds. */
export type LinkClaims = {
  method: 'GET';
  projectId: string;
  key: string;
  disposition: LinkDisposition;
  tokenId: string;
  expires: number;
};

export type LinkVerdict =
  | { ok: true; tokenId: string; disposition: LinkDisposition; expires: number; kid: string }
  | { ok: false; reason: 'signature_required' | 'signature_invalid' | 'signature_expired' };

/** How long a link lasts unless asked, in seconds. */
export const LINK_TTL_SECONDS = 900;
/** The longest a link may be asked to last, in seconds. */
export const LINK_TTL_MAX_SECONDS = 7 * 24 * 3600;

const LINK_ROUNDING_SECONDS = 300;
const WORD = /^[A-Za-z0-9_-]{1,128}$/;
const PARAMETERS = new Set(['expires', 'by', 'kid', 'disposition', 'signature']);

/**
 * When a link minted now runs out, rounded up so that links of the same five minutes are alike.
 * @param nowSeconds the time in Unix seconds
 * @param ttlSeconds how long it must last at least
 * @returns Unix seconds, a multiple of 300
 */
export function linkExpiry(nowSeconds: number, ttlSeconds: number = LINK_TTL_SECONDS): number {
  return Math.ceil((nowSeconds + ttlSeconds) / LINK_ROUNDING_SECONDS) * LINK_ROUNDING_SECONDS;
}

/**
 * Signs a link with the current key.
 * @returns the key's id and the signature in base64url without padding (43 characters)
 */
export function signLink(
  keys: SigningKeys,
  claims: LinkClaims,
): { kid: string; signature: string } {
  const { kid, key } = keys.current;
  return { kid, signature: hmac(key, kid, claims).toString('base64url') };
}

/**
 * The path and query of a signed link.
 * @throws RangeError where a token id, key id or time could not be read back
 */
export function linkPath(keys: SigningKeys, claims: LinkClaims): string {
  const { kid, signature } = signLink(keys, claims);
  const { key, tokenId, expires, disposition } = claims;
  if (!WORD.test(tokenId) || !WORD.test(kid) || seconds(String(expires)) === undefined) {
    throw new RangeError('a link needs a plain token id, a plain key id and whole seconds');
  }
  const attachment = disposition === 'attachment' ? '&disposition=attachment' : '';
  const query = `expires=${expires}&by=${tokenId}&kid=${kid}${attachment}&signature=${signature}`;
  return `/api/files/${encodeURIComponent(key)}?${query}`;
}

export interface LinkMint {
  /** The signed path of an attachment's file. */
  urlOf(attachment: Pick<AttachmentRow, 'key' | 'projectId'>): string;
}

/**
 * Makes the mint of one answer.
 *
 * @param now - milliseconds since the epoch
 * @param ttlSeconds - how long the caller asked the links to last
 */
export function createLinkMint(
  keys: SigningKeys,
  caller: Caller,
  now: number,
  ttlSeconds: number | undefined,
): LinkMint {
  const expires = linkExpiry(Math.floor(now / 1000), ttlSeconds);
  return {
    urlOf: ({ key, projectId }) =>
      linkPath(keys, {
        method: 'GET',
        projectId,
        key,
        disposition: 'inline',
        tokenId: caller.tokenId,
        expires,
      }),
  };
}

/**
 * Checks the query of a file request. The caller still has to check that the token it was minted
 * for could read the file today.
 * @param query the raw query of the request's URL, with or without `?`: as sent, not decoded, so
 *   that a repeated or oddly spelled parameter is seen
 * @param file the file asked for; for an unknown key pass any project, the answer is then
 *   `signature_invalid`
 * @param nowSeconds the time in Unix seconds
 */
export function verifyLink(
  keys: SigningKeys,
  query: string,
  file: { projectId: string; key: string },
  nowSeconds: number,
): LinkVerdict {
  if (!/(?:^|[?&])signature=/.test(query)) return { ok: false, reason: 'signature_required' };
  const given = readParameters(query);
  if (given === undefined) return { ok: false, reason: 'signature_invalid' };
  const expires = seconds(given.get('expires') ?? '');
  const tokenId = given.get('by');
  const kid = given.get('kid');
  const disposition = given.get('disposition') ?? 'inline';
  const key = kid === undefined ? undefined : keys.all.get(kid);
  const mac = signatureBytes(given.get('signature') ?? '');
  if (
    expires === undefined ||
    tokenId === undefined ||
    kid === undefined ||
    key === undefined ||
    mac === undefined ||
    !(disposition === 'attachment' || !given.has('disposition'))
  ) {
    return { ok: false, reason: 'signature_invalid' };
  }
  const claims: LinkClaims = {
    method: 'GET',
    projectId: file.projectId,
    key: file.key,
    disposition: disposition === 'attachment' ? 'attachment' : 'inline',
    tokenId,
    expires,
  };
  if (!timingSafeEqual(mac, hmac(key, kid, claims))) {
    return { ok: false, reason: 'signature_invalid' };
  }
  if (nowSeconds >= expires) return { ok: false, reason: 'signature_expired' };
  return { ok: true, tokenId, disposition: claims.disposition, expires, kid };
}

function hmac(key: Uint8Array, kid: string, claims: LinkClaims): Buffer {
  const { method, projectId, key: fileKey, disposition, tokenId, expires } = claims;
  // A JSON array says where each part ends, so no two sets of parts give one message.
  const message = JSON.stringify([
    'pqrs-file-link-1',
    kid,
    method,
    projectId,
    fileKey,
    disposition,
    tokenId,
    expires,
  ]);
  return createHmac('sha256', key).update(message).digest();
}

// Every value of a link is spelled without percent-encoding, so anything else is not ours.
function readParameters(query: string): Map<string, string> | undefined {
  const given = new Map<string, string>();
  const text = query.startsWith('?') ? query.slice(1) : query;
  if (text === '') return given;
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals);
    const value = pair.slice(equals + 1);
    if (equals === -1 || !PARAMETERS.has(name) || given.has(name) || !WORD.test(value)) {
      return undefined;
    }
    given.set(name, value);
  }
  return given;
}

function seconds(text: string): number | undefined {
  return /^[1-9][0-9]{0,10}$/.test(text) ? Number(text) : undefined;
}

function signatureBytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === 32 && bytes.toString('base64url') === text ? bytes : undefined;
}

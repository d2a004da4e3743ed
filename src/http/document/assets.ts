// Files that pages are made of, and how they are sent.
import { createHash } from 'node:crypto';
import { matchesAny } from '../../model/etag.ts';
import { requestIdOf } from '../api/request.ts';

export interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  mediaType: string;
  /** Hash of the bytes, safe in a URL. */
  hash: string;
}

export const REVALIDATED = 'no-cache';
export const FOR_EVER = 'public, max-age=31536000, immutable';

export function asset(text: string, mediaType: string): Asset {
  const bytes = new TextEncoder().encode(text);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
  return { bytes, mediaType, hash };
}

export function send(
  request: Request,
  { bytes, mediaType, hash }: Asset,
  cacheControl: string,
  more: Record<string, string> = {},
): Response {
  const etag = `"${hash}"`;
  const headers = {
    'Content-Type': mediaType,
    'Cache-Control': cacheControl,
    ETag: etag,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestIdOf(request),
    ...more,
  };
  const known = request.headers.get('if-none-match');
  return known !== null && matchesAny(known, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(bytes, { headers });
}

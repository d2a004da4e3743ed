// Files that pages are made of, and how they are sent.
import { createHash } from 'node:crypto';
import { toResponse } from '../api/reply.ts';
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
  const headers = {
    'Cache-Control': cacheControl,
    'Referrer-Policy': 'no-referrer',
    ...more,
  };
  const reply = { status: 200, bytes, mediaType, etag: `"${hash}"`, headers };
  return toResponse(reply, request, requestIdOf(request));
}

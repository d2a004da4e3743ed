// The format of a report by its media type and by how it begins.
import type { ReaderFormat } from './model.ts';

/** How many bytes from the start tell a format. */
export const DETECT_BYTES = 4096;

function formatOfMediaType(mediaType: string): ReaderFormat | undefined {
  const [type = ''] = mediaType.toLowerCase().split(';', 1);
  if (/^application\/vnd\.ctrf\+json\s*$/.test(type)) return 'ctrf';
  if (/[/+]xml\s*$/.test(type)) return 'junit';
  if (/[/+]json\s*$/.test(type)) return 'json';
  return /\/(?:x-)?tap\s*$/.test(type) ? 'tap' : undefined;
}

/** The format of a report by its first bytes; undefined where they tell none. */
export function formatOfBytes(start: Uint8Array): ReaderFormat | undefined {
  const text = new TextDecoder().decode(start.subarray(0, DETECT_BYTES));
  // UTF-16 as well, of which half is NUL and its mark is no UTF-8.
  const begin = text.replace(/[\0\ufffd]/g, '').trimStart();
  if (begin.startsWith('<')) return 'junit';
  if (begin.startsWith('{')) return 'json';
  const isTap = /^(?:TAP version \d|\d+\.\.\d+|(?:not )?ok\b|Bail out!)/im.test(begin);
  return isTap ? 'tap' : undefined;
}

/** The format that a report's media type names, else what its bytes show. */
export function detectFormat(
  mediaType: string | undefined,
  start: Uint8Array,
): ReaderFormat | undefined {
  return formatOfMediaType(mediaType ?? '') ?? formatOfBytes(start);
}

// Content-Disposition: the header an answer carries for a file, and the one an upload names its
// file with (RFC 6266, RFC 8187).
import { parseHeaderParameters } from '../header-parameters.ts';

/** What an upload says of itself: the type in lower case and the names as sent, not yet cleaned. */
export type ContentDisposition = { type: string; name?: string; fileName?: string };

const MAX_NAME_BYTES = 255;
const MAX_EXTENSION_BYTES = 32;
const UNNAMED = 'file';
// Controls (C0, DEL, C1), bidirectional and zero-width marks, line and paragraph separators,
// specials and non-characters: nothing a name shows, all that can make it show something else.
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are to be removed
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff0-\ufffb\ufffe\uffff]/g;

/**
 * Writes a Content-Disposition header for a file's name (RFC 6266 section 4, appendix D).
 * @returns the header's value: printable ASCII only, `filename*` added where the plain one is not
 *   the name itself
 */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const clean = cleanFileName(name);
  const fallback = clean.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_');
  const header = `${kind}; filename="${fallback}"`;
  return fallback === clean ? header : `${header}; filename*=UTF-8''${encodeExtended(clean)}`;
}

/**
 * Reads the Content-Disposition of an upload; `filename*` goes before `filename`.
 * @returns its type and names, or undefined where it is malformed
 */
export function parseContentDisposition(header: string): ContentDisposition | undefined {
  const parsed = parseHeaderParameters(fromBytes(header));
  if (parsed === undefined) return undefined;
  const { value, parameters } = parsed;
  const name = parameters.get('name');
  const fileName = parameters.get('filename*') ?? parameters.get('filename');
  return {
    type: value,
    ...(name === undefined ? {} : { name }),
    ...(fileName === undefined ? {} : { fileName }),
  };
}

/**
 * Makes a name that is safe to keep, show and send from whatever a client called its file.
 * @param name any text: a name, a path of either kind, empty
 * @returns the last path segment without invisible characters, at most 255 bytes of UTF-8 with its
 *   extension kept; `file` where nothing usable is left
 */
export function cleanFileName(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const visible = base.toWellFormed().normalize('NFC').replace(INVISIBLE, '').trim();
  if (/^[.\s]*$/.test(visible)) return UNNAMED;
  if (Buffer.byteLength(visible) <= MAX_NAME_BYTES) return visible;
  const dot = visible.lastIndexOf('.');
  const tail = dot > 0 ? visible.slice(dot) : '';
  const extension = Buffer.byteLength(tail) <= MAX_EXTENSION_BYTES ? tail : '';
  const stem = visible.slice(0, visible.length - extension.length);
  return cutBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(extension)).trimEnd() + extension;
}

function cutBytes(text: string, limit: number): string {
  let bytes = 0;
  let end = 0;
  for (const char of text) {
    bytes += Buffer.byteLength(char);
    if (bytes > limit) break;
    end += char.length;
  }
  return text.slice(0, end);
}

function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

// A header is bytes: raw UTF-8 in it arrives as one character a byte.
function fromBytes(header: string): string {
  if (!/[\x80-\xff]/.test(header) || /[\u0100-\uffff]/.test(header)) return header;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}

// Content-Disposition: the header an answer carries for a file, and the one an upload names its
// file with (RFC 6266, RFC 8187).
import { extname } from 'node:path';

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

/** The name in the Content-Disposition of an upload, not yet cleaned; `filename*` goes before `filename`. */
export function sentFileName(header: string): string | undefined {
  const parameters = parseHeaderParameters(fromBytes(header))?.parameters;
  return parameters?.get('filename*') ?? parameters?.get('filename');
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
  const tail = extname(visible);
  const extension = Buffer.byteLength(tail) <= MAX_EXTENSION_BYTES ? tail : '';
  const limit = MAX_NAME_BYTES - Buffer.byteLength(extension);
  const stem = Buffer.from(visible.slice(0, visible.length - extension.length)).subarray(0, limit);
  // Half a character at its end would come with what follows, and nothing does.
  return new TextDecoder().decode(stem, { stream: true }).trimEnd() + extension;
}

function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

// A header is bytes: raw UTF-8 in it arrives as one character a byte.
function fromBytes(header: string): string {
  if (/[\u0100-\uffff]/.test(header)) return header;
  const text = Buffer.from(header, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? header : text;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const VALUE = new RegExp(`^[ \\t]*(${TOKEN}(?:/${TOKEN})?)[ \\t]*(;.*)?$`, 's');
// In a quoted string a backslash escapes only `"` and itself, so that a bare Windows path survives.
const QUOTED = '"((?:[^"\\\\]|\\\\["\\\\]|\\\\(?!["\\\\]))*)"';
const PARAMETER = new RegExp(`;[ \\t]*(?:(${TOKEN})=(?:${QUOTED}|([^";]+))[ \\t]*)?`, 'gy');
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/**
 * Parses a parameterized header value. Control characters, an unfinished quote, a repeated parameter,
 * an extended value that does not decode or text between parameters make it unusable.
 * @returns the value in lower case and its parameters (extended ones, RFC 8187, under their name with
 *   the `*`), or undefined where the text is malformed
 */
export function parseHeaderParameters(
  text: string,
): { value: string; parameters: ReadonlyMap<string, string> } | undefined {
  const [, value, rest = ''] = VALUE.exec(text) ?? [];
  if (value === undefined || CONTROL.test(text)) return undefined;
  const parameters = new Map<string, string>();
  let end = 0;
  for (const [whole, name, quoted, bare] of rest.matchAll(PARAMETER)) {
    end += whole.length;
    if (name === undefined) continue;
    const given = quoted?.replace(/\\(["\\])/g, '$1') ?? bare?.trim() ?? '';
    const known = name.toLowerCase();
    const decoded = name.endsWith('*') ? decodeExtended(given) : given;
    if (decoded === undefined || CONTROL.test(decoded) || parameters.has(known)) return undefined;
    parameters.set(known, decoded);
  }
  return end < rest.length ? undefined : { value: value.toLowerCase(), parameters };
}

/** `UTF-8'language'percent-encoded` (RFC 8187 section 3.2); undefined where it is no such. */
function decodeExtended(text: string): string | undefined {
  const [, encoded] = /^utf-8'[^']*'([^']*)$/i.exec(text) ?? [];
  try {
    return encoded && decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

// Content-Disposition: the header an answer carries for a file, and the one an upload names its
// file with (RFC 6266, RFC 8187).

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

export type ParameterizedValue = { value: string; parameters: ReadonlyMap<string, string> };

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/**
 * Parses a parameterized header value.
 *
 * In a quoted string a backslash escapes only `"` and `\`, so that a bare Windows path survives.
 * Strict otherwise: control characters, an unfinished quote, a repeated parameter, an extended
 * value that does not decode or text between parameters make the whole value unusable.
 * @returns the value and its parameters (extended ones under their name with the `*`), or
 *   undefined where the text is malformed
 */
export function parseHeaderParameters(text: string): ParameterizedValue | undefined {
  if (CONTROL.test(text)) return undefined;
  const first = text.indexOf(';');
  const value = (first === -1 ? text : text.slice(0, first)).trim().toLowerCase();
  if (!value.split('/').every((part) => TOKEN.test(part))) return undefined;
  const parameters = new Map<string, string>();
  let at = first === -1 ? text.length : first;
  while (at < text.length) {
    at = skipSpace(text, at + 1);
    if (at >= text.length) break;
    if (text[at] === ';') continue;
    const equals = text.indexOf('=', at);
    if (equals === -1) return undefined;
    const name = text.slice(at, equals).toLowerCase();
    if (!TOKEN.test(name) || parameters.has(name)) return undefined;
    const read = text[equals + 1] === '"' ? quoted(text, equals + 2) : bare(text, equals + 1);
    if (read === undefined) return undefined;
    const decoded = name.endsWith('*') ? decodeExtendedValue(read.value) : read.value;
    if (decoded === undefined || CONTROL.test(decoded)) return undefined;
    parameters.set(name, decoded);
    at = skipSpace(text, read.end);
    if (at < text.length && text[at] !== ';') return undefined;
  }
  return { value, parameters };
}

/**
 * Decodes an extended value, `charset'language'percent-encoded` (RFC 8187 section 3.2).
 * @returns the text, or undefined where it is malformed or in another charset than UTF-8 or
 *   ISO-8859-1
 */
export function decodeExtendedValue(text: string): string | undefined {
  const match = /^([^']*)'([^']*)'((?:%[0-9A-Fa-f]{2}|[!#$&+.^_`|~0-9A-Za-z-])*)$/.exec(text);
  if (match === null) return undefined;
  const encoded = match[3] ?? '';
  const charset = (match[1] ?? '').toLowerCase();
  if (charset === 'utf-8') {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return undefined;
    }
  }
  if (charset !== 'iso-8859-1') return undefined;
  return encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}

function bare(text: string, from: number): { value: string; end: number } | undefined {
  const semicolon = text.indexOf(';', from);
  const end = semicolon === -1 ? text.length : semicolon;
  const value = text.slice(from, end).trim();
  return value === '' || value.includes('"') ? undefined : { value, end };
}

function quoted(text: string, from: number): { value: string; end: number } | undefined {
  let value = '';
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '"') return { value, end: at + 1 };
    const escaped = char === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\');
    value += escaped ? text[++at] : char;
  }
  return undefined;
}

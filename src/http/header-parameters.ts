// Header values of the form `value; name=value; name="value"; name*=UTF-8''value`, as Content-Type
// and Content-Disposition have them (RFC 9110 section 5.6.6, RFC 6266, RFC 8187).

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

// The header block of one part of multipart/form-data (RFC 7578 section 4, RFC 2046 section 5.1).
import { parseHeaderParameters } from '../header-parameters.ts';
import { MalformedMultipart, MultipartTooLarge } from './multipart-errors.ts';

/** What a part says of itself. `fileName` is as sent: it may be a path, and must be cleaned. */
export type PartHeaders = { name: string; fileName?: string; mediaType?: string };

// A name may hold U+2028, which ends no line of a header.
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n]*)$/;
const IDENTITY_ENCODINGS = new Set(['7bit', '8bit', 'binary']);

/**
 * Reads a part's header block. Nothing is guessed: a repeated header, a name that is missing or not
 * UTF-8, an encoded part and a line that is no header are errors, since a part that is misread
 * is a part that is lost.
 * @param block the bytes between the delimiter line and the empty line, without either
 * @param nameBytes the most bytes a name or file name may have
 * @throws MalformedMultipart, MultipartTooLarge
 */
export function parsePartHeaders(block: Uint8Array, nameBytes: number): PartHeaders {
  const headers = new Map<string, string>();
  for (const line of decodeUtf8(block, 'a part header').split('\r\n')) {
    const match = HEADER_LINE.exec(line);
    if (match === null) throw new MalformedMultipart('a part has a malformed header line');
    const [, name = '', value = ''] = match;
    if (headers.has(name.toLowerCase())) {
      throw new MalformedMultipart('a part repeats a header');
    }
    headers.set(name.toLowerCase(), value);
  }
  const disposition = parseHeaderParameters(headers.get('content-disposition') ?? '');
  const name = disposition?.parameters.get('name');
  if (disposition?.value !== 'form-data' || name === undefined) {
    throw new MalformedMultipart('each part needs Content-Disposition: form-data with a name');
  }
  const encoding = headers.get('content-transfer-encoding')?.trim().toLowerCase();
  if (encoding !== undefined && !IDENTITY_ENCODINGS.has(encoding)) {
    throw new MalformedMultipart('a part has a Content-Transfer-Encoding, which is not supported');
  }
  const extended = disposition.parameters.get('filename*');
  const fileName = extended ?? unescapeQuotes(disposition.parameters.get('filename'));
  for (const text of [name, fileName ?? '']) {
    if (Buffer.byteLength(text) > nameBytes) {
      throw new MultipartTooLarge(`a part's name is longer than ${nameBytes} bytes`);
    }
  }
  const type = headers.get('content-type');
  const mediaType = type === undefined ? undefined : parseHeaderParameters(type)?.value;
  return {
    name: unescapeQuotes(name) ?? '',
    ...(fileName === undefined ? {} : { fileName }),
    ...(mediaType === undefined ? {} : { mediaType }),
  };
}

/**
 * Decodes UTF-8 strictly.
 * @param what names the thing in the error's text
 * @throws MalformedMultipart
 */
export function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new MalformedMultipart(`${what} is not UTF-8`);
  }
}

// Browsers and curl write `"` in a name as %22 and leave every other % alone (WHATWG HTML, section
// 4.10.21.8), so this is all that can be undone.
function unescapeQuotes(text: string | undefined): string | undefined {
  return text?.replaceAll('%22', '"');
}

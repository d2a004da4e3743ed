// A streaming reader of multipart/form-data (RFC 7578). It pulls: nothing is read from the body
// before someone asks for it, so back-pressure and aborts need no machinery of their own.
import { parseHeaderParameters } from './content-disposition.ts';
import { MultipartInput, malformed, tooLarge } from './multipart-input.ts';

export type FieldPart = { kind: 'field'; name: string; value: string; mediaType?: string };

/**
 * A part that is streamed. `fileName` is as sent (perhaps a path, perhaps empty), `mediaType` what
 * the client claims. `chunks` can be read once, and only until the next part is asked for.
 */
export type FilePart = {
  kind: 'file';
  name: string;
  fileName?: string;
  mediaType?: string;
  chunks: AsyncIterable<Uint8Array>;
};

export type Part = FieldPart | FilePart;

export type MultipartLimits = {
  /** Parts in all. */
  parts: number;
  /** Bytes of one field's value. */
  fieldBytes: number;
  /** Bytes of one part's header block; of what stands before the first and after the last part. */
  headerBytes: number;
  /** Bytes of a part's name and of its file name. */
  nameBytes: number;
  /** Bytes of the whole body. */
  totalBytes: number;
  /** Names of parts that are streamed even without a file name. */
  streamed?: readonly string[];
};

/** Limits that suit a form with a few fields; `totalBytes` has no default that would. */
export const MULTIPART_LIMITS = {
  parts: 100,
  fieldBytes: 64 * 1024,
  headerBytes: 8 * 1024,
  nameBytes: 1024,
} as const;

/**
 * The boundary of a multipart/form-data body.
 * @returns undefined where it is another media type
 * @throws Problem `malformed_body` where the boundary is missing or no boundary (RFC 2046 section 5.1.1)
 */
export function multipartBoundary(contentType: string): string | undefined {
  const parsed = parseHeaderParameters(contentType);
  if (parsed?.value !== 'multipart/form-data') return undefined;
  const boundary = parsed.parameters.get('boundary') ?? '';
  if (!/^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(boundary)) {
    throw malformed('the Content-Type needs a boundary of 1 to 70 characters');
  }
  return boundary;
}

/**
 * Reads a multipart/form-data body part by part. What the caller leaves of a file part is
 * skipped when it asks for the next; when it stops early the body is cancelled.
 * @param body the request's bytes; its own errors (an aborted request) pass through unchanged, out
 *   of the iteration that was reading
 * @throws Problem `malformed_body` (a body cut off anywhere included), `too_large`
 */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  limits: MultipartLimits,
): AsyncGenerator<Part, void, undefined> {
  const boundary = multipartBoundary(contentType);
  if (boundary === undefined) throw malformed('the body is not multipart/form-data');
  const input = new MultipartInput(body, boundary, limits);
  try {
    let last = await input.skipPreamble();
    for (let count = 1; !last; count++) {
      if (count > limits.parts) throw tooLarge(`more than ${limits.parts} parts`);
      const { name, fileName, mediaType } = parsePartHeaders(
        await input.readHeaders(),
        limits.nameBytes,
      );
      const claimed = mediaType === undefined ? {} : { mediaType };
      if (fileName === undefined && !limits.streamed?.includes(name)) {
        const value = await readValue(input.content(), limits.fieldBytes);
        yield { kind: 'field', name, value, ...claimed };
      } else {
        const named = fileName === undefined ? {} : { fileName };
        const chunks = input.content();
        yield { kind: 'file', name, ...named, ...claimed, chunks };
      }
      last = await input.skipContent();
    }
    await input.skipEpilogue();
  } finally {
    await input.close();
  }
}

async function readValue(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > limit) throw tooLarge(`a field is larger than ${limit} bytes`);
    pieces.push(chunk);
  }
  return decodeUtf8(Buffer.concat(pieces), 'a field');
}

/** What a part says of itself. `fileName` is as sent: it may be a path, and must be cleaned. */
type PartHeaders = { name: string; fileName?: string; mediaType?: string };

// A name may hold U+2028, which ends no line of a header.
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n]*)$/;
const IDENTITY_ENCODINGS = new Set(['7bit', '8bit', 'binary']);

/**
 * Reads a part's header block. Nothing is guessed: a repeated header, a name that is missing or not
 * UTF-8, an encoded part and a line that is no header are errors, since a part that is misread
 * is a part that is lost.
 * @param block the bytes between the delimiter line and the empty line, without either
 * @param nameBytes the most bytes a name or file name may have
 */
function parsePartHeaders(block: Uint8Array, nameBytes: number): PartHeaders {
  const headers = new Map<string, string>();
  for (const line of decodeUtf8(block, 'a part header').split('\r\n')) {
    const match = HEADER_LINE.exec(line);
    if (match === null) throw malformed('a part has a malformed header line');
    const [, name = '', value = ''] = match;
    if (headers.has(name.toLowerCase())) {
      throw malformed('a part repeats a header');
    }
    headers.set(name.toLowerCase(), value);
  }
  const disposition = parseHeaderParameters(headers.get('content-disposition') ?? '');
  const name = disposition?.parameters.get('name');
  if (disposition?.value !== 'form-data' || name === undefined) {
    throw malformed('each part needs Content-Disposition: form-data with a name');
  }
  const encoding = headers.get('content-transfer-encoding')?.trim().toLowerCase();
  if (encoding !== undefined && !IDENTITY_ENCODINGS.has(encoding)) {
    throw malformed('a part has a Content-Transfer-Encoding, which is not supported');
  }
  const extended = disposition.parameters.get('filename*');
  const fileName = extended ?? unescapeQuotes(disposition.parameters.get('filename'));
  for (const text of [name, fileName ?? '']) {
    if (Buffer.byteLength(text) > nameBytes) {
      throw tooLarge(`a part's name is longer than ${nameBytes} bytes`);
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

function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed(`${what} is not UTF-8`);
  }
}

// Browsers and curl write `"` in a name as %22 and leave every other % alone (WHATWG HTML, section
// 4.10.21.8), so this is all that can be undone.
function unescapeQuotes(text: string | undefined): string | undefined {
  return text?.replaceAll('%22', '"');
}

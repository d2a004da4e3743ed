// A streaming reader of multipart/form-data (RFC 7578, RFC 2046). It pulls: nothing is read from the
// body before someone asks for it, so back-pressure and aborts need no machinery of their own.
import { Problem, tooLarge } from '../../errors.ts';
import { parseHeaderParameters } from './content-disposition.ts';

/**
 * `fileName` is as sent (perhaps a path, perhaps empty), undefined for a field; `mediaType` is what the
 * client claims. `chunks` can be read once, and only until the next part is asked for.
 */
export interface Part {
  name: string;
  fileName: string | undefined;
  mediaType: string | undefined;
  chunks: AsyncIterable<Uint8Array>;
}

export interface MultipartLimits {
  /** Bytes of the whole body. */
  totalBytes: number;
  parts?: number;
}

const MAX_PARTS = 100;
const MAX_HEADER_BYTES = 8 * 1024;

/** The body is no complete, unambiguous multipart/form-data. */
function malformed(detail: string): Problem {
  return new Problem('malformed_body', detail);
}

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

const CRLF = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);
const HEADERS_END = Buffer.from('\r\n\r\n');

/**
 * Reads a multipart/form-data body part by part. What the caller leaves of a part is skipped when it
 * asks for the next; when it stops early the body is cancelled.
 * @param body the request's bytes; its own errors (an aborted request) pass through unchanged, out
 *   of the iteration that was reading
 * @throws Problem `malformed_body` (a body cut off anywhere included), `too_large`
 */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  { totalBytes, parts = MAX_PARTS }: MultipartLimits,
): AsyncGenerator<Part, void, undefined> {
  const boundary = multipartBoundary(contentType);
  if (boundary === undefined) throw malformed('the body is not multipart/form-data');
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const source = body[Symbol.asyncIterator]();
  // The line break before a delimiter belongs to it; the first one may have none.
  let buffer: Buffer = CRLF;
  let received = 0;

  async function pull(): Promise<boolean> {
    const { done, value } = await source.next();
    if (done) return false;
    received += value.byteLength;
    if (received > totalBytes) throw tooLarge(totalBytes);
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
    return true;
  }

  async function need(): Promise<void> {
    if (!(await pull())) throw malformed('the body ends before its last part');
  }

  /** What comes before the next delimiter. */
  async function* content(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const at = buffer.indexOf(delimiter);
      const end = at === -1 ? mayBeDelimiter(buffer, delimiter.length) : at;
      const bytes = buffer.subarray(0, end);
      buffer = buffer.subarray(end);
      if (end > 0) yield bytes;
      else if (at === 0) return;
      else await need();
    }
  }

  async function skip(): Promise<void> {
    for await (const _ of content());
    buffer = buffer.subarray(delimiter.length);
  }

  async function isOver(): Promise<boolean> {
    while (buffer.length < 2) await need();
    return buffer.toString('latin1', 0, 2) === '--';
  }

  async function readHeaders(): Promise<Buffer> {
    for (;;) {
      const end = buffer.indexOf(HEADERS_END);
      const bytes = end === -1 ? buffer.length - HEADERS_END.length : end;
      if (bytes > MAX_HEADER_BYTES)
        throw new Problem('too_large', `A part's header has more than ${MAX_HEADER_BYTES} bytes.`);
      if (end === -1) await need();
      else {
        const headers = buffer.subarray(0, end);
        buffer = buffer.subarray(end + HEADERS_END.length);
        return headers;
      }
    }
  }

  try {
    await skip();
    for (let count = 1; !(await isOver()); count++) {
      if (count > parts) throw new Problem('too_large', `The form has more than ${parts} parts.`);
      yield { ...parsePartHeaders(await readHeaders()), chunks: content() };
      await skip();
    }
    buffer = buffer.subarray(2);
    do {
      if (/\S/.test(buffer.toString('latin1')))
        throw malformed('the body goes on after its last part');
      buffer = NOTHING;
    } while (await pull());
  } finally {
    await source.return?.();
  }
}

/** Where the end of a buffer may be the beginning of a delimiter. */
function mayBeDelimiter(buffer: Buffer, delimiterBytes: number): number {
  const at = buffer.indexOf(CRLF[0] as number, Math.max(0, buffer.length - delimiterBytes + 1));
  return at === -1 ? buffer.length : at;
}

/** All of a part. @throws Problem `too_large` */
export async function gather(
  chunks: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    all.push(chunk);
  }
  // A part that came in one piece is not copied.
  return all.length === 1 && all[0] ? all[0] : Buffer.concat(all);
}

// A name may hold U+2028, which ends no line of a header.
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n]*)$/;

/**
 * Reads what comes between a delimiter and the content. Nothing is guessed, since a part that is misread
 * is a part that is lost: a repeated header, a name that is missing or not UTF-8, an encoded part and
 * a line that is no header are errors.
 */
function parsePartHeaders(block: Uint8Array): Omit<Part, 'chunks'> {
  const headers = new Map<string, string>();
  const [padding = '', ...lines] = decodeUtf8(block, 'a part header').split('\r\n');
  if (!/^[ \t]*$/.test(padding)) throw malformed('a boundary is followed by other text');
  for (const line of lines) {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined) throw malformed('a part has a malformed header line');
    if (headers.has(name.toLowerCase())) throw malformed('a part repeats a header');
    headers.set(name.toLowerCase(), value);
  }
  const disposition = parseHeaderParameters(headers.get('content-disposition') ?? '');
  const name = disposition?.parameters.get('name');
  if (disposition?.value !== 'form-data' || name === undefined) {
    throw malformed('each part needs Content-Disposition: form-data with a name');
  }
  const encoding = headers.get('content-transfer-encoding') ?? 'binary';
  if (!/^(?:7bit|8bit|binary)\s*$/i.test(encoding)) {
    throw malformed('a part has a Content-Transfer-Encoding, which is not supported');
  }
  const { parameters } = disposition;
  // Browsers and curl write `"` in a name as %22 and leave every other % alone (WHATWG HTML, section
  // 4.10.21.8), so this is all that can be undone.
  return {
    name: name.replaceAll('%22', '"'),
    fileName: parameters.get('filename*') ?? parameters.get('filename')?.replaceAll('%22', '"'),
    mediaType: parseHeaderParameters(headers.get('content-type') ?? '')?.value,
  };
}

/** @throws Problem `malformed_body` */
export function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed(`${what} is not UTF-8`);
  }
}

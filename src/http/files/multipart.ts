// A streaming reader of multipart/form-data (RFC 7578). It pulls: nothing is read from the body
// before someone asks for it, so back-pressure and aborts need no machinery of their own.
import { parseHeaderParameters } from '../header-parameters.ts';
import { MalformedMultipart, MultipartTooLarge } from './multipart-errors.ts';
import { decodeUtf8, parsePartHeaders } from './multipart-headers.ts';
import { MultipartInput } from './multipart-input.ts';

export { MalformedMultipart, MultipartTooLarge } from './multipart-errors.ts';

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
 * @throws MalformedMultipart where the boundary is missing or no boundary (RFC 2046 section 5.1.1)
 */
export function multipartBoundary(contentType: string): string | undefined {
  const parsed = parseHeaderParameters(contentType);
  if (parsed?.value !== 'multipart/form-data') return undefined;
  const boundary = parsed.parameters.get('boundary') ?? '';
  if (!/^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(boundary)) {
    throw new MalformedMultipart('the Content-Type needs a boundary of 1 to 70 characters');
  }
  return boundary;
}

/**
 * Reads a multipart/form-data body part by part. What the caller leaves of a file part is
 * skipped when it asks for the next; when it stops early the body is cancelled.
 * @param body the request's bytes; its own errors (an aborted request) pass through unchanged, out
 *   of the iteration that was reading
 * @throws MalformedMultipart (a body cut off anywhere included), MultipartTooLarge
 */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  limits: MultipartLimits,
): AsyncGenerator<Part, void, undefined> {
  const boundary = multipartBoundary(contentType);
  if (boundary === undefined) throw new MalformedMultipart('the body is not multipart/form-data');
  const input = new MultipartInput(body, boundary, limits);
  try {
    let last = await input.skipPreamble();
    for (let count = 1; !last; count++) {
      if (count > limits.parts) throw new MultipartTooLarge(`more than ${limits.parts} parts`);
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
    if (bytes > limit) throw new MultipartTooLarge(`a field is larger than ${limit} bytes`);
    pieces.push(chunk);
  }
  return decodeUtf8(Buffer.concat(pieces), 'a field');
}

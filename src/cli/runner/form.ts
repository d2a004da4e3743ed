// Bodies of multipart/form-data (RFC 7578) whose length is known before the files are read. The same
// parts under the same boundary are the same bytes, so that a retry is seen to be one.
import { createReadStream } from 'node:fs';

export type FormPart =
  | { name: string; value: string }
  | { name: string; fileName: string; mediaType: string; bytes: Uint8Array }
  | { name: string; fileName: string; mediaType: string; path: string; size: number };

export interface Form {
  /** With the boundary. */
  mediaType: string;
  /** Length of the whole body. */
  bytes: number;
  /** The body; may be asked for again. */
  stream(): AsyncGenerator<Uint8Array, void, undefined>;
  /** What went wrong with a file while it was read. */
  fault(): Error | undefined;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Makes a form.
 *
 * @param boundary - 1 to 70 letters, digits and hyphens that none of the parts has in it
 */
export function createForm(boundary: string, parts: readonly FormPart[]): Form {
  const heads = parts.map((part) => Buffer.from(headOf(boundary, part)));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const lineBreak = Buffer.from('\r\n');
  let fault: Error | undefined;
  const bytes = parts.reduce(
    (sum, part, at) => sum + (heads[at]?.length ?? 0) + sizeOf(part) + lineBreak.length,
    end.length,
  );

  async function* stream(): AsyncGenerator<Uint8Array, void, undefined> {
    fault = undefined;
    for (const [at, part] of parts.entries()) {
      yield heads[at] ?? lineBreak;
      if ('value' in part) yield Buffer.from(part.value);
      else if ('bytes' in part) yield part.bytes;
      else yield* fileBytes(part.path, part.size);
      yield lineBreak;
    }
    yield end;
  }

  async function* fileBytes(path: string, size: number): AsyncGenerator<Uint8Array> {
    let read = 0;
    try {
      if (size > 0) {
        const options = { start: 0, end: size - 1, highWaterMark: CHUNK_BYTES };
        for await (const chunk of createReadStream(path, options)) {
          read += chunk.length;
          yield chunk;
        }
      }
      if (read !== size) throw new Error(`${path} was changed while it was sent`);
    } catch (error) {
      fault = error as Error;
      throw error;
    }
  }

  return {
    mediaType: `multipart/form-data; boundary=${boundary}`,
    bytes,
    stream,
    fault: () => fault,
  };
}

function sizeOf(part: FormPart): number {
  if ('value' in part) return Buffer.byteLength(part.value);
  return 'bytes' in part ? part.bytes.length : part.size;
}

function headOf(boundary: string, part: FormPart): string {
  const disposition = `Content-Disposition: form-data; name="${part.name}"`;
  if ('value' in part) return `--${boundary}\r\n${disposition}\r\n\r\n`;
  const named = `${disposition}; filename="${quotable(part.fileName)}"`;
  return `--${boundary}\r\n${named}\r\nContent-Type: ${part.mediaType}\r\n\r\n`;
}

/** As browsers write file names (WHATWG HTML, multipart/form-data encoding), control characters left out. */
function quotable(text: string): string {
  return (
    text
      .slice(-200)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
      .replaceAll(/[\u0000-\u001f\u007f]/g, '_')
      .replaceAll('\\', '\\\\')
      .replaceAll('"', '%22')
  );
}

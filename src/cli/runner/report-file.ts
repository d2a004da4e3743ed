// A report file as it lies on disk: what it holds, when it was written, in which format it seems to be.
import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Mask } from '../../masking/mask.ts';
import { DETECT_BYTES, formatOfBytes, type ReaderFormat } from '../../quality/reports/model.ts';

export interface ReportFile {
  path: string;
  /** Of its content, hexadecimal. */
  sha256: string;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
  /** By its content; undefined where that does not show it. */
  mediaType: string | undefined;
}

export const MEDIA_TYPES: Readonly<Record<ReaderFormat, string>> = {
  junit: 'application/xml',
  ctrf: 'application/vnd.ctrf+json',
  tap: 'text/tap',
  json: 'application/json',
  pqrs: 'application/json',
};

/** There is no report at a path, as its text says. */
export class NoFile extends Error {
  override name = 'NoFile';
}

/**
 * Looks at a report file, and hashes it as a stream. A link is not followed: what a tested page or its
 * command puts in the place of a report could lead anywhere.
 *
 * @throws NoFile; an error of the system where it cannot be read
 */
export async function inspectReport(path: string, to?: string, mask?: Mask): Promise<ReportFile> {
  // A pipe would keep whoever opens it waiting.
  const found = await lstat(path);
  if (found.isSymbolicLink()) throw new NoFile(`${path} is a link, which is not followed`);
  if (!found.isFile()) throw new NoFile(`${path} is not a file`);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { mtimeMs } = await file.stat();
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  async function* hashed(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      if (head.length < DETECT_BYTES) head = Buffer.concat([head, chunk]);
      hash.update(chunk);
      yield chunk;
    }
  }
  const content = file.createReadStream();
  const chunks = hashed(mask?.chunks(content) ?? content);
  if (to === undefined) for await (const _ of chunks);
  else await pipeline(chunks, createWriteStream(to, { mode: 0o600 }));
  const format = formatOfBytes(head.subarray(0, DETECT_BYTES));
  return {
    path: to ?? path,
    sha256: hash.digest('hex'),
    modifiedAt: Math.floor(mtimeMs),
    mediaType: format && MEDIA_TYPES[format],
  };
}

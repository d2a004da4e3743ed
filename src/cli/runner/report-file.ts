// A report file as it lies on disk: what it holds, when it was written, in which format it seems to be.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Mask } from '../../masking/mask.ts';
import { DETECT_BYTES, formatOfBytes } from '../../quality/reports/detect.ts';
import type { ReaderFormat } from '../../quality/reports/model.ts';

export interface ReportFile {
  path: string;
  bytes: number;
  /** Of its content, hexadecimal. */
  sha256: string;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
  /** By its content, else by its name; undefined where neither tells. */
  mediaType: string | undefined;
}

const MEDIA_TYPES: Readonly<Record<ReaderFormat, string>> = {
  junit: 'application/xml',
  ctrf: 'application/vnd.ctrf+json',
  tap: 'text/tap',
  json: 'application/json',
  pqrs: 'application/json',
};
const BY_NAME: Readonly<Record<string, string>> = {
  '.xml': MEDIA_TYPES.junit,
  '.json': MEDIA_TYPES.json,
  '.tap': MEDIA_TYPES.tap,
};
const CHUNK_BYTES = 256 * 1024;

/** The media type under which a report of a format is sent. */
export function mediaTypeOfFormat(format: ReaderFormat): string {
  return MEDIA_TYPES[format];
}

/**
 * Looks at a report file, and hashes it as a stream. A link is not followed: what a tested page or its
 * command puts in the place of a report could lead anywhere.
 *
 * @param to - a file that is to hold the same without what the mask takes out; its content is reported
 * @throws NoFile; an error of the system where it cannot be read
 */
export async function inspectReport(path: string, to?: string, mask?: Mask): Promise<ReportFile> {
  // A pipe would keep whoever opens it waiting.
  const found = await lstat(path);
  if (!found.isFile()) throw new NoFile(path, found.isSymbolicLink());
  const from = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const copy = to === undefined ? undefined : await open(to, 'w', 0o600).catch(closing(from));
  try {
    const about = await from.stat();
    const hash = createHash('sha256');
    const start: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of mask?.chunks(chunksOf(from)) ?? chunksOf(from)) {
      if (bytes < DETECT_BYTES) start.push(Buffer.from(chunk));
      hash.update(chunk);
      await copy?.write(chunk);
      bytes += chunk.length;
    }
    const format = formatOfBytes(Buffer.concat(start).subarray(0, DETECT_BYTES));
    return {
      path: to ?? path,
      bytes,
      sha256: hash.digest('hex'),
      modifiedAt: Math.floor(about.mtimeMs),
      mediaType:
        format === undefined ? BY_NAME[extname(path).toLowerCase()] : mediaTypeOfFormat(format),
    };
  } finally {
    await copy?.close();
    await from.close();
  }
}

/** What is to be a report is a folder, a pipe, a link, or something else that is no file. */
export class NoFile extends Error {
  override name = 'NoFile';
  /** @param path - of what is there */
  constructor(path: string, isLink: boolean) {
    super(isLink ? `${path} is a link, which is not followed` : `${path} is not a file`);
  }
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

function closing(file: FileHandle): (error: unknown) => Promise<never> {
  return async (error) => {
    await file.close();
    throw error;
  };
}

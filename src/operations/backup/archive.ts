// A backup as one tar archive (ustar, POSIX.1-1988) of regular files with short names, the manifest
// last. Every tar unpacks it; read here is nothing else, and nothing in it is trusted.
import { type FileHandle, open } from 'node:fs/promises';
import { readContent } from '../../store/files/io.ts';
import { hashThrough, type Pace, type Write } from './files.ts';
import { BackupError, MANIFEST, type Manifest, readManifest, type Sink } from './manifest.ts';

/** A backup that is read: an archive, or one of a folder. */
export interface BackupSource {
  /** About how many bytes are read. */
  bytes: number;
  entries(): AsyncIterable<SourceEntry>;
  /** To be called after the last entry. @throws BackupError where there is none */
  manifest(): Manifest;
  close(): Promise<void>;
}

export interface SourceEntry {
  path: string;
  bytes: number;
  /** To be read before the next entry is asked for, or passed over. */
  content: AsyncIterable<Uint8Array>;
}

const BLOCK = 512;
const READ_BYTES = 1024 * 1024;
const MAX_OCTAL = 8 ** 11 - 1;
const MAX_MANIFEST_BYTES = 512 * 1024 * 1024;
export const TAR_END = new Uint8Array(2 * BLOCK);

export function archiveSink(write: Write, pace: Pace): Sink {
  return {
    async add(path, source, bytes) {
      await write(tarHeader(path, bytes));
      const found = await hashThrough(readContent(source), pace, write);
      if (found.bytes !== bytes) throw new BackupError(`${path} changes while it is read`);
      await write(tarPadding(bytes));
      return { path, ...found };
    },
    async end(manifest) {
      const text = Buffer.from(`${JSON.stringify(manifest)}\n`);
      await write(tarHeader(MANIFEST, text.byteLength));
      await write(text);
      await write(tarPadding(text.byteLength));
      await write(TAR_END);
      return undefined;
    },
  };
}

/** The header of a regular file (mode 0600). @throws RangeError where the path has over 100 bytes */
export function tarHeader(path: string, bytes: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(path) > 100) throw new RangeError(`${path} is too long for a header`);
  header.write(path, 0);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  if (bytes <= MAX_OCTAL) header.write(octal(bytes, 12), 124);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(bytes), 128);
  }
  header.write(octal(Math.floor(Date.now() / 1000), 12), 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

export function tarPadding(bytes: number): Uint8Array {
  return new Uint8Array((BLOCK - (bytes % BLOCK)) % BLOCK);
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

/** The sum of all bytes, those of the checksum itself counted as spaces. */
function checksum(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

export async function openArchive(path: string): Promise<BackupSource> {
  const file = await open(path, 'r');
  let manifest: Manifest | undefined;
  async function* entries(): AsyncGenerator<SourceEntry> {
    for await (const entry of readTar(file)) {
      if (manifest) throw new BackupError('the archive goes on after its manifest');
      if (entry.path === MANIFEST) manifest = readManifest(await textOf(entry));
      else yield entry;
    }
  }
  return {
    bytes: (await file.stat()).size,
    entries,
    manifest() {
      if (!manifest) throw new BackupError('the archive has no manifest: it is not whole');
      return manifest;
    },
    close: () => file.close(),
  };
}

async function textOf({ bytes, content }: SourceEntry): Promise<string> {
  if (bytes > MAX_MANIFEST_BYTES) throw new BackupError('the manifest is too large');
  return Buffer.concat(await Array.fromAsync(content)).toString('utf8');
}

async function* readTar(file: FileHandle): AsyncGenerator<SourceEntry> {
  const { size } = await file.stat();
  let at = 0;
  for (;;) {
    const header = await readBlock(file, at);
    at += BLOCK;
    if (header.every((byte) => byte === 0)) break;
    const { path, bytes } = readHeader(header);
    if (at + bytes > size) throw cutOff();
    yield { path, bytes, content: readRange(file, at, bytes) };
    at += bytes + tarPadding(bytes).byteLength;
  }
  const last = await readBlock(file, at);
  if (size !== at + BLOCK || last.some((byte) => byte !== 0))
    throw new BackupError('the archive does not end as pqrs ends one: it is cut off, or altered');
}

function readHeader(header: Buffer): { path: string; bytes: number } {
  const text = (from: number, length: number) =>
    header.toString('latin1', from, from + length).replace(/\0.*$/s, '');
  if (text(257, 5) !== 'ustar' || Number.parseInt(text(148, 8), 8) !== checksum(header))
    throw new BackupError('this is no backup of pqrs: it is no tar archive, or damaged');
  const path = text(0, 100);
  if (text(156, 1) !== '0' || text(345, 155) !== '')
    throw new BackupError(`the archive holds ${JSON.stringify(path)}, which is no plain file`);
  const large = header[124] === 0x80;
  const bytes = large ? Number(header.readBigUInt64BE(128)) : Number.parseInt(text(124, 12), 8);
  if (!Number.isSafeInteger(bytes) || bytes < 0) throw new BackupError('a size cannot be read');
  return { path, bytes };
}

async function* readRange(file: FileHandle, from: number, bytes: number) {
  const end = from + bytes;
  for (let at = from; at < end; ) {
    const buffer = new Uint8Array(Math.min(READ_BYTES, end - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, at);
    if (bytesRead === 0) throw cutOff();
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function readBlock(file: FileHandle, at: number): Promise<Buffer> {
  const block = Buffer.alloc(BLOCK);
  const { bytesRead } = await file.read(block, 0, BLOCK, at);
  if (bytesRead < BLOCK) throw cutOff();
  return block;
}

function cutOff(): BackupError {
  return new BackupError('the archive is cut off');
}

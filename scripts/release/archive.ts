// Archives with the same bytes for the same content: tar (POSIX ustar), gzip, and ar for Debian packages.
import { gzipSync } from 'node:zlib';

export interface Entry {
  /** A path without a leading slash; a folder's ends with one. */
  path: string;
  content: string | Uint8Array;
  mode?: number;
}

const BLOCK_BYTES = 512;

/**
 * A gzipped tar of some entries, sorted by path, all of them root's.
 * @param mtime seconds since 1970
 */
export function tarGz(entries: readonly Entry[], mtime: number): Buffer {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  const parts = sorted.flatMap((entry) => {
    const content = Buffer.from(entry.content);
    const padding = Buffer.alloc(-content.byteLength & (BLOCK_BYTES - 1));
    return [tarHeader(entry, content.byteLength, mtime), content, padding];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_BYTES)]));
}

function tarHeader({ path, mode }: Entry, bytes: number, mtime: number): Buffer {
  const isFolder = path.endsWith('/');
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tar header`);
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, width: number) =>
    header.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at);
  header.write(path, 0);
  octal(mode ?? (isFolder ? 0o755 : 0o644), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(mtime, 136, 12);
  header.write('        ', 148);
  header.write(isFolder ? '5' : '0', 156);
  header.write('ustar\x0000root', 257);
  header.write('root', 297);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/**
 * An ar archive, as Debian packages are.
 * @param mtime seconds since 1970
 */
export function ar(entries: readonly Entry[], mtime: number): Buffer {
  const parts = entries.flatMap(({ path, content, mode = 0o100644 }) => {
    const bytes = Buffer.from(content);
    const fields: [string, number][] = [
      [path, 16],
      [String(mtime), 12],
      ['0', 6],
      ['0', 6],
      [mode.toString(8), 8],
      [String(bytes.byteLength), 10],
    ];
    const header = fields.map(([text, width]) => text.padEnd(width)).join('');
    return [Buffer.from(`${header}\`\n`), bytes, Buffer.alloc(bytes.byteLength % 2, '\n')];
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}

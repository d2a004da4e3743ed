// Opens a `.reqifz` (a ZIP of `.reqif` documents and the files that they embed) within limits on
// entries, unpacked size and ratio, and takes nothing on trust: names, sizes and checksums.

import { Inflate } from 'fflate';
import { detectFormat } from './detect.ts';
import { crc32 } from './reqif-crc32.ts';
import type { ReqifReport } from './reqif-report.ts';
import { some } from './reqif-report.ts';

const MiB = 1024 * 1024;

/** Limits of an archive. The ratio is for entries over one MiB unpacked. */
export const ARCHIVE_LIMITS = { entries: 10_000, unpackedBytes: 128 * MiB, ratio: 200 } as const;

/** How much of an `.xml` entry is looked at to know what it is, and of all of them together. */
const LOOK = { entryBytes: 64 * 1024, allBytes: 16 * MiB } as const;

/** A document in an archive. */
export interface ArchivedDocument {
  name: string;
  bytes: Uint8Array;
}

interface Entry {
  name: string;
  flags: number;
  method: number;
  crc: number;
  packed: number;
  unpacked: number;
  offset: number;
}

/** Whether the bytes begin as those of a ZIP archive, an empty one included. */
export function isArchive(bytes: Uint8Array): boolean {
  const [a, b, c, d] = bytes;
  return a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6));
}

/** A reason for which an archive, or an entry of one, cannot be read. */
class ArchiveFault extends Error {}

/**
 * The ReqIF documents in an archive, by name. What is unsafe, damaged or an attachment is in the
 * report; an archive without any document is reported as `unparsed_source`.
 */
export function openArchive(bytes: Uint8Array, report: ReqifReport): ArchivedDocument[] {
  let entries: Entry[];
  try {
    entries = directoryOf(bytes).filter(({ name }) => !name.endsWith('/'));
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error;
    report.lose('unparsed_source', 'error', 0, `Not read: ${error.message}.`);
    return [];
  }
  const documents: ArchivedDocument[] = [];
  const attachments: string[] = [];
  const seen = new Set<string>();
  const isDocument = documentFinder(bytes);
  let budget: number = ARCHIVE_LIMITS.unpackedBytes;
  let chosen = 0;
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))) {
    if (!isSafeName(entry.name)) {
      const detail = `The entry ${JSON.stringify(entry.name.slice(0, 200))} is not named by a plain path within the archive, with "/" between its parts; it was not read.`;
      report.lose('unsafe_archive_entry', 'error', 0, detail);
    } else if (!isDocument(entry)) {
      attachments.push(entry.name);
    } else if (seen.has(entry.name)) {
      const detail = `The archive holds ${entry.name} more than once; the others were not read.`;
      report.lose('unsafe_archive_entry', 'error', 0, detail);
    } else {
      seen.add(entry.name);
      chosen += 1;
      try {
        const content = unpack(bytes, entry, budget);
        budget -= content.length;
        documents.push({ name: entry.name, bytes: content });
      } catch (error) {
        if (!(error instanceof ArchiveFault)) throw error;
        report.lose('unparsed_source', 'error', 0, `${entry.name} was not read: ${error.message}.`);
      }
    }
  }
  if (attachments.length > 0) {
    const detail = `Attachments are not kept (${attachments.length}): ${some(attachments)}.`;
    report.lose('attachment_ignored', 'info', 0, detail);
  }
  if (chosen === 0) {
    report.lose('unparsed_source', 'error', 0, 'The archive holds no .reqif document.');
  }
  return documents;
}

/** Tells documents from attachments: by their names, and `.xml` entries by how they begin. */
function documentFinder(bytes: Uint8Array): (entry: Entry) => boolean {
  let budget: number = LOOK.allBytes;
  return (entry) => {
    // What macOS keeps beside a file, under its name.
    if (/(?:^|\/)(?:__MACOSX\/|\._)/.test(entry.name)) return false;
    if (/\.reqif$/i.test(entry.name)) return true;
    if (!/\.xml$/i.test(entry.name) || budget <= 0) return false;
    try {
      const head = headOf(bytes, entry, Math.min(LOOK.entryBytes, budget));
      budget -= head.length;
      return detectFormat({ path: entry.name, bytes: head }) === 'reqif';
    } catch (error) {
      if (!(error instanceof ArchiveFault)) throw error;
      return false;
    }
  };
}

function isSafeName(name: string): boolean {
  return (
    name !== '' &&
    !/^[/\\]|^[A-Za-z]:|\\|\0/.test(name) &&
    !name.split('/').some((part) => part === '..' || part === '.')
  );
}

/** The central directory (APPNOTE 4.3.12), which alone says what an archive holds. */
function directoryOf(bytes: Uint8Array): Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  const least = Math.max(0, end - 0xffff);
  while (end >= least && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < least) throw new ArchiveFault('the end of the archive is missing');
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count === 0xffff || at === 0xffffffff) throw new ArchiveFault('it is a ZIP64 archive');
  if (count > ARCHIVE_LIMITS.entries) {
    throw new ArchiveFault(`it has ${count} entries, more than ${ARCHIVE_LIMITS.entries}`);
  }
  const entries: Entry[] = [];
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > end || view.getUint32(at, true) !== 0x02014b50) {
      throw new ArchiveFault('its directory is damaged');
    }
    const nameLength = view.getUint16(at + 28, true);
    const next =
      at + 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    const flags = view.getUint16(at + 8, true);
    const name = bytes.subarray(at + 46, at + 46 + nameLength);
    entries.push({
      name: new TextDecoder((flags & 0x800) === 0 ? 'windows-1252' : 'utf-8').decode(name),
      flags,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      unpacked: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    });
    at = next;
  }
  return entries;
}

/** The content of an entry, which ends as soon as it is more than was declared or is left. */
function unpack(bytes: Uint8Array, entry: Entry, budget: number): Uint8Array {
  const { method, unpacked } = entry;
  if (unpacked > budget) {
    throw new ArchiveFault(
      `the archive unpacks to more than ${ARCHIVE_LIMITS.unpackedBytes} bytes`,
    );
  }
  const content = packedContent(bytes, entry);
  const plain = method === 0 ? content : inflate(content, unpacked);
  if (plain.length !== unpacked) throw new ArchiveFault('its size is not what the directory says');
  if (crc32(plain) !== entry.crc) throw new ArchiveFault('its checksum is wrong');
  return plain;
}

/** How an entry begins, at most as many bytes as `most`; whether the rest is sound is not known. */
function headOf(bytes: Uint8Array, entry: Entry, most: number): Uint8Array {
  const content = packedContent(bytes, entry);
  if (entry.method === 0) return content.subarray(0, most);
  const plain = new Uint8Array(most);
  let filled = 0;
  const stream = new Inflate((chunk) => {
    const fitting = chunk.subarray(0, most - filled);
    plain.set(fitting, filled);
    filled += fitting.length;
  });
  pushPieces(stream, content, HEAD_PIECE_BYTES, () => filled < most);
  return plain.subarray(0, filled);
}

/** The bytes of an entry as they stand in the archive, where they can be unpacked. */
function packedContent(bytes: Uint8Array, entry: Entry): Uint8Array {
  const { flags, method, packed, unpacked, offset } = entry;
  if ((flags & 1) !== 0) throw new ArchiveFault('it is encrypted');
  if (method !== 0 && method !== 8) throw new ArchiveFault(`its compression ${method} is unknown`);
  if (unpacked > MiB && unpacked > packed * ARCHIVE_LIMITS.ratio) {
    throw new ArchiveFault(`it unpacks to more than ${ARCHIVE_LIMITS.ratio} times its size`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (offset + 30 > bytes.length || view.getUint32(offset, true) !== 0x04034b50) {
    throw new ArchiveFault('it is not where the directory says');
  }
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + packed > bytes.length) throw new ArchiveFault('it is cut off');
  return bytes.subarray(start, start + packed);
}

const PIECE_BYTES = 16 * 1024;
/** A piece unpacks to a thousand times its size at most. */
const HEAD_PIECE_BYTES = 256;

function inflate(packed: Uint8Array, size: number): Uint8Array {
  const plain = new Uint8Array(size);
  let filled = 0;
  const stream = new Inflate((chunk) => {
    if (filled + chunk.length > size) {
      throw new ArchiveFault('it unpacks to more than the directory says');
    }
    plain.set(chunk, filled);
    filled += chunk.length;
  });
  pushPieces(stream, packed, PIECE_BYTES, () => true);
  return plain.subarray(0, filled);
}

/** Inflates piece by piece, as long as it goes on. */
function pushPieces(
  stream: Inflate,
  packed: Uint8Array,
  size: number,
  goesOn: () => boolean,
): void {
  try {
    for (let at = 0; at < packed.length && goesOn(); at += size) {
      stream.push(packed.subarray(at, at + size), at + size >= packed.length);
    }
  } catch (error) {
    if (error instanceof ArchiveFault) throw error;
    throw new ArchiveFault('its compressed data is damaged');
  }
}

// The documents of a `.reqifz`: a ZIP of `.reqif` files and what they embed, bounded in entries,
// unpacked size and ratio. Sizes and checksums of the directory are held against the content.
import { crc32, inflateRawSync } from 'node:zlib';
import { detectFormat } from '../detect.ts';
import type { FileReport } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';

const MiB = 1024 * 1024;

export const ARCHIVE_LIMITS = { entries: 10_000, unpackedBytes: 128 * MiB, ratio: 200 } as const;

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

/**
 * The ReqIF documents in an archive, by name. Attachments, and names that are no plain path or come
 * twice, are reported as not kept.
 * @throws SourceFault for a damaged archive, one beyond the limits, or one without documents
 */
export function openArchive(
  bytes: Uint8Array,
  report: FileReport,
): { name: string; bytes: Uint8Array }[] {
  const documents = new Map<string, Uint8Array>();
  const attachments: string[] = [];
  let left: number = ARCHIVE_LIMITS.unpackedBytes;
  const entries = directoryOf(bytes).filter(({ name }) => !name.endsWith('/'));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))) {
    const { name } = entry;
    const isOther = /(?:^|\/)(?:__MACOSX\/|\._)/.test(name) || !/\.(?:reqif|xml)$/i.test(name);
    if (isOther) attachments.push(name);
    else if (!isPlainPath(name) || documents.has(name))
      report.reportLosses([{ what: 'entry', line: 0, text: JSON.stringify(name), times: 1 }]);
    else {
      const content = unpack(bytes, entry, left);
      left -= content.length;
      const isDocument =
        /f$/i.test(name) || detectFormat({ path: name, bytes: content }) === 'reqif';
      if (isDocument) documents.set(name, content);
      else attachments.push(name);
    }
  }
  if (documents.size === 0) throw new SourceFault(0, 'The archive holds no .reqif document.');
  const [first] = attachments;
  const loss = { what: 'attachment', line: 0, text: first ?? '', times: attachments.length };
  if (first !== undefined) report.reportLosses([loss], () => true);
  return [...documents].map(([name, content]) => ({ name, bytes: content }));
}

function isPlainPath(name: string): boolean {
  return (
    !/^[/\\]|^[A-Za-z]:|\\|\0/.test(name) &&
    !name.split('/').some((part) => part === '..' || part === '.')
  );
}

function directoryOf(bytes: Uint8Array): Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  const least = Math.max(0, end - 0xffff);
  while (end >= least && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < least) throw new SourceFault(0, 'The end of the archive is missing.');
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count === 0xffff || at === 0xffffffff)
    throw new SourceFault(0, 'It is a ZIP64 archive, which is not read.');
  if (count > ARCHIVE_LIMITS.entries)
    throw new SourceFault(0, `It has more than ${ARCHIVE_LIMITS.entries} entries.`);
  return Array.from({ length: count }, () => {
    if (at + 46 > end || view.getUint32(at, true) !== 0x02014b50)
      throw new SourceFault(0, 'The directory of the archive is damaged.');
    const nameEnd = at + 46 + view.getUint16(at + 28, true);
    const flags = view.getUint16(at + 8, true);
    const decoder = new TextDecoder((flags & 0x800) === 0 ? 'windows-1252' : 'utf-8');
    const entry: Entry = {
      name: decoder.decode(bytes.subarray(at + 46, nameEnd)),
      flags,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      unpacked: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    };
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    return entry;
  });
}

function unpack(bytes: Uint8Array, entry: Entry, left: number): Uint8Array {
  const { name, flags, method, crc, packed, unpacked, offset } = entry;
  const fail = (why: string): never => {
    throw new SourceFault(0, `${name}: ${why}`);
  };
  if ((flags & 1) !== 0) fail('it is encrypted');
  if (method !== 0 && method !== 8) fail(`its compression ${method} is not known`);
  if (unpacked > left) fail(`all unpacks to more than ${ARCHIVE_LIMITS.unpackedBytes} bytes`);
  if (unpacked > MiB && unpacked > packed * ARCHIVE_LIMITS.ratio)
    fail(`it unpacks to more than ${ARCHIVE_LIMITS.ratio} times its size`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (offset + 30 > bytes.length || view.getUint32(offset, true) !== 0x04034b50)
    fail('it is not where the directory has it');
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + packed > bytes.length) fail('it is cut off');
  const content = bytes.subarray(start, start + packed);
  let plain = content;
  try {
    // One byte more than it should be shows that it is more.
    if (method === 8) plain = inflateRawSync(content, { maxOutputLength: unpacked + 1 });
  } catch (error) {
    fail(`it cannot be unpacked: ${error instanceof Error ? error.message : error}`);
  }
  if (plain.length !== unpacked) fail('its size is not what the directory has');
  if (crc32(plain) !== crc) fail('its checksum is wrong');
  return plain;
}

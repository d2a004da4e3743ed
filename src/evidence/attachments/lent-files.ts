// Files without what was lent to the token that sends them.
import { Problem } from '../../errors.ts';
import type { Lent } from '../../masking/body.ts';
import type { FileStore, StagedFile } from '../../store/files/files.ts';
import { readContent } from '../../store/files/io.ts';

/** The given file is discarded. @throws Problem `archive_refused`: it cannot be searched */
export async function withoutLent(
  files: FileStore,
  file: StagedFile,
  lent: Lent | undefined,
): Promise<StagedFile> {
  if (lent === undefined) return file;
  if (!lent.allowsArchives && isArchive(file.head))
    throw new Problem(
      'archive_refused',
      'Credentials are lent to this token, and an archive cannot be searched for them: unpack it, or let an owner set allowArchives on the command.',
    );
  if (lent.mask === undefined) return file;
  const chunks = lent.mask.chunks(readContent(file.path));
  const clean = await files.receive(chunks, { limitBytes: Number.MAX_SAFE_INTEGER });
  await file.discard();
  return clean;
}

/** First bytes of formats, as hex: what stands there is packed. */
const BEGINNINGS = [
  // zip and all that is made of it, empty and split ones too
  ...['504b0304', '504b0506', '504b0708'],
  // gzip, zstd, bzip2, xz, 7z, rar, lz4, compress, lzip, lzma, ar, cabinet, cpio, xar, lzop
  ...['1f8b', '28b52ffd', '425a68', 'fd377a585a00', '377abcaf271c', '526172211a07', '04224d18'],
  ...['1f9d', '1fa0', '4c5a4950', '5d0000', '213c617263683e0a', '4d534346', '30373037', 'c771'],
  ...['78617221', '894c5a4f'],
];
const USTAR_AT = 257;

/** By how it begins: `head` is the first 512 bytes, where there are so many. */
export function isArchive(head: Uint8Array): boolean {
  const hex = Buffer.from(head.subarray(0, 8)).toString('hex');
  if (BEGINNINGS.some((beginning) => hex.startsWith(beginning))) return true;
  // A skippable frame of zstd (RFC 8878, 3.1.2).
  if (/^5[0-9a-f]2a4d18/.test(hex)) return true;
  return Buffer.from(head.subarray(USTAR_AT, USTAR_AT + 5)).toString('latin1') === 'ustar';
}

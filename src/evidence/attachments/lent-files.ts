// Files without what was lent to the token that sends them.

import { Problem } from '../../errors.ts';
import type { Lent } from '../../masking/body.ts';
import { readContent } from '../../store/files/content.ts';
import type { FileStore, StagedFile } from '../../store/files/files.ts';
import { isArchive } from './archives.ts';

/**
 * A received file without what was lent; the one that was given is discarded then.
 *
 * @throws Problem `archive_refused`: what is compressed cannot be looked through
 */
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

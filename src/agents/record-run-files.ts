// Files that go with a run: put in their place before the run is written, without what was lent to
// its agent, and taken away again where it is not.
import type { Evidence } from '../evidence/attachments.ts';
import type { FileStore, StagedFile } from '../store/files.ts';
import { readContent } from '../store/files-content.ts';
import { isContentReferenced } from '../store/references.ts';
import type { Agents } from './agents.ts';
import type { Mask } from '../http/masking.ts';
import type { HeldFile } from './record-run-body.ts';

/**
 * Keeps files for as long as work needs to write the rows that name them; those that no row names
 * then go again.
 *
 * @param work - is given them; what it writes must be durable when it resolves
 * @throws StorageUnavailable, or what the work throws
 */
export async function keepFiles<T>(
  { files: store, database }: Pick<Agents, 'files' | 'database'>,
  held: readonly HeldFile[],
  mask: Mask | undefined,
  work: (files: Evidence[]) => Promise<T>,
): Promise<T> {
  const staged: StagedFile[] = [];
  const evidence: Evidence[] = [];
  try {
    for (const { file, name, mediaType, kind } of held) {
      const clean = mask ? await masked(store, file, mask) : file;
      staged.push(clean);
      await clean.commit();
      evidence.push({
        ...{ name: mask ? mask.text(name) : name, kind, note: null, mediaType },
        ...{ bytes: clean.bytes, sha256: clean.sha256 },
      });
    }
    return await work(evidence);
  } finally {
    for (const file of staged) {
      await file.discard();
      // A sweep finds it where this fails.
      await store.remove(file.sha256, isContentReferenced(database.read)).catch(() => false);
    }
  }
}

async function masked(store: FileStore, file: StagedFile, mask: Mask): Promise<StagedFile> {
  const clean = await store.receive(mask.chunks(readContent(file.path)), {
    limitBytes: Number.MAX_SAFE_INTEGER,
  });
  await file.discard();
  return clean;
}

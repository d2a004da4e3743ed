// Files that go with a run: put in their place before the run is written, without what was lent to
// its agent, and taken away again where it is not.

import { withoutLent } from '../../evidence/attachments/lent-files.ts';
import type { Evidence } from '../../evidence/attachments/rows.ts';
import type { Lent } from '../../masking/body.ts';
import type { StagedFile } from '../../store/files/files.ts';
import { isContentReferenced } from '../../store/references.ts';
import type { Agents } from '../agents.ts';
import type { HeldFile } from './body.ts';

/**
 * Keeps files for as long as work needs to write the rows that name them; those that no row names
 * then go again.
 *
 * @param work - is given them; what it writes must be durable when it resolves
 * @throws Problem `archive_refused`; StorageUnavailable, or what the work throws
 */
export async function keepFiles<T>(
  { files: store, database }: Pick<Agents, 'files' | 'database'>,
  held: readonly HeldFile[],
  lent: Lent | undefined,
  work: (files: Evidence[]) => Promise<T>,
): Promise<T> {
  const staged: StagedFile[] = [];
  const evidence: Evidence[] = [];
  try {
    for (const { file, name, mediaType, kind } of held) {
      const clean = await withoutLent(store, file, lent);
      staged.push(clean);
      await clean.commit();
      evidence.push({
        ...{ name: lent?.mask?.text(name) ?? name, kind, note: null, mediaType },
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

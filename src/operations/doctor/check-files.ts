// The stored files: whether each is what its name says, and whether files and rows agree.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyContent } from '../../store/files/content.ts';
import { isMissing } from '../../store/files/io.ts';
import { filePath, walk } from '../../store/files/sweep.ts';
import type { Query } from './check-database.ts';
import { type Findings, REPAIRS } from './findings.ts';

const YOUNG_MS = 24 * 3600 * 1000;

const NAMED = `
  with revision as (select r.*, ' of revision ' || number || ' of ' || slug as place
    from revisions r join projects p on p.id = r.project_id)
  select sha256, 'attachment ' || id, 0 from attachments
  union all select sha256, 'source ' || path || place, 0
    from revision_sources s join revision on revision.seq = revision_seq
  union all select graph_sha256, 'graph' || place, 1 from revision
  union all select audit_sha256, 'audit' || place, 1 from revision
  union all select catalog_sha256, 'catalog' || place, 1 from revision where catalog_sha256 is not null`;

interface Named {
  what: string;
  /** Whether it can be made again of the sources. */
  isDerived: boolean;
}

/**
 * Reads every file.
 *
 * @param root - the folder of files
 * @param query - undefined where the rows cannot be read: orphans are not looked for then
 */
export async function checkFiles(
  root: string,
  now: number,
  query: Query | undefined,
  findings: Findings,
): Promise<void> {
  const named = query && (await readNamed(query));
  const missing = new Set(named?.keys());
  for await (const { path, sha256 } of walk(root)) {
    if (sha256 === undefined) {
      findings.add('file_unknown', `files/${path}`, 'pqrs did not store it', 'move it elsewhere');
      continue;
    }
    missing.delete(sha256);
    const about = named?.get(sha256);
    if (named && !about) {
      const { mtimeMs = now, ctimeMs = now } = (await statIfThere(join(root, path))) ?? {};
      if (now - Math.max(mtimeMs, ctimeMs) > YOUNG_MS)
        findings.add(
          'file_without_row',
          `files/${path}`,
          'no row names it',
          `${REPAIRS} moves it to files/trash, with --sweep also where these are many`,
        );
      continue;
    }
    const state = await verifyContent(join(root, path), sha256).catch(
      (error: Error) => error.message,
    );
    if (state === 'ok' || state === 'missing') continue;
    const detail = state === 'corrupt' ? 'it is not what was stored' : state;
    findings.add(
      'file_damaged',
      `files/${path}`,
      `${about?.what ?? 'a file'}: ${detail}`,
      repairOf(about),
    );
  }
  // What was removed meanwhile has no row any more.
  const still = query && missing.size > 0 ? await readNamed(query) : new Map<string, Named>();
  for (const sha256 of missing) {
    const about = still.get(sha256);
    const path = filePath(root, sha256);
    if (!about || (await statIfThere(path))) continue;
    const subject = `files/${path.slice(root.length + 1)}`;
    findings.add('file_missing', subject, `${about.what}: its file is not there`, repairOf(about));
  }
}

function repairOf(about: Named | undefined): string {
  return about?.isDerived
    ? `${REPAIRS} makes it again of the sources`
    : 'put it back from a backup, or send it again';
}

async function readNamed(query: Query): Promise<Map<string, Named>> {
  const rows = await query(NAMED);
  return new Map(
    rows.map(([sha256, what, isDerived]) => [
      String(sha256),
      { what: String(what), isDerived: Number(isDerived) === 1 },
    ]),
  );
}

async function statIfThere(path: string) {
  return stat(path).catch((error) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

// The stored files: whether each is what its name says, and whether files and rows agree.
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyContent } from '../../store/files/content.ts';
import { filePath, walk } from '../../store/files/sweep.ts';
import type { Query } from './check-database.ts';
import type { Findings } from './findings.ts';

const YOUNG_MS = 24 * 3600 * 1000;

const NAMED = `
  with revision as (select r.*, ' of revision ' || number || ' of ' || slug as place
    from revisions r join projects p on p.id = r.project_id)
  select sha256, 'attachment ' || id from attachments
  union all select sha256, 'source ' || path || place
    from revision_sources s join revision on revision.seq = revision_seq
  union all select graph_sha256, 'graph' || place from revision
  union all select audit_sha256, 'audit' || place from revision
  union all select catalog_sha256, 'catalog' || place from revision where catalog_sha256 is not null`;

/**
 * Reads every file.
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
    const subject = `files/${path}`;
    if (sha256 === undefined) {
      findings.add('file_unknown', subject, 'pqrs did not store it');
      continue;
    }
    missing.delete(sha256);
    const what = named?.get(sha256);
    if (named && what === undefined) {
      const { mtimeMs = now, ctimeMs = now } = (await statOf(join(root, path))) ?? {};
      if (now - Math.max(mtimeMs, ctimeMs) > YOUNG_MS)
        findings.add('file_without_row', subject, 'no row names it');
      continue;
    }
    const state = await verifyContent(join(root, path), sha256).catch(
      (error: Error) => error.message,
    );
    if (state !== 'ok' && state !== 'missing')
      findings.add('file_damaged', subject, `${what ?? 'a file'}: ${state}`);
  }
  // What was removed meanwhile has no row any more.
  const still = query && missing.size > 0 ? await readNamed(query) : new Map<string, string>();
  for (const sha256 of missing) {
    const path = filePath(root, sha256);
    const what = still.get(sha256);
    if (what !== undefined && !existsSync(path))
      findings.add('file_missing', `files/${path.slice(root.length + 1)}`, what);
  }
}

async function readNamed(query: Query): Promise<Map<string, string>> {
  const rows = await query(NAMED);
  return new Map(rows.map(([sha256, what]) => [String(sha256), String(what)]));
}

function statOf(path: string) {
  return stat(path).catch(() => undefined);
}

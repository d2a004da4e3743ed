// What the doctor mends: all of it can be made again of what is there, and nothing is deleted that
// anybody has stored. Each step is whole by itself, and may be done again.
import { chmod, lstat, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { sql } from 'drizzle-orm';
import { type Evidence, sweepFiles } from '../../evidence/evidence.ts';
import { openDerivation } from '../../requirements/graph/graphs.ts';
import { ContentGone } from '../../store/files/files.ts';
import { modeOf } from './check-folder.ts';
import type { Code, Finding } from './findings.ts';

export interface Repair {
  code: Code;
  done: string;
}

export async function repair(
  evidence: Evidence,
  findings: readonly Finding[],
  sweep = false,
): Promise<Repair[]> {
  const repairs = await repairFolder(resolve(evidence.config.dataDir), findings);
  const derive = openDerivation(evidence);
  for (const { code, subject } of findings) {
    if (code === 'search_wrong') {
      await (subject === 'issues_text' ? evidence.issuesIndex : evidence.logsIndex).rebuild();
      repairs.push({ code, done: `${subject} was made again` });
    }
    if (code !== 'file_damaged' && code !== 'file_missing') continue;
    const sha256 = basename(subject);
    const [bytes] = await evidence.database.read.values<[number]>(sql`
      select graph_bytes from revisions where graph_sha256 = ${sha256}
      union all select audit_bytes from revisions where audit_sha256 = ${sha256}
      union all select catalog_bytes from revisions where catalog_sha256 = ${sha256} limit 1`);
    if (!bytes) continue;
    try {
      await derive(sha256, Number(bytes[0]));
      repairs.push({ code, done: `${subject} was made again of its sources` });
    } catch (error) {
      // It is found again, and says what to do.
      if (!(error instanceof ContentGone)) throw error;
    }
  }
  const code = 'file_without_row';
  if (findings.some((one) => one.code === code)) {
    const { moved } = await sweepFiles(evidence, { force: sweep });
    if (moved > 0) repairs.push({ code, done: `${moved} files were moved to files/trash` });
  }
  return repairs;
}

/** Mends what needs no database. */
export async function repairFolder(
  dataDir: string,
  findings: readonly Finding[],
): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for (const { code, subject } of findings) {
    const path = join(dataDir, subject);
    if (code === 'permissions') {
      const mode = modeOf((await lstat(path)).isDirectory());
      await chmod(path, mode);
      repairs.push({ code, done: `the mode of ${subject} is ${mode.toString(8)}` });
    } else if (code === 'temporary_file') {
      await rm(path, { force: true });
      repairs.push({ code, done: `${subject} was removed` });
    }
  }
  return repairs;
}

// What the doctor mends: all of it can be made again of what is there, and nothing is deleted that
// anybody has stored. Each step is whole by itself, and may be done again.
import { chmod, lstat, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Evidence } from '../../evidence/evidence.ts';
import { sweepFiles } from '../../evidence/maintenance.ts';
import { openDerivation } from '../../requirements/graph/derive-again.ts';
import { ContentGone } from '../../store/files/files.ts';
import { extraRows, type IndexName, missingRows } from './check-database.ts';
import { modeOf } from './check-folder.ts';
import type { Code, Finding } from './findings.ts';

export interface Repair {
  code: Code;
  /** What was done, and how often. */
  done: string;
}

const BATCH_SIZE = 100;

/** Mends what it can of some findings. */
export async function repair(
  evidence: Evidence,
  findings: readonly Finding[],
  sweep = false,
): Promise<Repair[]> {
  const subjects = (code: Code) =>
    findings.filter((one) => one.code === code && one.subject).map((one) => one.subject);
  const dataDir = resolve(evidence.config.dataDir);
  const repairs = await repairFolder(dataDir, findings);
  for (const index of new Set(subjects('search_wrong')))
    repairs.push({ code: 'search_wrong', done: await indexAnew(evidence, index as IndexName) });
  for (const code of ['file_damaged', 'file_missing'] as const)
    repairs.push(...(await deriveAgain(evidence, code, subjects(code))));
  if (subjects('file_without_row').length > 0) {
    const { moved } = await sweepFiles(evidence, { force: sweep });
    if (moved > 0)
      repairs.push({ code: 'file_without_row', done: `${moved} files were moved to files/trash` });
  }
  return repairs;
}

export async function repairFolder(
  dataDir: string,
  findings: readonly Finding[],
): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for (const { code, subject } of findings) {
    if (!subject) continue;
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

async function deriveAgain(evidence: Evidence, code: Code, paths: string[]): Promise<Repair[]> {
  const repairs: Repair[] = [];
  const derive = openDerivation(evidence);
  for (const path of paths) {
    const sha256 = basename(path);
    const [bytes] = await evidence.database.read.values<[number]>(sql`
      select graph_bytes from revisions where graph_sha256 = ${sha256}
      union all select audit_bytes from revisions where audit_sha256 = ${sha256}
      union all select catalog_bytes from revisions where catalog_sha256 = ${sha256} limit 1`);
    if (!bytes) continue;
    try {
      await derive(sha256, Number(bytes[0]));
      repairs.push({ code, done: `${path} was made again of its sources` });
    } catch (error) {
      // It is found again, and says what to do.
      if (!(error instanceof ContentGone)) throw error;
    }
  }
  return repairs;
}

async function indexAnew(evidence: Evidence, name: IndexName): Promise<string> {
  const { database } = evidence;
  const index = name === 'issues_text' ? evidence.issuesIndex : evidence.logsIndex;
  let rows = 0;
  for (const [query, mend] of [
    [extraRows(name), index.removed],
    [missingRows(name), index.changed],
  ] as const) {
    for (let more = true; more; ) {
      const count = await database.write(async (db) => {
        const found = await db.values<[number]>(sql.raw(`${query} limit ${BATCH_SIZE}`));
        await mend(
          db,
          found.map(([seq]) => Number(seq)),
        );
        return found.length;
      });
      rows += count;
      more = count === BATCH_SIZE;
      await setImmediate();
    }
  }
  await index.upToDate();
  return `${rows} rows of ${name} were indexed anew`;
}

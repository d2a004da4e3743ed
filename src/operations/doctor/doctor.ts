// The doctor beside an open instance: it looks in a worker, mends here, and looks again. What it mends can
// be made again of what is there, and nothing is deleted that anybody has stored; each step is whole by
// itself, and may be done again.
import { chmod, lstat, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { sql } from 'drizzle-orm';
import { Problem } from '../../errors.ts';
import { type Evidence, sweepFiles } from '../../evidence/evidence.ts';
import { openDerivation } from '../../requirements/graph/graphs.ts';
import { keyedLock } from '../../store/client/keyed-lock.ts';
import { inWorker } from '../in-worker.ts';
import { type Code, modeOf } from './checks.ts';
import { type Finding, inspect } from './inspect.ts';

export interface DoctorReport {
  repairs: Repair[];
  findings: Finding[];
}

export interface DoctorOptions {
  repair: boolean;
  /** Whether files without a row go to the trash however many they are. */
  sweep?: boolean;
}

const serialized = keyedLock();

export function runDoctor(evidence: Evidence, options: DoctorOptions): Promise<DoctorReport> {
  return serialized('doctor', async () => {
    const findings = await inspectOpen(evidence);
    if (!options.repair) return { repairs: [], findings };
    const repairs = await repair(evidence, findings, options.sweep);
    if (repairs.length === 0) return { repairs, findings };
    evidence.log.info({ repairs: repairs.length }, 'the doctor has mended something');
    return { repairs, findings: await inspectOpen(evidence) };
  });
}

async function inspectOpen(evidence: Evidence): Promise<Finding[]> {
  const { config, limits, database, clock, faults } = evidence;
  const { freeDiskBytes } = limits;
  const job = { dataDir: resolve(config.dataDir), freeDiskBytes, now: clock() };
  const findings =
    database.kind === 'server'
      ? await inspect(job, (text) => database.read.values(sql.raw(text)))
      : await inWorker(evidence, 'inspection', job);
  const codes = new Set(findings.map(({ code }) => code));
  if (!codes.has('file_damaged') && !codes.has('file_missing')) faults.clear('files:content');
  if (database.kind === 'file' && !codes.has('database_damaged')) faults.clear('database:damage');
  return findings;
}

interface Repair {
  code: Code;
  done: string;
}

async function repair(
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
      if (!(error instanceof Problem && error.code === 'gone')) throw error;
    }
  }
  const code = 'file_without_row';
  if (findings.some((one) => one.code === code)) {
    const { moved } = await sweepFiles(evidence, { force: sweep });
    if (moved > 0) repairs.push({ code, done: `${moved} files were moved to files/trash` });
  }
  return repairs;
}

/** Repairs what needs no database. */
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

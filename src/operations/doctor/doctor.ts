// The doctor beside an open instance: it looks in a worker, mends here, and looks again.
import { resolve } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Evidence } from '../../evidence/evidence.ts';
import { keyedLock } from '../../store/client/keyed-lock.ts';
import { inWorker } from '../in-worker.ts';
import type { Finding } from './findings.ts';
import { inspect } from './inspect.ts';
import { type Repair, repair } from './repair.ts';

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

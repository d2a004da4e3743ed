// The doctor beside an open instance: it looks in a worker, mends here, and looks again.
import { resolve } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Evidence } from '../../evidence/evidence.ts';
import { startWorker } from '../../runtime/worker.ts';
import { keyedLock } from '../../store/client/keyed-lock.ts';
import type { Finding } from './findings.ts';
import { type Inspection, inspect } from './inspect.ts';
import { type Repair, repair } from './repair.ts';

export interface DoctorReport {
  /** What was mended. */
  repairs: Repair[];
  /** What is wrong, after that. */
  findings: Finding[];
}

export interface DoctorOptions {
  repair: boolean;
  /** Whether files without a row go to the trash however many they are. */
  sweep?: boolean;
}

const oneAtATime = keyedLock();

export function runDoctor(evidence: Evidence, options: DoctorOptions): Promise<DoctorReport> {
  return oneAtATime('doctor', async () => {
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
  const job = {
    dataDir: resolve(config.dataDir),
    freeDiskBytes: limits.freeDiskBytes,
    now: clock(),
  };
  const findings =
    database.kind === 'server'
      ? await inspect(job, (text) => database.read.values(sql.raw(text)))
      : await inWorker(job);
  const codes = new Set(findings.map(({ code }) => code));
  if (!codes.has('file_damaged') && !codes.has('file_missing')) faults.clear('files:content');
  if (database.kind === 'file' && !codes.has('database_damaged')) faults.clear('database:damage');
  return findings;
}

function inWorker(job: Inspection): Promise<Finding[]> {
  const worker = startWorker('operations/doctor/worker.ts', { small: true });
  return new Promise<Finding[]>((resolve, reject) => {
    worker.onmessage = ({ data }: { data: { findings: Finding[] } | { failed: string } }) => {
      if ('findings' in data) resolve(data.findings);
      else reject(new Error(data.failed));
    };
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(job);
  }).finally(() => worker.terminate());
}

// Whether the service can do its work now, told check by check with a figure for each, in the form
// of `application/health+json` (draft-inadarei-api-health-check).
import { eq } from 'drizzle-orm';
import type { Context } from '../../http/api/context.ts';
import { instance } from '../../store/tables/projects.ts';

export type CheckStatus = 'pass' | 'warn' | 'fail';

export interface Check {
  status: CheckStatus;
  observedValue?: number | string | null;
  observedUnit?: string;
  output?: string;
}

export interface Readiness {
  status: CheckStatus;
  checks: Record<string, Check[]>;
}

const BACKUP_WARNING_MS = 7 * 24 * 3600 * 1000;
const DRILL_WARNING_MS = 2 * BACKUP_WARNING_MS;
const PROBE = 'probe';
/** The row of the instance that says when the last good backup was made. */
export const LAST_BACKUP = 'last_backup_at';
/** The row that says when the newest scheduled backup was last restored. */
export const LAST_DRILL = 'last_drill_at';

/** Runs every check; the worst of them is the whole's status. */
export async function checkReadiness(context: Context): Promise<Readiness> {
  const [database, files, disk, backup, drill] = await Promise.all([
    databaseWrites(context),
    filesWrite(context),
    freeDisk(context),
    ageOf(context, LAST_BACKUP, BACKUP_WARNING_MS),
    ageOf(context, LAST_DRILL, DRILL_WARNING_MS),
  ]);
  const checks: Record<string, Check[]> = {
    'database:write': [database],
    'database:migrations': [
      {
        status: 'pass',
        observedValue: context.database.migrations.length,
        observedUnit: 'migrations',
      },
    ],
    'files:write': [files],
    'disk:free': [disk],
    'requests:underWay': [
      {
        status: 'pass',
        observedValue: context.requests.inside + context.streams.inside + context.heartbeats.inside,
        observedUnit: 'requests',
      },
    ],
    'service:draining': [draining(context)],
    'backup:age': [backup],
    // Only scheduled backups are restored to see whether they can be.
    ...(context.config.backupDir === undefined ? {} : { 'backup:drill': [drill] }),
  };
  for (const [name, fault] of context.faults.list())
    checks[name] = [...(checks[name] ?? []), fault];
  const all = Object.values(checks).flat();
  return { status: worst(all.map((check) => check.status)), checks };
}

function worst(all: CheckStatus[]): CheckStatus {
  if (all.includes('fail')) return 'fail';
  return all.includes('warn') ? 'warn' : 'pass';
}

async function databaseWrites({ database, clock }: Context): Promise<Check> {
  const began = performance.now();
  try {
    const value = String(clock());
    await database.write(async (db) => {
      await db
        .insert(instance)
        .values({ name: PROBE, value })
        .onConflictDoUpdate({ target: instance.name, set: { value } });
    });
    return {
      status: 'pass',
      observedValue: rounded(performance.now() - began),
      observedUnit: 'ms',
    };
  } catch {
    return { status: 'fail', output: 'the database does not take writes' };
  }
}

async function filesWrite({ files }: Context): Promise<Check> {
  try {
    return { status: 'pass', observedValue: rounded(await files.probe()), observedUnit: 'ms' };
  } catch {
    return { status: 'fail', output: 'the folder of files does not take writes' };
  }
}

async function freeDisk({ files, limits }: Context): Promise<Check> {
  try {
    const free = await files.freeBytes();
    const low = free < limits.freeDiskBytes;
    return {
      status: low ? 'fail' : 'pass',
      observedValue: free,
      observedUnit: 'bytes',
      ...(low ? { output: `less than ${limits.freeDiskBytes} bytes are free` } : {}),
    };
  } catch {
    return { status: 'fail', output: 'the disk does not tell its free space' };
  }
}

function draining(context: Context): Check {
  return context.draining()
    ? { status: 'fail', output: 'the service is stopping' }
    : { status: 'pass' };
}

async function ageOf(
  { database, clock }: Context,
  name: string,
  warningMs: number,
): Promise<Check> {
  try {
    const [row] = await database.read.select().from(instance).where(eq(instance.name, name));
    if (!row) return { status: 'warn', observedValue: null, output: 'there was none yet' };
    const age = clock() - Number(row.value);
    return {
      status: age > warningMs ? 'warn' : 'pass',
      observedValue: Math.round(age),
      observedUnit: 'ms',
    };
  } catch {
    return { status: 'warn', output: 'the database does not say when the last one was' };
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

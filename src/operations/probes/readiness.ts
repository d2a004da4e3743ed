// Whether the service can do its work now, check by check with a figure for each, in the form of
// `application/health+json` (draft-inadarei-api-health-check).
import { type Static, Type } from '@sinclair/typebox';
import { eq } from 'drizzle-orm';
import { oneOf } from '../../model/schemas.ts';
import type { Services } from '../../services.ts';
import type { Database } from '../../store/database.ts';
import { instance } from '../../store/tables/projects.ts';

const Status = oneOf(['pass', 'warn', 'fail']);

const Check = Type.Object(
  {
    status: Status,
    observedValue: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()])),
    observedUnit: Type.Optional(Type.String()),
    output: Type.Optional(Type.String({ description: 'What is wrong' })),
  },
  { title: 'Check' },
);
type Check = Static<typeof Check>;

export const Readiness = Type.Object(
  {
    status: Status,
    version: Type.Optional(Type.String({ description: 'Of the service' })),
    checks: Type.Optional(
      Type.Record(Type.String(), Type.Array(Check), {
        description: 'By what was measured; absent for widget and demo tokens',
      }),
    ),
  },
  { title: 'Readiness', description: 'The worst of its checks is its status' },
);

interface Probed
  extends Pick<Services, 'clock' | 'config' | 'database' | 'faults' | 'files' | 'limits'> {
  requests: { inside: number };
  streams: { inside: number };
  heartbeats: { inside: number };
  draining(): boolean;
}

const BACKUP_WARNING_MS = 7 * 24 * 3600 * 1000;
const DRILL_WARNING_MS = 2 * BACKUP_WARNING_MS;
const PROBE = 'probe';
/** The row of the instance that says when the last good backup was made. */
export const LAST_BACKUP = 'last_backup_at';
/** The row that says when the newest scheduled backup was last restored. */
export const LAST_DRILL = 'last_drill_at';

export async function checkReadiness(
  probed: Probed,
): Promise<{ status: Check['status']; checks: Record<string, Check[]> }> {
  const { config, database, faults, files, limits, clock } = probed;
  const ageOf = (name: string, warningMs: number) =>
    attempt('warn', 'the database does not say when the last one was', () =>
      checkAge(database, name, warningMs, clock()),
    );
  const [written, stored, free, backup, drill] = await Promise.all([
    attempt('fail', 'the database does not take writes', () => writeProbe(database, clock())),
    attempt('fail', 'the folder of files does not take writes', async () =>
      passed(rounded(await files.probe()), 'ms'),
    ),
    attempt('fail', 'the disk does not say what is free', async () => {
      const bytes = await files.freeBytes();
      if (bytes >= limits.freeDiskBytes) return passed(bytes, 'bytes');
      const output = `less than ${limits.freeDiskBytes} bytes are free`;
      return { ...passed(bytes, 'bytes'), status: 'fail' as const, output };
    }),
    ageOf(LAST_BACKUP, BACKUP_WARNING_MS),
    ageOf(LAST_DRILL, DRILL_WARNING_MS),
  ]);
  const { requests, streams, heartbeats } = probed;
  const underWay = requests.inside + streams.inside + heartbeats.inside;
  const checks: Record<string, Check[]> = {
    'database:write': [written],
    'database:migrations': [passed(database.migrations.length, 'migrations')],
    'files:write': [stored],
    'disk:free': [free],
    'requests:underWay': [passed(underWay, 'requests')],
    'service:draining': [
      probed.draining()
        ? { status: 'fail', output: 'the service is stopping' }
        : { status: 'pass' },
    ],
    'backup:age': [backup],
    // Only scheduled backups are restored to see whether they can be.
    ...(config.backupDir === undefined ? {} : { 'backup:drill': [drill] }),
  };
  for (const [name, fault] of faults.list()) checks[name] = [...(checks[name] ?? []), fault];
  const statuses = Object.values(checks).flatMap((all) => all.map(({ status }) => status));
  const status = (['fail', 'warn'] as const).find((one) => statuses.includes(one)) ?? 'pass';
  return { status, checks };
}

function passed(observedValue: number, observedUnit: string): Check {
  return { status: 'pass', observedValue, observedUnit };
}

async function attempt(
  status: 'warn' | 'fail',
  output: string,
  check: () => Promise<Check>,
): Promise<Check> {
  try {
    return await check();
  } catch {
    return { status, output };
  }
}

async function writeProbe(database: Database, now: number): Promise<Check> {
  const began = performance.now();
  const value = String(now);
  await database.write(async (db) => {
    await db
      .insert(instance)
      .values({ name: PROBE, value })
      .onConflictDoUpdate({ target: instance.name, set: { value } });
  });
  return passed(rounded(performance.now() - began), 'ms');
}

async function checkAge(
  database: Database,
  name: string,
  warningMs: number,
  now: number,
): Promise<Check> {
  const [row] = await database.read.select().from(instance).where(eq(instance.name, name));
  if (!row) return { status: 'warn', observedValue: null, output: 'there was none yet' };
  const age = now - Number(row.value);
  return { ...passed(Math.round(age), 'ms'), status: age > warningMs ? 'warn' : 'pass' };
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

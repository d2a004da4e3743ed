// Whether the service can do its work now, check by check with a figure for each, in the form of
// `application/health+json` (draft-inadarei-api-health-check).
import { type Static, Type } from '@sinclair/typebox';
import { oneOf } from '../../model/schemas.ts';
import type { Services } from '../../services.ts';
import { LAST_BACKUP, LAST_DRILL, readMoment } from '../../store/moments.ts';
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
  draining(): boolean;
}

const WEEK_MS = 7 * 24 * 3600 * 1000;

export async function checkReadiness(
  probed: Probed,
): Promise<{ status: Check['status']; checks: Record<string, Check[]> }> {
  const { config, database, faults, files, limits, clock } = probed;

  async function write(): Promise<Check> {
    const began = performance.now();
    const row = { name: 'probe', value: String(clock()) };
    await database.write((db) =>
      db.insert(instance).values(row).onConflictDoUpdate({ target: instance.name, set: row }),
    );
    return passed(rounded(performance.now() - began), 'ms');
  }
  async function freeDisk(): Promise<Check> {
    const bytes = await files.freeBytes();
    const check = passed(bytes, 'bytes');
    if (bytes >= limits.freeDiskBytes) return check;
    return { ...check, status: 'fail', output: `under ${limits.freeDiskBytes} bytes are free` };
  }
  async function age(name: string, warningMs: number): Promise<Check> {
    const at = await readMoment(database.read, name);
    if (at === undefined)
      return { status: 'warn', observedValue: null, output: 'there was none yet' };
    const ms = clock() - at;
    return { ...passed(Math.round(ms), 'ms'), status: ms > warningMs ? 'warn' : 'pass' };
  }

  const [written, stored, free, backup, drill] = await Promise.all([
    attempt('fail', 'the database does not take writes', write),
    attempt('fail', 'the folder of files does not take writes', async () =>
      passed(rounded(await files.probe()), 'ms'),
    ),
    attempt('fail', 'the disk does not say what is free', freeDisk),
    attempt('warn', UNKNOWN_AGE, () => age(LAST_BACKUP, WEEK_MS)),
    attempt('warn', UNKNOWN_AGE, () => age(LAST_DRILL, 2 * WEEK_MS)),
  ]);
  const stopping: Check = { status: 'fail', output: 'the service is stopping' };
  const checks: Record<string, Check[]> = {
    'database:write': [written],
    'database:migrations': [passed(database.migrations.length, 'migrations')],
    'files:write': [stored],
    'disk:free': [free],
    'service:draining': [probed.draining() ? stopping : { status: 'pass' }],
    'backup:age': [backup],
  };
  // Only scheduled backups are restored to see whether they can be.
  if (config.backupDir !== undefined) checks['backup:drill'] = [drill];
  for (const [name, fault] of faults.list()) checks[name] = [...(checks[name] ?? []), fault];
  const statuses = Object.values(checks).flatMap((all) => all.map(({ status }) => status));
  const status = (['fail', 'warn'] as const).find((one) => statuses.includes(one)) ?? 'pass';
  return { status, checks };
}

const UNKNOWN_AGE = 'the database does not say when the last one was';

function passed(observedValue: number, observedUnit: string): Check {
  return { status: 'pass', observedValue, observedUnit };
}

async function attempt(
  status: 'warn' | 'fail',
  output: string,
  check: () => Promise<Check>,
): Promise<Check> {
  return check().catch(() => ({ status, output }));
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

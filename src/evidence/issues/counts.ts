// How many issues a project has, by status and severity, as triggers count them.
import { type Static, Type } from '@sinclair/typebox';
import { eq } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { issueCounts, issues } from '../../store/tables/evidence.ts';

const STATUSES = issues.status.enumValues;
const SEVERITIES = issues.severity.enumValues;
export const OPEN_STATUSES = ['open', 'triaged', 'in_progress'] as const;

const Count = Type.Integer({ minimum: 0 });

type BySeverity = Record<(typeof SEVERITIES)[number] | 'total', number>;
const BySeverity = Type.Unsafe<BySeverity>(
  Type.Object(Object.fromEntries(['total', ...SEVERITIES].map((name) => [name, Count])), {
    title: 'SeverityCounts',
  }),
);

export const IssueCounts = Type.Object(
  {
    all: BySeverity,
    open: BySeverity,
    statuses: Type.Unsafe<Record<(typeof STATUSES)[number], BySeverity>>(
      Type.Object(Object.fromEntries(STATUSES.map((status) => [status, BySeverity]))),
    ),
    duplicates: Type.Integer({ minimum: 0, description: 'Which are counted nowhere else' }),
  },
  {
    title: 'IssueCounts',
    description: 'How many there are; `open` are those that are open, triaged or in progress',
  },
);
export type IssueCounts = Static<typeof IssueCounts>;

function none() {
  return Object.fromEntries(['total', ...SEVERITIES].map((name) => [name, 0])) as BySeverity;
}

export async function countIssues(db: Db, projectId: string): Promise<IssueCounts> {
  const statuses = Object.fromEntries(
    STATUSES.map((status) => [status, none()]),
  ) as IssueCounts['statuses'];
  const counts: IssueCounts = { all: none(), open: none(), statuses, duplicates: 0 };
  const rows = await db.select().from(issueCounts).where(eq(issueCounts.projectId, projectId));
  for (const { status, severity, isDuplicate, count } of rows) {
    if (isDuplicate) {
      counts.duplicates += count;
      continue;
    }
    const isOpen = OPEN_STATUSES.some((one) => one === status);
    for (const sums of [counts.all, statuses[status], ...(isOpen ? [counts.open] : [])]) {
      sums.total += count;
      sums[severity] += count;
    }
  }
  return counts;
}

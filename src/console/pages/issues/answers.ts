// What the API answers about issues, and the words for it.
import type { Static } from '@sinclair/typebox';
import type { IssueCounts } from '../../../evidence/issues/counts.ts';
import type { Issue as IssueSchema, IssueSummary } from '../../../evidence/issues/model.ts';
import { SEVERITIES } from '../../parts/status.tsx';

export type Issue = Static<typeof IssueSchema>;
export type Summary = Static<typeof IssueSummary>;
export type Status = Issue['status'];
export type Severity = Issue['severity'];

export const STATUSES = [
  'open',
  'triaged',
  'in_progress',
  'resolved',
  'verified',
  'closed',
] as const satisfies Status[];

export const UNRESOLVED: readonly Status[] = STATUSES.slice(0, 3);

/** Where an issue may go from where it is; the server decides. */
export const MOVES: Record<Status, readonly Status[]> = {
  open: ['triaged', 'in_progress', 'resolved'],
  triaged: ['in_progress', 'resolved'],
  in_progress: ['resolved', 'triaged'],
  resolved: ['verified', 'closed', 'open'],
  verified: ['closed', 'open'],
  closed: ['open'],
};

/** Those of a comma-separated list that are known. */
export function listed<T extends string>(text: string | null, known: readonly T[]): T[] {
  const given = text?.split(',') ?? [];
  return known.filter((one) => given.includes(one));
}

/** How many there are of some statuses and severities; of no severity means of any. */
export function sumOf(
  counts: IssueCounts,
  statuses: readonly Status[],
  severities: readonly Severity[],
): number {
  const wanted = severities.length > 0 ? severities : SEVERITIES;
  return statuses.reduce(
    (sum, status) => wanted.reduce((all, one) => all + counts.statuses[status][one], sum),
    0,
  );
}

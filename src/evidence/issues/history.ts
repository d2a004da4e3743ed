// The history of issues: what a change changed, and its entry.
import type { Actor } from '../../access/caller.ts';
import type { Db } from '../../store/database.ts';
import { type IssueRow, issueChanges } from '../../store/tables/evidence.ts';
import type { HistoryEntry } from './view.ts';
import { issueSummary } from './view.ts';

type Change = HistoryEntry['changes'][number];

const NOT_HISTORY = new Set(['version', 'updatedAt', 'occurrences']);

export function changesBetween(before: IssueRow, after: IssueRow): Change[] {
  const from: Record<string, unknown> = issueSummary(before);
  const to: Record<string, unknown> = issueSummary(after);
  return Object.keys(to)
    .filter((field) => !NOT_HISTORY.has(field))
    .filter((field) => JSON.stringify(from[field]) !== JSON.stringify(to[field]))
    .map((field) => ({ field, from: from[field], to: to[field] }));
}

/** Writes an entry of what a change changed, inside the caller's write. */
export async function recordChange(
  db: Db,
  change: {
    before: IssueRow;
    after: IssueRow;
    event: string;
    actor: Actor;
    at: number;
    extra?: Change[];
  },
): Promise<void> {
  const { before, after, event, actor, at, extra = [] } = change;
  await db.insert(issueChanges).values({
    issueId: before.id,
    at,
    byToken: actor.tokenId,
    byLabel: actor.label,
    event,
    changes: [...changesBetween(before, after), ...extra],
  });
}

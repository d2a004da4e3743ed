// Which stories issues name: rows that are found by the story, and a count by which others see that
// something about them has changed.
import { and, eq } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { traces } from '../../store/tables/assurance.ts';
import { type IssueRow, issueStories } from '../../store/tables/evidence.ts';

/** Counts, by project, the changes of issues that name stories. */
export interface StoryIssues {
  count(projectId: string): number;
  /** To be called after the commit of such a change. */
  changed(projectId: string): void;
}

/** A count that begins at 0. */
export function createStoryIssues(): StoryIssues {
  const counts = new Map<string, number>();
  return {
    count: (projectId) => counts.get(projectId) ?? 0,
    changed: (projectId) => void counts.set(projectId, (counts.get(projectId) ?? 0) + 1),
  };
}

/** Whether an issue names stories, or a trace links it with one. */
export async function concernsStories(
  db: Db,
  { projectId, id, storyIds }: Pick<IssueRow, 'projectId' | 'id' | 'storyIds'>,
): Promise<boolean> {
  if (storyIds.length > 0) return true;
  const [row] = await db
    .select({ seq: traces.seq })
    .from(traces)
    .where(
      and(eq(traces.projectId, projectId), eq(traces.targetKind, 'issue'), eq(traces.targetId, id)),
    )
    .limit(1);
  return row !== undefined;
}

/** Puts down the stories that an issue names, inside the caller's write. */
export async function nameStories(
  db: Db,
  { projectId, id }: { projectId: string; id: string },
  storyIds: readonly string[],
): Promise<void> {
  if (storyIds.length === 0) return;
  await db
    .insert(issueStories)
    .values([...new Set(storyIds)].map((storyId) => ({ projectId, storyId, issueId: id })));
}

/** The same for an issue that has named others. */
export async function renameStories(
  db: Db,
  issue: { projectId: string; id: string },
  storyIds: readonly string[],
): Promise<void> {
  await db.delete(issueStories).where(eq(issueStories.issueId, issue.id));
  await nameStories(db, issue, storyIds);
}

// Which stories issues name: rows that are found by the story.
import { eq } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { issueStories } from '../../store/tables/evidence.ts';

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

export async function renameStories(
  db: Db,
  issue: { projectId: string; id: string },
  storyIds: readonly string[],
): Promise<void> {
  await db.delete(issueStories).where(eq(issueStories.issueId, issue.id));
  await nameStories(db, issue, storyIds);
}

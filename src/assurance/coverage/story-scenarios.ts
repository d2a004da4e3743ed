// Scenarios as the stories see them: those of the sources, and beside them the stored ones with the
// links that they declare.
import { and, asc, eq, ne } from 'drizzle-orm';
import { storyIdsInTag } from '../../quality/reports/story-links.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { Db } from '../../store/database.ts';
import { scenarios } from '../../store/tables/quality.ts';
import type { StoryTrace } from './model.ts';
import { addLink } from './story-commands.ts';

/** A scenario that is no part of the sources. */
export interface StoredScenario {
  key: string;
  feature: string | null;
  title: string;
  /** Of its steps and examples. */
  fingerprint: string;
  storyIds: readonly string[];
  tags: readonly string[];
}

export interface StoredScenarios {
  find(key: string): StoredScenario | undefined;
  all: readonly StoredScenario[];
  /** The links that they declare, by the ids that they name. */
  linksOf: ReadonlyMap<string, readonly StoryTrace[]>;
}

export const NO_SCENARIOS: StoredScenarios = {
  find: () => undefined,
  all: [],
  linksOf: new Map(),
};

/** The stored scenarios of a project that are in use, the oldest first. */
export function readScenarios(db: Db, projectId: string): Promise<StoredScenario[]> {
  return db
    .select({
      key: scenarios.key,
      feature: scenarios.feature,
      title: scenarios.title,
      fingerprint: scenarios.fingerprint,
      storyIds: scenarios.storyIds,
      tags: scenarios.tags,
    })
    .from(scenarios)
    .where(and(eq(scenarios.projectId, projectId), ne(scenarios.state, 'archived')))
    .orderBy(asc(scenarios.seq));
}

/** Stored scenarios beside those of the sources; of two with one key, that of the sources counts. */
export function storedScenarios(
  rows: readonly StoredScenario[],
  { scenarios: imported }: Catalog,
): StoredScenarios {
  if (rows.length === 0) return NO_SCENARIOS;
  const repeated = new Set(imported.map(({ key }) => key));
  const all = rows.filter(({ key }) => !repeated.has(key));
  const byKey = new Map(all.map((scenario) => [scenario.key, scenario]));
  const linksOf = new Map<string, StoryTrace[]>();
  for (const { key, storyIds, tags } of all) {
    if (storyIds.length === 0) continue;
    const named = new Set(storyIds);
    const tagged = new Set(tags.flatMap((tag) => storyIdsInTag(tag, named)));
    const target = { kind: 'scenario', id: key } as const;
    for (const storyId of named) {
      addLink(linksOf, storyId, { target, origin: tagged.has(storyId) ? 'tag' : 'declared' });
    }
  }
  return { find: (key) => byKey.get(key), all, linksOf };
}

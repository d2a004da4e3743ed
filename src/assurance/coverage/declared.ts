// Test commands and scenarios as the stories see them, with the links that they declare.
import { and, asc, eq, ne } from 'drizzle-orm';
import { stateOf } from '../../quality/commands/model.ts';
import { createStoryLinks } from '../../quality/reports/story-links.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { Db } from '../../store/database.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import { scenarios } from '../../store/tables/quality.ts';
import type { StoryTrace } from './model.ts';

type CommandField = 'id' | 'key' | 'name' | 'state' | 'quarantine' | 'fingerprint' | 'storyIds';
type CommandRow = Pick<TestCommandRow, CommandField>;

export type StoryCommand = Omit<CommandRow, 'state'> & { state: ReturnType<typeof stateOf> };

export type StoryCommands = ReturnType<typeof storyCommands>;

export function storyCommands(rows: readonly CommandRow[], now: number) {
  const byName = new Map<string, StoryCommand>();
  /** By the ids that they name; those of archived commands are gone. */
  const linksOf = new Map<string, StoryTrace[]>();
  /** When the first quarantine ends, milliseconds since the epoch. */
  let until = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const { id, key, storyIds, quarantine } = row;
    const state = stateOf(row, now);
    const command = { ...row, state };
    byName.set(key, command).set(id, command);
    if (state === 'quarantined') until = Math.min(until, quarantine?.until ?? until);
    if (state === 'archived') continue;
    const target = { kind: 'command', id } as const;
    for (const storyId of new Set(storyIds))
      addLink(linksOf, storyId, { target, origin: 'declared' });
  }
  return { find: (idOrKey: string) => byName.get(idOrKey), linksOf, until };
}

/** Adds a link that no row holds: it verifies, and is valid for as long as it is declared. */
export function addLink(
  linksOf: Map<string, StoryTrace[]>,
  storyId: string,
  link: Pick<StoryTrace, 'target' | 'origin'>,
): void {
  const own = { id: null, storyId, type: 'verifies', state: 'valid', row: undefined } as const;
  const trace: StoryTrace = { ...own, ...link };
  const list = linksOf.get(storyId);
  if (list) list.push(trace);
  else linksOf.set(storyId, [trace]);
}

export function readScenarios(db: Db, projectId: string) {
  const { key, feature, title, fingerprint, storyIds, tags } = scenarios;
  return db
    .select({ key, feature, title, fingerprint, storyIds, tags })
    .from(scenarios)
    .where(and(eq(scenarios.projectId, projectId), ne(scenarios.state, 'archived')))
    .orderBy(asc(scenarios.seq));
}

export type StoredScenario = Awaited<ReturnType<typeof readScenarios>>[number];

export type StoredScenarios = ReturnType<typeof storedScenarios>;

/** The scenarios of a project; of two with one key, that of the sources counts. */
export function storedScenarios(rows: readonly StoredScenario[], catalog: Catalog) {
  const imported = new Map<string, Set<string>>();
  for (const { key, storyIds } of catalog.scenarios)
    imported.set(key, new Set([...(imported.get(key) ?? []), ...storyIds]));
  /** Those of the sources first, by the ids that they name. */
  const linksOf = new Map<string, StoryTrace[]>();
  for (const [id, storyIds] of imported) {
    const target = { kind: 'scenario', id } as const;
    for (const storyId of storyIds) addLink(linksOf, storyId, { target, origin: 'import' });
  }
  const all = rows.filter(({ key }) => !imported.has(key));
  const byKey = new Map(all.map((scenario) => [scenario.key, scenario]));
  for (const { key, storyIds, tags } of all) {
    const named = new Set(storyIds);
    const tagged = new Set(tags.flatMap(createStoryLinks(named).inTag));
    const target = { kind: 'scenario', id: key } as const;
    for (const storyId of named)
      addLink(linksOf, storyId, { target, origin: tagged.has(storyId) ? 'tag' : 'declared' });
  }
  return {
    /** Those that are in no source. */
    all,
    find: (key: string) => byKey.get(key),
    has: (key: string) => imported.has(key) || byKey.has(key),
    linksOf,
  };
}

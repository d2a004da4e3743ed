// Test commands and scenarios as the stories see them, with the links that they declare.
import { and, asc, eq, ne } from 'drizzle-orm';
import { stateOf } from '../../quality/commands/model.ts';
import { storyIdsInTag } from '../../quality/reports/story-links.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { Db } from '../../store/database.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import { scenarios } from '../../store/tables/quality.ts';
import type { StoryTrace } from './model.ts';

type CommandField = 'id' | 'key' | 'name' | 'state' | 'quarantine' | 'fingerprint' | 'version';
type CommandRow = Pick<TestCommandRow, CommandField | 'credentials' | 'storyIds'>;

/** A command with the state that is in effect. */
export type StoryCommand = Omit<CommandRow, 'state'> & { state: ReturnType<typeof stateOf> };

export interface StoryCommands {
  find(idOrKey: string): StoryCommand | undefined;
  /** The links that commands declare, by the ids that they name; those of archived ones are gone. */
  linksOf: ReadonlyMap<string, readonly StoryTrace[]>;
  /** When the first quarantine ends, milliseconds since the epoch; infinite where there is none. */
  until: number;
}

export function storyCommands(rows: readonly CommandRow[], now: number): StoryCommands {
  const byName = new Map<string, StoryCommand>();
  const linksOf = new Map<string, StoryTrace[]>();
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
  return { find: (idOrKey) => byName.get(idOrKey), linksOf, until };
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

/** The stored scenarios of a project that are in use, the oldest first. */
export function readScenarios(db: Db, projectId: string) {
  const { key, feature, title, fingerprint, storyIds, tags } = scenarios;
  return db
    .select({ key, feature, title, fingerprint, storyIds, tags })
    .from(scenarios)
    .where(and(eq(scenarios.projectId, projectId), ne(scenarios.state, 'archived')))
    .orderBy(asc(scenarios.seq));
}

export type StoredScenario = Awaited<ReturnType<typeof readScenarios>>[number];

export interface StoredScenarios {
  /** Those that are in no source. */
  all: readonly StoredScenario[];
  find(key: string): StoredScenario | undefined;
  /** Whether there is a scenario, stored or of the sources. */
  has(key: string): boolean;
  /** The links that scenarios declare, those of the sources first, by the ids that they name. */
  linksOf: ReadonlyMap<string, readonly StoryTrace[]>;
}

/** The scenarios of a project; of two with one key, that of the sources counts. */
export function storedScenarios(
  rows: readonly StoredScenario[],
  catalog: Catalog,
): StoredScenarios {
  const imported = new Map<string, Set<string>>();
  for (const { key, storyIds } of catalog.scenarios) {
    const known = imported.get(key) ?? new Set();
    imported.set(key, known);
    for (const storyId of storyIds) known.add(storyId);
  }
  const linksOf = new Map<string, StoryTrace[]>();
  for (const [id, storyIds] of imported) {
    const target = { kind: 'scenario', id } as const;
    for (const storyId of storyIds) addLink(linksOf, storyId, { target, origin: 'import' });
  }
  const all = rows.filter(({ key }) => !imported.has(key));
  const byKey = new Map(all.map((scenario) => [scenario.key, scenario]));
  for (const { key, storyIds, tags } of all) {
    const named = new Set(storyIds);
    const tagged = new Set(tags.flatMap((tag) => storyIdsInTag(tag, named)));
    const target = { kind: 'scenario', id: key } as const;
    for (const storyId of named)
      addLink(linksOf, storyId, { target, origin: tagged.has(storyId) ? 'tag' : 'declared' });
  }
  return {
    all,
    find: (key) => byKey.get(key),
    has: (key) => imported.has(key) || byKey.has(key),
    linksOf,
  };
}

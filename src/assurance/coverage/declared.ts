// Test commands and stored scenarios as the stories see them, with the links that they declare.

import { and, asc, eq, ne } from 'drizzle-orm';
import type { CommandState } from '../../quality/commands/model.ts';
import { stateOf } from '../../quality/commands/model.ts';
import { storyIdsInTag } from '../../quality/reports/story-links.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { Db } from '../../store/database.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import { scenarios } from '../../store/tables/quality.ts';
import type { StoryTrace } from './model.ts';

export interface StoryCommand {
  id: string;
  key: string;
  name: string;
  /** The state in effect. */
  state: CommandState;
  /** Of what it runs. */
  fingerprint: string;
  /** It names credentials: an owner alone changes its state. */
  guarded: boolean;
  /** The stories that it names, each once. */
  storyIds: readonly string[];
  version: number;
}

export interface StoryCommands {
  /** A command by its id or its key. */
  find(idOrKey: string): StoryCommand | undefined;
  /** The links that commands declare, by the ids that they name; those of archived ones are gone. */
  linksOf: ReadonlyMap<string, readonly StoryTrace[]>;
  /** When the first quarantine ends, milliseconds since the epoch; infinite where there is none. */
  until: number;
}

export const NO_COMMANDS: StoryCommands = {
  find: () => undefined,
  linksOf: new Map(),
  until: Number.POSITIVE_INFINITY,
};

type CommandRow = Pick<
  TestCommandRow,
  | 'id'
  | 'key'
  | 'name'
  | 'state'
  | 'quarantine'
  | 'fingerprint'
  | 'credentials'
  | 'storyIds'
  | 'version'
>;

export function storyCommands(rows: readonly CommandRow[], now: number): StoryCommands {
  if (rows.length === 0) return NO_COMMANDS;
  const byName = new Map<string, StoryCommand>();
  const linksOf = new Map<string, StoryTrace[]>();
  let until = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const { id, key, name, fingerprint, version } = row;
    const state = stateOf(row, now);
    const storyIds = [...new Set(row.storyIds)];
    const guarded = row.credentials.length > 0;
    const command = { id, key, name, state, fingerprint, guarded, storyIds, version };
    byName.set(key, command);
    byName.set(id, command);
    if (state === 'quarantined') until = Math.min(until, row.quarantine?.until ?? until);
    if (state === 'archived') continue;
    const target = { kind: 'command', id } as const;
    for (const storyId of storyIds) addLink(linksOf, storyId, { target, origin: 'declared' });
  }
  return { find: (idOrKey) => byName.get(idOrKey), linksOf, until };
}

/** Adds a link that no row holds: it verifies, and is valid for as long as it is declared. */
export function addLink(
  linksOf: Map<string, StoryTrace[]>,
  storyId: string,
  link: Pick<StoryTrace, 'target' | 'origin'>,
): void {
  const trace: StoryTrace = { id: null, type: 'verifies', ...link, state: 'valid' };
  const list = linksOf.get(storyId);
  if (list) list.push(trace);
  else linksOf.set(storyId, [trace]);
}

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

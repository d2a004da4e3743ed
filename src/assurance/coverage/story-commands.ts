// Test commands as the stories see them: which of them cover the stories that they name, and what
// they are called.
import type { CommandState } from '../../quality/commands/model.ts';
import { stateOf } from '../../quality/commands/model.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
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

/** The commands of a project at a moment. */
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

// The commands that next actions could use, of all that a project has: more than a handoff shows.
import { and, eq, ne } from 'drizzle-orm';
import { readRunningCommands } from '../../assurance/results/running-commands.ts';
import { stateOf } from '../../quality/commands/model.ts';
import type { Db } from '../../store/database.ts';
import { commandStats, testCommands } from '../../store/tables/quality.ts';
import { namesId } from './names-id.ts';
import type { UncoveredStory } from './waiting.ts';

export interface CommandsAtHand {
  /** Those that may be run, but for those that agents run now. */
  active: number;
  /** Those that agents run now. */
  running: number;
  /** Those of the active that never ran. */
  unrun: number;
  /** The id of one that verifies the uncovered story, by all it says; null where there is none. */
  toLink: string | null;
}

/**
 * Reads which commands are at hand, by their keys.
 *
 * @param uncovered - the story that one is to be linked to
 */
export async function readCommandsAtHand(
  db: Db,
  projectId: string,
  now: number,
  uncovered: Pick<UncoveredStory, 'storyId' | 'runners'> | null,
): Promise<CommandsAtHand> {
  const { id, key, name, kind, argv, tags, state, quarantine } = testCommands;
  const rows = await db
    .select({ id, key, name, kind, argv, tags, state, quarantine, ran: commandStats.lastRunId })
    .from(testCommands)
    .leftJoin(commandStats, eq(commandStats.commandId, testCommands.id))
    .where(and(eq(testCommands.projectId, projectId), ne(testCommands.state, 'archived')))
    .orderBy(testCommands.key);
  const active = rows.filter((row) => stateOf(row, now) === 'active');
  const isOf = ({ storyId, runners }: Pick<UncoveredStory, 'storyId' | 'runners'>) =>
    active.find(
      (row) =>
        // One that somebody carries out by hand was made for its own stories.
        row.kind !== 'manual' &&
        (runners.includes(row.id) ||
          [row.key, row.name, ...listOf(row.argv), ...listOf(row.tags)].some((text) =>
            namesId(text, storyId),
          )),
    );
  const running = await readRunningCommands(db, projectId);
  const idle = active.filter((row) => !running.has(row.id));
  return {
    active: idle.length,
    running: active.length - idle.length,
    unrun: idle.filter(({ ran }) => ran === null).length,
    toLink: (uncovered && isOf(uncovered)?.id) ?? null,
  };
}

function listOf(text: string): string[] {
  return text === '[]' ? [] : (JSON.parse(text) as string[]);
}

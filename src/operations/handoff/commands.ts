// The commands of a project: those that a handoff shows, and those that next actions could use.
import { and, eq, inArray, ne } from 'drizzle-orm';
import { pastOf } from '../../agents/plan/score.ts';
import { DEFAULT_SETTINGS } from '../../agents/plan/settings.ts';
import { listGaps } from '../../assurance/coverage/gaps.ts';
import { readRunningCommands } from '../../assurance/results/running-commands.ts';
import type { AssuranceState } from '../../assurance/state/state.ts';
import type { NextStory } from '../../assurance/workflow/next-story.ts';
import { timestamp } from '../../clock.ts';
import { stateOf } from '../../quality/commands/model.ts';
import type { Db } from '../../store/database.ts';
import { planItems } from '../../store/tables/agents.ts';
import {
  type CommandStatsRow,
  commandStats,
  type TestCommandRow,
  testCommands,
} from '../../store/tables/quality.ts';
import { type Excerpt, type HandoffCommand, SHOWN } from './model.ts';

export interface StoredCommand {
  command: TestCommandRow;
  stats: CommandStatsRow | null;
  state: string;
}

/** Commands that are not archived, by their keys. */
export async function readCommands(
  db: Db,
  projectId: string,
  now: number,
): Promise<StoredCommand[]> {
  const rows = await db
    .select({ command: testCommands, stats: commandStats })
    .from(testCommands)
    .leftJoin(commandStats, eq(commandStats.commandId, testCommands.id))
    .where(and(eq(testCommands.projectId, projectId), ne(testCommands.state, 'archived')))
    .orderBy(testCommands.key);
  return rows.map((row) => ({ ...row, state: stateOf(row.command, now) }));
}

export function showCommands(commands: readonly StoredCommand[]): Excerpt<HandoffCommand> {
  const items = commands.slice(0, SHOWN.commands).map(({ command, stats, state }) => {
    const { quarantine } = command;
    return {
      id: command.id,
      key: command.key,
      name: command.name,
      kind: command.kind,
      argv: command.argv,
      cwd: command.cwd,
      env: Object.keys(command.env).sort(),
      credentials: command.credentials,
      timeoutMs: command.timeoutMs,
      report: command.report,
      storyIds: command.storyIds,
      routes: command.routes,
      tags: command.tags,
      state,
      quarantine: quarantine && { ...quarantine, until: timestamp(quarantine.until) },
      lastRun: stats && {
        id: stats.lastRunId,
        status: stats.lastStatus,
        at: timestamp(stats.lastAt),
      },
    };
  });
  return { total: commands.length, items };
}

export interface AvailableCommands {
  /** Those that may be run, but for those that agents run now. */
  active: number;
  /** Those that agents run now. */
  running: number;
  /** Those of the active that never ran. */
  unrun: number;
  /** The id of one that verifies the uncovered story, by all it says; null where there is none. */
  toLink: string | null;
}

export async function availableCommands(
  db: Db,
  projectId: string,
  commands: readonly StoredCommand[],
  uncovered: Pick<NextStory, 'id' | 'runners'> | null,
): Promise<AvailableCommands> {
  const active = commands.filter(({ state }) => state === 'active');
  const running = await readRunningCommands(db, projectId);
  const idle = active.filter(({ command }) => !running.has(command.id));
  return {
    active: idle.length,
    running: active.length - idle.length,
    unrun: idle.filter(({ stats }) => stats === null).length,
    toLink: (uncovered && commandOf(uncovered, active)?.command.id) ?? null,
  };
}

function commandOf(
  { id: storyId, runners }: Pick<NextStory, 'id' | 'runners'>,
  active: readonly StoredCommand[],
): StoredCommand | undefined {
  const named = standsAlone(storyId);
  return active.find(({ command }) => {
    const { id, key, name, argv, tags, kind } = command;
    // One that somebody carries out by hand was made for its own stories.
    if (kind === 'manual') return false;
    const texts = [key, name, ...argv, ...tags];
    return runners.includes(id) || texts.some((text) => named.test(text));
  });
}

/** Finds an id that is not a part of a longer one. */
function standsAlone(id: string): RegExp {
  const [letter, mark] = ['[\\p{L}\\p{N}_]', '[-.:~]'];
  const literal = id.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return new RegExp(`(?<!${letter}|${letter}${mark})${literal}(?!${letter}|${mark}${letter})`, 'u');
}

/**
 * Counts the commands that a plan of failures would hold for the sake of stories that fail: what made
 * these fail was their run, and they are in no plan yet. A test that no command ran is no plan's.
 *
 * @param planIds - of the plans that are not worked off
 */
export async function countFailedCommands(
  db: Db,
  state: AssuranceState,
  commands: readonly StoredCommand[],
  planIds: string[],
): Promise<number> {
  const failing = new Set(
    listGaps(state)
      .items.flatMap(({ gaps }) => gaps)
      .filter(({ gap }) => gap === 'failing_test')
      .map(({ target }) => target && state.results.of(target)?.commandId),
  );
  if (failing.size === 0) return 0;
  const planned = await db
    .select({ id: planItems.commandId })
    .from(planItems)
    .where(and(inArray(planItems.planId, planIds), inArray(planItems.state, ['open', 'claimed'])));
  for (const { id } of planned) failing.delete(id);
  return commands.filter(({ command, stats }) => {
    const outcomes = stats?.outcomes ?? '';
    const past = pastOf({ outcomes, lastOrdinal: null }, DEFAULT_SETTINGS);
    return failing.has(command.id) && past.failures > 0;
  }).length;
}

// What is learned of a command from its runs that count: how often it passed, how long it took,
// how its newest runs went.
import { inArray } from 'drizzle-orm';
import { optionalTimestamp } from '../../clock.ts';
import type { Db } from '../../store/database.ts';
import { type CommandStatsRow, commandStats } from '../../store/tables/quality.ts';
import { shareOf } from '../runs/flaky.ts';
import type { RunStatus } from '../runs/verdict.ts';

const DURATIONS_KEPT = 100;

/** A run that counts, by the names of what is known of the last one. */
export type LearnedRun = Omit<
  CommandStatsRow,
  'runs' | 'passed' | 'flaky' | 'outcomes' | 'durations'
> & { flaky: boolean };

/** What is known of a command; undefined where none of its runs counted yet. */
export async function statsOf(db: Db, commandId: string): Promise<CommandStatsRow | undefined> {
  return (await statsOfAll(db, [commandId])).get(commandId);
}

export async function statsOfAll(db: Db, commandIds: string[]) {
  const ids = inArray(commandStats.commandId, commandIds);
  const rows = await db.select().from(commandStats).where(ids);
  return new Map(rows.map((row) => [row.commandId, row]));
}

/** Adds a run to what is known of its command, inside the write that records it. */
export async function learnFromRun(db: Db, run: LearnedRun): Promise<void> {
  const after = withRun(await statsOf(db, run.commandId), run);
  await db
    .insert(commandStats)
    .values(after)
    .onConflictDoUpdate({ target: commandStats.commandId, set: after });
}

export function withRun(
  before: CommandStatsRow | undefined,
  { flaky, ...last }: LearnedRun,
): CommandStatsRow {
  const outcome = last.lastStatus as RunStatus;
  const durations = [last.lastDurationMs ?? [], before?.durations ?? []].flat();
  return {
    ...last,
    runs: (before?.runs ?? 0) + 1,
    passed: (before?.passed ?? 0) + (outcome === 'passed' ? 1 : 0),
    flaky: (before?.flaky ?? 0) + (flaky ? 1 : 0),
    outcomes: remember(before?.outcomes ?? '', { outcome, flaky }),
    durations: durations.slice(0, DURATIONS_KEPT),
  };
}

/** The duration that a share of the runs did not exceed (nearest rank); null for no durations. */
export function percentile(durations: readonly number[], share: number): number | null {
  const sorted = durations.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

export function statsView(row: CommandStatsRow | undefined) {
  const { runs = 0, passed = 0, flaky = 0, durations = [] } = row ?? {};
  return {
    runs,
    passRate: shareOf(passed, runs).share,
    flakeRate: shareOf(flaky, runs).share,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    lastStatus: (row?.lastStatus ?? null) as RunStatus | null,
    lastRunId: row?.lastRunId ?? null,
    lastAt: optionalTimestamp(row?.lastAt ?? null),
  };
}

export type Outcome = 'passed' | 'failed' | 'broken' | 'skipped';

/** Runs of a command that are remembered, the newest: what is older has faded. */
export const REMEMBERED_RUNS = 40;

export const LETTERS: Record<Outcome, string> = {
  passed: 'p',
  failed: 'f',
  broken: 'b',
  skipped: 's',
};

/** The history with a run in front: a letter a run, a capital where it was flaky. */
export function remember(outcomes: string, run: { outcome: Outcome; flaky: boolean }): string {
  const letter = LETTERS[run.outcome];
  return ((run.flaky ? letter.toUpperCase() : letter) + outcomes).slice(0, REMEMBERED_RUNS);
}

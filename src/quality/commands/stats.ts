// What is learned of a command from its runs that count: how often it passed, how long it took,
// how its newest runs went.
import { eq, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { type CommandStatsRow, commandStats } from '../../store/tables/quality.ts';
import { shareOf } from '../runs/share.ts';
import type { RunStatus } from '../runs/verdict.ts';

const DURATIONS_KEPT = 100;

export interface LearnedRun {
  projectId: string;
  commandId: string;
  runId: string;
  /** Of its results; a later run has a greater one. */
  batch: number;
  status: RunStatus;
  flaky: boolean;
  /** When it ended, in milliseconds since the epoch. */
  at: number;
  durationMs: number | null;
  /** The how manyth it is of the project's runs that count. */
  ordinal: number;
  /** The command's fingerprint when it ran. */
  fingerprint: string;
}

const byCommand = prepared((db) =>
  db
    .select()
    .from(commandStats)
    .where(eq(commandStats.commandId, sql.placeholder('commandId')))
    .prepare(),
);

/** What is known of a command; undefined where none of its runs counted yet. */
export async function statsOf(db: Db, commandId: string): Promise<CommandStatsRow | undefined> {
  const [row] = await byCommand(db).all({ commandId });
  return row;
}

/**
 * Adds a run to what is known of its command, inside the caller's write. It is to be called once a
 * run: in the write that marks the run as settled. A run that is settled after a later one counts,
 * and stands behind that one.
 */
export async function learnFromRun(db: Db, run: LearnedRun): Promise<void> {
  const before = await statsOf(db, run.commandId);
  const after = withRun(before, run);
  if (before)
    await db.update(commandStats).set(after).where(eq(commandStats.commandId, run.commandId));
  else await db.insert(commandStats).values(after);
}

export function withRun(before: CommandStatsRow | undefined, run: LearnedRun): CommandStatsRow {
  const isLast = before === undefined || run.batch >= before.lastBatch;
  const letter = outcomeLetter(run.status, run.flaky);
  const durations = before ? [...before.durations] : [];
  if (run.durationMs !== null) {
    const place = isLast || before.lastDurationMs === null ? 0 : 1;
    durations.splice(place, 0, Math.round(run.durationMs));
  }
  return {
    commandId: run.commandId,
    projectId: run.projectId,
    runs: (before?.runs ?? 0) + 1,
    passed: (before?.passed ?? 0) + (run.status === 'passed' ? 1 : 0),
    flaky: (before?.flaky ?? 0) + (run.flaky ? 1 : 0),
    outcomes: inserted(before?.outcomes ?? '', letter, isLast ? 0 : 1).slice(0, REMEMBERED_RUNS),
    durations: durations.slice(0, DURATIONS_KEPT),
    ...(isLast
      ? {
          lastRunId: run.runId,
          lastBatch: run.batch,
          lastStatus: run.status,
          lastAt: run.at,
          lastDurationMs: run.durationMs === null ? null : Math.round(run.durationMs),
          lastOrdinal: run.ordinal,
          lastFingerprint: run.fingerprint,
        }
      : lastOf(before)),
  };
}

function inserted(text: string, letter: string, at: number): string {
  return text.slice(0, at) + letter + text.slice(at);
}

function lastOf(row: CommandStatsRow) {
  const { lastRunId, lastBatch, lastStatus, lastAt, lastDurationMs, lastOrdinal } = row;
  const { lastFingerprint } = row;
  return {
    lastRunId,
    lastBatch,
    lastStatus,
    lastAt,
    lastDurationMs,
    lastOrdinal,
    lastFingerprint,
  };
}

/** The duration that a share of the runs did not exceed (nearest rank); null for no durations. */
export function percentile(durations: readonly number[], share: number): number | null {
  const sorted = durations.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

export function statsView(row: CommandStatsRow | undefined) {
  if (!row) {
    return {
      runs: 0,
      passRate: null,
      flakeRate: null,
      p50Ms: null,
      p95Ms: null,
      lastStatus: null,
      lastRunId: null,
      lastAt: null,
    };
  }
  const durations = row.durations;
  return {
    runs: row.runs,
    passRate: shareOf(row.passed, row.runs).share,
    flakeRate: shareOf(row.flaky, row.runs).share,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    lastStatus: row.lastStatus as RunStatus,
    lastRunId: row.lastRunId,
    lastAt: timestamp(row.lastAt),
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

export function outcomeLetter(outcome: Outcome, flaky: boolean): string {
  return flaky ? LETTERS[outcome].toUpperCase() : LETTERS[outcome];
}

export function remember(outcomes: string, run: { outcome: Outcome; flaky: boolean }): string {
  return (outcomeLetter(run.outcome, run.flaky) + outcomes).slice(0, REMEMBERED_RUNS);
}

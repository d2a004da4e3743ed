// Reading test commands from their table.
import { and, asc, desc, eq, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import { etagOf } from '../../model/etag.ts';
import { listHolds, prepared } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import {
  type CommandStatsRow,
  commandStats,
  type TestCommandRow,
  testCommands,
} from '../../store/tables/quality.ts';
import { shownBy } from '../lists.ts';
import { shareOf } from '../runs/flaky.ts';
import type { Strip } from '../runs/strips.ts';
import type { RunStatus } from '../runs/verdict.ts';
import { type CommandFilters, type CommandState, stateOf, TestCommand } from './model.ts';

const byId = prepared((db) =>
  db
    .select()
    .from(testCommands)
    .where(eq(testCommands.id, sql.placeholder('id')))
    .prepare(),
);

export async function getCommand(db: Db, projectId: string, id: string): Promise<TestCommandRow> {
  const [row] = await byId(db).all({ id });
  if (!row || row.projectId !== projectId) throw notFound('test command');
  return row;
}

export async function commandsOf(db: Db, projectId: string): Promise<TestCommandRow[]> {
  const ofProject = eq(testCommands.projectId, projectId);
  return db.select().from(testCommands).where(ofProject).orderBy(asc(testCommands.seq));
}

/** A command by its id or its key, of which no one has the form of an id; undefined for none. */
export async function findCommand(
  db: Db,
  projectId: string,
  idOrKey: string,
): Promise<TestCommandRow | undefined> {
  const named = or(eq(testCommands.id, idOrKey), eq(testCommands.key, idOrKey));
  const [row] = await db
    .select()
    .from(testCommands)
    .where(and(eq(testCommands.projectId, projectId), named));
  return row;
}

/** A page, the newest first, with one row more than the limit; `behind`: the `seq` seen last. */
export async function listCommandRows(
  db: Db,
  projectId: string,
  filters: CommandFilters,
  { behind, limit, now }: { behind: number | undefined; limit: number; now: number },
): Promise<TestCommandRow[]> {
  const { kind, state, key, name } = filters;
  const conditions = [
    eq(testCommands.projectId, projectId),
    behind === undefined ? undefined : lt(testCommands.seq, behind),
    kind && inArray(testCommands.kind, kind),
    state && or(...state.map((one) => isIn(one, now))),
    key && inArray(testCommands.key, key),
    name && inArray(testCommands.name, name),
    ...(['storyIds', 'routes', 'tags', 'credentials'] as const).map((list) => {
      const wanted = filters[list];
      return wanted && listHolds(testCommands[list], wanted);
    }),
  ];
  return db
    .select()
    .from(testCommands)
    .where(and(...conditions))
    .orderBy(desc(testCommands.seq))
    .limit(limit + 1);
}

function isIn(state: CommandState, now: number): SQL | undefined {
  const isStored = eq(testCommands.state, state);
  const until = sql`json_extract(${testCommands.quarantine}, '$.until')`;
  if (state === 'quarantined') return and(isStored, sql`${until} > ${now}`);
  if (state !== 'active') return isStored;
  return or(isStored, and(eq(testCommands.state, 'quarantined'), sql`${until} <= ${now}`));
}

/** @param options - `seesValues`: values of variables are shown, else their names alone */
export function commandView(
  row: TestCommandRow,
  stats: CommandStatsRow | undefined,
  strip: Strip,
  { seesValues, now }: { seesValues: boolean; now: number },
) {
  const { env, quarantine } = row;
  return shownBy(TestCommand, {
    ...row,
    ...strip,
    env: seesValues ? env : Object.fromEntries(Object.keys(env).map((name) => [name, null])),
    state: stateOf(row, now),
    quarantine: quarantine && { ...quarantine, until: timestamp(quarantine.until) },
    stats: statsView(stats),
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  });
}

export function commandEtag(view: { version: number }): string {
  return etagOf(view.version, JSON.stringify(view));
}

const DURATIONS_KEPT = 100;

type LearnedRun = Omit<CommandStatsRow, 'runs' | 'passed' | 'flaky' | 'outcomes' | 'durations'> & {
  flaky: boolean;
};

export async function statsOf(db: Db, commandId: string): Promise<CommandStatsRow | undefined> {
  return (await statsOfAll(db, [commandId])).get(commandId);
}

export async function statsOfAll(db: Db, commandIds: string[]) {
  const ids = inArray(commandStats.commandId, commandIds);
  const rows = await db.select().from(commandStats).where(ids);
  return new Map(rows.map((row) => [row.commandId, row]));
}

export async function learnFromRun(db: Db, { flaky, ...last }: LearnedRun): Promise<void> {
  const before = await statsOf(db, last.commandId);
  const outcome = last.lastStatus as RunStatus;
  const durations = [last.lastDurationMs ?? [], before?.durations ?? []].flat();
  const after = {
    ...last,
    runs: (before?.runs ?? 0) + 1,
    passed: (before?.passed ?? 0) + (outcome === 'passed' ? 1 : 0),
    flaky: (before?.flaky ?? 0) + (flaky ? 1 : 0),
    outcomes: remember(before?.outcomes ?? '', { outcome, flaky }),
    durations: durations.slice(0, DURATIONS_KEPT),
  };
  await db
    .insert(commandStats)
    .values(after)
    .onConflictDoUpdate({ target: commandStats.commandId, set: after });
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

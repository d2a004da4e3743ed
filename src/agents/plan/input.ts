// What a plan is made of, read from the database: commands with what is learned of their runs, where
// the stories stand, and the runs of the past.
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { findTest } from '../../assurance/results/model.ts';
import type { AssuranceState } from '../../assurance/state/state.ts';
import { notFoundAt, Problem } from '../../errors.ts';
import { stateOf } from '../../quality/commands/model.ts';
import { percentile } from '../../quality/commands/rows.ts';
import type { RunStatus } from '../../quality/runs/verdict.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { yieldToEventLoop } from '../../runtime/scheduler.ts';
import type { Db } from '../../store/database.ts';
import type { Pins } from '../../store/tables/json.ts';
import { commandStats, runPins, testCommands } from '../../store/tables/quality.ts';
import type { Agents } from '../agents.ts';
import type { PlanCommand, PlanInput, PlanRequest, PlanStory } from './model.ts';
import type { PastRun } from './replay.ts';
import { ESTIMATE_RUNS, priorityLevel } from './score.ts';

/**
 * Reads what a plan is made of. Yields to the event loop between pages.
 * @param request - stories that differ from what they said at `sinceRevision` are changed
 */
export async function loadPlanInput(
  agents: Pick<Agents, 'database' | 'states' | 'graphs' | 'clock'>,
  projectId: string,
  request: PlanRequest & { sinceRevision?: number | undefined },
): Promise<PlanInput & { revision: number }> {
  const { read } = agents.database;
  const state = await agents.states.of(projectId);
  await state.coverage().ready();
  const { effective } = state;
  const changed = await changesSince(agents, effective, request.sinceRevision);
  const linked = await linkedStories(state);
  await yieldToEventLoop();
  const stories = storiesOf(state, changed);
  const commands: PlanCommand[] = [];
  const now = agents.clock();
  let rows: CommandRow[] = [];
  do {
    rows = await readCommands(read, projectId, rows.at(-1)?.command.seq ?? 0);
    for (const row of rows) commands.push(commandOf(row, effective, linked, now));
    await yieldToEventLoop();
  } while (rows.length === PAGE_SIZE);
  const [newest] = await read.values<[ordinal: number]>(sql`
    select ordinal from test_runs where project_id = ${projectId} and counts = 1
    order by seq desc limit 1`);
  const revision = effective.revision?.number ?? 0;
  return { commands, stories, ordinal: newest?.[0] ?? 0, request, revision };
}

const PAGE_SIZE = 500;
const TESTS_STEP = 5000;
const MAX_DIGITS = 20;

type CommandRow = Awaited<ReturnType<typeof readCommands>>[number];

async function readCommands(db: Db, projectId: string, behind: number) {
  const { seq, id, key, storyIds, routes, tags, state, quarantine, fingerprint } = testCommands;
  const { outcomes, durations, lastOrdinal, lastFingerprint } = commandStats;
  // The text of what an estimate looks at, and some more: all that is known takes long to read.
  const recent = sql<string>`substr(${durations}, 1, ${ESTIMATE_RUNS * MAX_DIGITS})`;
  return db
    .select({
      command: { seq, id, key, storyIds, routes, tags, state, quarantine, fingerprint },
      stats: { outcomes, recent, lastOrdinal, lastFingerprint },
      pins: runPins.pins,
    })
    .from(testCommands)
    .leftJoin(commandStats, eq(commandStats.commandId, testCommands.id))
    .leftJoin(runPins, eq(runPins.batch, commandStats.lastBatch))
    .where(and(eq(testCommands.projectId, projectId), gt(seq, behind)))
    .orderBy(asc(seq))
    .limit(PAGE_SIZE);
}

function commandOf(
  { command, stats, pins }: CommandRow,
  effective: Effective,
  linked: ReadonlyMap<string, ReadonlySet<string>>,
  now: number,
): PlanCommand {
  const { id, key, routes, tags } = command;
  const storyIds = [...command.storyIds, ...(linked.get(id) ?? []), ...(linked.get(key) ?? [])];
  return {
    id,
    key,
    routes,
    tags,
    storyIds,
    estimateMs: stats && percentile(firstNumbers(stats.recent), 0.5),
    state: stateOf(command, now),
    changedSince:
      stats !== null &&
      (stats.lastFingerprint !== command.fingerprint || hasOtherText(storyIds, pins, effective)),
    history: { outcomes: stats?.outcomes ?? '', lastOrdinal: stats?.lastOrdinal ?? null },
  };
}

/** What follows a number in its text, parseFloat passes over. */
function firstNumbers(text: string): number[] {
  if (text === '[]') return [];
  return text
    .slice(1)
    .split(',', ESTIMATE_RUNS)
    .map((number) => Number.parseFloat(number));
}

function hasOtherText(storyIds: readonly string[], pins: string | null, effective: Effective) {
  let then: Pins | undefined;
  for (const id of storyIds) {
    const node = effective.node(id);
    // Most say what they said: then its pin stands in the text, which need not be parsed.
    if (!node || pins?.includes(`${JSON.stringify(id)}:["${node.fingerprint}"`)) continue;
    then ??= JSON.parse(pins ?? '{}') as Pins;
    const before = Object.hasOwn(then, id) ? then[id]?.[0] : undefined;
    if (before === undefined || effective.under(id, before) !== before) return true;
  }
  return false;
}

/** The stories that links verify by a command, named by id or key, or by a test that it last reported. */
async function linkedStories({ traces, tests }: AssuranceState) {
  const found = new Map<string, Set<string>>();
  const link = (command: string | null | undefined, storyIds: readonly string[]) => {
    if (!command || storyIds.length === 0) return;
    const linked = found.get(command) ?? new Set();
    for (const id of storyIds) linked.add(id);
    found.set(command, linked);
  };
  for (const { type, targetKind, targetId, storyId } of traces) {
    if (type !== 'verifies') continue;
    if (targetKind === 'command') link(targetId, [storyId]);
    if (targetKind === 'test') link(findTest(tests, targetId)?.result?.commandId, [storyId]);
  }
  let looked = 0;
  for (const test of tests.tests.values()) {
    link(test.result?.commandId, test.storyIds);
    looked += 1;
    if (looked % TESTS_STEP === 0) await yieldToEventLoop();
  }
  return found;
}

function storiesOf(state: AssuranceState, changed: ReadonlySet<string>): PlanStory[] {
  const { effective, issuesOf } = state;
  return state.coverage().stories.map(({ storyId, status, inherited }) => ({
    id: storyId,
    status,
    inherited,
    changed: changed.has(storyId),
    priority: priorityLevel(effective.node(storyId)?.priority),
    openIssues: issuesOf.get(storyId)?.map(({ id }) => id) ?? [],
  }));
}

async function changesSince(
  { graphs }: Pick<Agents, 'graphs'>,
  effective: Effective,
  number: number | undefined,
): Promise<ReadonlySet<string>> {
  if (number === undefined) return new Set();
  const revision = await graphs.revision(effective.projectId, number).catch((error) => {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    throw notFoundAt('/sinceRevision', `there is no revision ${number} in this project`);
  });
  const { nodes } = await graphs.graph(revision);
  const then = new Map(nodes.map(({ id, fingerprint }) => [id, fingerprint]));
  const changed = effective.index.graph.nodes.filter(({ id, fingerprint }) => {
    const before = then.get(id);
    if (before === fingerprint) return false;
    return before === undefined || effective.under(id, before) !== before;
  });
  return new Set(changed.map(({ id }) => id));
}

const EVALUATED_RUNS = 20_000;
const RUNS_PAGE = 1000;

type PastRow = [
  seq: number,
  commandId: string,
  status: RunStatus,
  durationMs: number | null,
  flaky: number,
  cycle: string,
];

/**
 * The newest runs of a project's commands that count. Runs of one plan are a cycle; of the others
 * those at one commit in one environment; then those of one suite; and then those of one day, in
 * UTC.
 */
export async function readPastRuns(db: Db, projectId: string): Promise<PastRun[]> {
  const rows: PastRow[] = [];
  const [first] = await db.values<[seq: number]>(sql`
    select seq from test_runs where project_id = ${projectId} and counts = 1
    order by seq desc limit 1 offset ${EVALUATED_RUNS}`);
  let page: PastRow[] = [];
  do {
    page = await db.values<PastRow>(sql`
      select seq, command_id, status, duration_ms, coalesce(json_extract(totals, '$.flaky'), 0) > 0,
        case
          when plan_id is not null then 'plan ' || plan_id
          when commit_id is not null then 'commit ' || commit_id || ' ' || coalesce(environment, '')
          when suite_id is not null then 'suite ' || suite_id
          else 'day ' || date(created_at / 1000, 'unixepoch')
        end
      from test_runs
      where project_id = ${projectId} and counts = 1 and command_id is not null
        and seq > ${page.at(-1)?.[0] ?? first?.[0] ?? 0}
      order by seq limit ${RUNS_PAGE}`);
    rows.push(...page);
    await yieldToEventLoop();
  } while (page.length === RUNS_PAGE);
  // One of which no duration is known is taken to last as long as most.
  const known = rows.flatMap(([, , , durationMs]) => durationMs ?? []);
  const typicalMs = percentile(known, 0.5) ?? 0;
  return rows.map(([, commandId, outcome, durationMs, flaky, cycle]) => {
    return { commandId, outcome, durationMs: durationMs ?? typicalMs, flaky: flaky === 1, cycle };
  });
}

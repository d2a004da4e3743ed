// What a plan is made of, read from the database: commands with what is learned of their runs, where
// the stories stand, and the runs of the past.
import { sql } from 'drizzle-orm';
import { findTest, type KnownTest } from '../../assurance/results/model.ts';
import type { AssuranceState } from '../../assurance/state/state.ts';
import { notFoundAt, Problem } from '../../errors.ts';
import { stateOf } from '../../quality/commands/model.ts';
import { percentile } from '../../quality/commands/stats.ts';
import type { Pins } from '../../quality/runs/pins.ts';
import type { RunStatus } from '../../quality/runs/verdict.ts';
import { yieldToEventLoop } from '../../quality/scheduler.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { executeRaw } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import type { Agents } from '../agents.ts';
import type { PlanCommand, PlanInput, PlanRequest, PlanStory } from './model.ts';
import type { PastRun } from './replay.ts';
import { priorityLevel } from './score.ts';
import { ESTIMATE_RUNS } from './settings.ts';

/**
 * Reads what a plan is made of. Yields to the event loop between pages.
 *
 * @param request - stories that differ from what they said at `sinceRevision` are changed
 * @throws Problem `not_found` for a revision that there is not
 */
export async function loadPlanInput(
  agents: Pick<Agents, 'database' | 'states' | 'graphs' | 'clock'>,
  projectId: string,
  request: PlanRequest & { sinceRevision?: number | undefined },
): Promise<PlanInput & { revision: number }> {
  const { read } = agents.database;
  const state = await agents.states.of(projectId);
  const { effective } = state;
  const changed = await changesSince(agents, effective, request.sinceRevision);
  const linked = await linkedStories(state);
  await yieldToEventLoop();
  const stories = storiesOf(state, changed);
  const commands: PlanCommand[] = [];
  const now = agents.clock();
  let rows: CommandRow[] = [];
  do {
    rows = await readCommands(read, projectId, rows.at(-1)?.[0] ?? 0);
    for (const row of rows) commands.push(commandOf(row, effective, linked, now));
    await yieldToEventLoop();
  } while (rows.length === PAGE_SIZE);
  const [newest] = await read.values<[ordinal: number]>(sql`
    select ordinal from test_runs where project_id = ${projectId} and counts = 1
    order by seq desc limit 1`);
  const revision = effective.revision?.number ?? 0;
  return { commands, stories, ordinal: newest?.[0] ?? 0, request, revision };
}

type CommandRow = [
  seq: number,
  id: string,
  key: string,
  storyIds: string,
  routes: string,
  tags: string,
  state: string,
  quarantine: string | null,
  outcomes: string | null,
  durations: string | null,
  lastOrdinal: number | null,
  isOther: number | null,
  pins: string | null,
];

const PAGE_SIZE = 500;
const TESTS_STEP = 5000;

// Read raw: Drizzle would take as long again to map the rows.
async function readCommands(db: Db, projectId: string, behind: number): Promise<CommandRow[]> {
  const text = `
    select c.seq, c.id, c.key, c.story_ids, c.routes, c.tags, c.state, c.quarantine, s.outcomes,
      s.durations, s.last_ordinal, s.last_fingerprint <> c.fingerprint, p.pins
    from test_commands c indexed by test_commands_project
    left join command_stats s on s.command_id = c.id
    left join run_pins p on p.batch = s.last_batch
    where c.project_id = ? and c.seq > ?
    order by c.seq limit ${PAGE_SIZE}`;
  const rows = await executeRaw(db, text, [projectId, behind]);
  // A row of a libSQL server has places, and is no list.
  return rows.map((row) => Array.from(row as unknown as CommandRow) as CommandRow);
}

function commandOf(
  row: CommandRow,
  effective: Effective,
  linked: ReadonlyMap<string, LinkedStories>,
  now: number,
): PlanCommand {
  const [, id, key, storyIds, routes, tags, state, quarantine, outcomes, durations] = row;
  const [lastOrdinal, isOther, pins] = row.slice(10) as [
    number | null,
    number | null,
    string | null,
  ];
  const declared = listOf(storyIds);
  const own = linked.get(id);
  const named = linked.get(key);
  return {
    id,
    key,
    routes: listOf(routes),
    tags: listOf(tags),
    storyIds:
      own || named
        ? [...new Set([...declared, ...(own?.storyIds ?? NONE), ...(named?.storyIds ?? NONE)])]
        : declared,
    estimateMs: durations === null ? null : medianOf(durations),
    state: stateOf({ state, quarantine: quarantine && JSON.parse(quarantine) }, now),
    changedSince:
      lastOrdinal !== null &&
      (isOther === 1 ||
        hasOtherText(declared, pins, true, effective) ||
        hasOtherText(own?.ofTests ?? NONE, pins, false, effective)),
    history: { outcomes: outcomes ?? '', lastOrdinal },
  };
}

const NONE: readonly string[] = [];

function listOf(json: string): readonly string[] {
  return json === '[]' ? NONE : (JSON.parse(json) as string[]);
}

function medianOf(durations: string): number | null {
  return percentile((JSON.parse(durations) as number[]).slice(0, ESTIMATE_RUNS), 0.5);
}

/**
 * Whether one of the stories says something else than it did for the run that pinned them.
 *
 * @param unpinned - whether one that it did not pin does
 */
function hasOtherText(
  storyIds: Iterable<string>,
  pins: string | null,
  unpinned: boolean,
  effective: Effective,
): boolean {
  let then: Pins | undefined;
  for (const id of storyIds) {
    const node = effective.node(id);
    // Most say what they said: then its pin stands in the text, which need not be parsed.
    if (!node || pins?.includes(`${JSON.stringify(id)}:["${node.fingerprint}"`)) continue;
    then ??= JSON.parse(pins ?? '{}') as Pins;
    const before = Object.hasOwn(then, id) ? then[id]?.[0] : undefined;
    if (before === undefined ? unpinned : effective.under(id, before) !== before) return true;
  }
  return false;
}

interface LinkedStories {
  storyIds: Set<string>;
  /** Those of them that the tests verify which it was the last to report. */
  ofTests: Set<string>;
}

/** By id or key of a command. */
async function linkedStories({ traces, tests }: AssuranceState) {
  const found = new Map<string, LinkedStories>();
  const of = (name: string) => {
    const linked = found.get(name) ?? { storyIds: new Set(), ofTests: new Set() };
    found.set(name, linked);
    return linked;
  };
  const link = (test: KnownTest | undefined, storyIds: readonly string[]) => {
    const commandId = test?.result?.commandId;
    if (!commandId || storyIds.length === 0) return;
    const linked = of(commandId);
    for (const id of storyIds) {
      linked.storyIds.add(id);
      linked.ofTests.add(id);
    }
  };
  for (const { type, targetKind, targetId, storyId } of traces) {
    if (type !== 'verifies') continue;
    if (targetKind === 'command') of(targetId).storyIds.add(storyId);
    if (targetKind === 'test') link(findTest(tests, targetId), [storyId]);
  }
  let looked = 0;
  for (const test of tests.tests.values()) {
    link(test, test.storyIds);
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
    openIssues: issuesOf.get(storyId)?.map(({ id }) => id) ?? NONE,
  }));
}

/** The stories that say something else than at a revision, or were not there then. */
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
 * The newest runs of a project's commands that count. Runs of one plan are a cycle; of the others those
 * at one commit in one environment; then those of one suite; and then those of one day, in UTC.
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

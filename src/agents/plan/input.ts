// What a plan is made of, read from the database: commands with what is learned of their runs, and
// where the stories stand.
import { and, desc, eq } from 'drizzle-orm';
import { findTest, type KnownTest } from '../../assurance/results/model.ts';
import type { AssuranceState } from '../../assurance/state/state.ts';
import { notFoundAt, Problem } from '../../errors.ts';
import { stateOf } from '../../quality/commands/model.ts';
import { percentile } from '../../quality/commands/stats.ts';
import type { Pins } from '../../quality/runs/pins.ts';
import { yieldToEventLoop } from '../../quality/scheduler.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { executeRaw } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import { testRuns } from '../../store/tables/quality.ts';
import type { Agents } from '../agents.ts';
import type { PlanCommand, PlanInput, PlanRequest, PlanStory } from './model.ts';
import { priorityLevel } from './score.ts';
import { ESTIMATE_RUNS } from './settings.ts';

export interface PlanWithRevision extends PlanRequest {
  /** Stories that differ from what they said at this revision are changed. */
  sinceRevision?: number | undefined;
}

export interface LoadedPlanInput extends PlanInput {
  revision: number;
}

/**
 * Reads what a plan is made of. Yields to the event loop between pages.
 *
 * @param agents - beside the database, the state of the stories and the clock
 * @throws Problem `not_found` for a revision that there is not
 */
export async function loadPlanInput(
  agents: Pick<Agents, 'database' | 'states' | 'graphs' | 'clock'>,
  projectId: string,
  request: PlanWithRevision,
): Promise<LoadedPlanInput> {
  const { read } = agents.database;
  const state = await agents.states.of(projectId);
  const { effective } = state;
  const changed = await changesSince(agents, effective, request.sinceRevision);
  const linked = await linkedStories(state);
  await yieldToEventLoop();
  const stories = storiesOf(state, changed);
  const commands: PlanCommand[] = [];
  const context = { effective, linked, now: agents.clock() };
  for (let behind = 0; ; ) {
    const rows = await readCommands(read, projectId, behind, request);
    for (const row of rows) commands.push(commandOf(row, context));
    behind = rows.at(-1)?.[0] ?? behind;
    if (rows.length < PAGE_SIZE) break;
    await yieldToEventLoop();
  }
  const ordinal = await newestOrdinal(read, projectId);
  return { commands, stories, ordinal, request, revision: effective.revision?.number ?? 0 };
}

type CommandRow = [
  seq: number,
  id: string,
  key: string,
  storyIds: string,
  /** Read for a request that is narrowed to some. */
  routes: string | null,
  tags: string | null,
  state: string,
  quarantine: string | null,
  outcomes: string | null,
  durations: string | null,
  lastOrdinal: number | null,
  wasOther: number | null,
  pins: string | null,
];

const PAGE_SIZE = 500;
const TESTS_STEP = 5000;

// Read raw: Drizzle would take as long again to map the rows.
async function readCommands(
  db: Db,
  projectId: string,
  behind: number,
  { routes, tags }: PlanRequest,
): Promise<CommandRow[]> {
  const text = `
    select c.seq, c.id, c.key, c.story_ids, ${routes ? 'c.routes' : 'null'}, ${tags ? 'c.tags' : 'null'},
      c.state, c.quarantine, s.outcomes, s.durations, s.last_ordinal,
      s.last_fingerprint <> c.fingerprint, p.pins
    from test_commands c indexed by test_commands_project
    left join command_stats s on s.command_id = c.id
    left join run_pins p on p.batch = s.last_batch
    where c.project_id = ? and c.seq > ?
    order by c.seq limit ${PAGE_SIZE}`;
  const rows = await executeRaw(db, text, [projectId, behind]);
  return rows as unknown as CommandRow[];
}

interface CommandContext {
  effective: Effective;
  linked: ReadonlyMap<string, LinkedStories>;
  now: number;
}

function commandOf(row: CommandRow, context: CommandContext): PlanCommand {
  const { linked, now } = context;
  // A row of a libSQL server has places, and is no list.
  const [id, key, durations, lastOrdinal] = [row[1], row[2], row[9], row[10]];
  const declared = listOf(row[3]);
  const { storyIds: others = NONE, ofTests = NONE } = linked.get(id) ?? {};
  const named = linked.get(key)?.storyIds ?? NONE;
  const isLinked = linked.has(id) || linked.has(key);
  return {
    id,
    key,
    routes: listOf(row[4]),
    tags: listOf(row[5]),
    storyIds: isLinked ? [...new Set([...declared, ...others, ...named])] : declared,
    estimateMs: durations === null ? null : medianOf(durations),
    state: stateOf({ state: row[6], quarantine: row[7] && JSON.parse(row[7]) }, now),
    changedSince:
      lastOrdinal !== null &&
      (row[11] === 1 ||
        hasOtherText(declared, row[12], true, context) ||
        hasOtherText(ofTests, row[12], false, context)),
    history: { outcomes: row[8] ?? '', lastOrdinal },
  };
}

const NONE: readonly string[] = [];

function listOf(json: string | null): readonly string[] {
  return json === null || json === '[]' ? NONE : (JSON.parse(json) as string[]);
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
  { effective }: CommandContext,
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

async function linkedStories({
  traces,
  tests,
}: AssuranceState): Promise<ReadonlyMap<string, LinkedStories>> {
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
  const changed = new Set<string>();
  if (number === undefined) return changed;
  const { nodes } = await graphs.graph(await revisionOf(graphs, effective.projectId, number));
  const then = new Map(nodes.map(({ id, fingerprint }) => [id, fingerprint]));
  for (const { id, fingerprint } of effective.index.graph.nodes) {
    const before = then.get(id);
    if (before === fingerprint) continue;
    if (before === undefined || effective.under(id, before) !== before) changed.add(id);
  }
  return changed;
}

async function revisionOf(graphs: Agents['graphs'], projectId: string, number: number) {
  try {
    return await graphs.revision(projectId, number);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    throw notFoundAt('/sinceRevision', `there is no revision ${number} in this project`);
  }
}

async function newestOrdinal(db: Db, projectId: string): Promise<number> {
  const [run] = await db
    .select({ ordinal: testRuns.ordinal })
    .from(testRuns)
    .where(and(eq(testRuns.projectId, projectId), eq(testRuns.counts, true)))
    .orderBy(desc(testRuns.seq))
    .limit(1);
  return run?.ordinal ?? 0;
}

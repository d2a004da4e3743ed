// What a plan is made of, read from the database: commands with what is learned of their runs, and
// where the stories stand.
import { and, desc, eq } from 'drizzle-orm';
import { findTest, type KnownTest } from '../../assurance/results/result-index.ts';
import type { AssuranceState } from '../../assurance/state/state.ts';
import { notFoundAt, Problem } from '../../errors.ts';
import { stateOf } from '../../quality/commands/model.ts';
import type { Pins } from '../../quality/runs/pins.ts';
import { nextTurn } from '../../quality/turns.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { executeRaw } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import { testRuns } from '../../store/tables/quality.ts';
import type { Agents } from '../agents.ts';
import type { PlanCommand, PlanInput, PlanRequest, PlanStory } from './model.ts';
import { priorityLevel } from './priority.ts';
import { ESTIMATE_RUNS } from './settings.ts';

/** What a caller asks for. */
export interface WantedPlan extends PlanRequest {
  /** Stories that differ from what they said at this revision are changed. */
  sinceRevision?: number | undefined;
}

export interface LoadedPlanInput extends PlanInput {
  /** The number of the latest revision; 0 before the first. */
  revision: number;
}

/**
 * Reads what a plan is made of. Others have their turn on the way.
 *
 * @param agents - beside the database, the state of the stories and the clock
 * @throws Problem `not_found` for a revision that there is not
 */
export async function loadPlanInput(
  agents: Pick<Agents, 'database' | 'states' | 'graphs' | 'clock'>,
  projectId: string,
  request: WantedPlan,
): Promise<LoadedPlanInput> {
  const { read } = agents.database;
  const state = await agents.states.of(projectId);
  const { effective } = state;
  const changed = await changesSince(agents, effective, request.sinceRevision);
  const linked = await linkedStories(state);
  await nextTurn();
  const stories = storiesOf(state, changed);
  const commands: PlanCommand[] = [];
  const context = { effective, linked, pinOf: pinsOf(effective), now: agents.clock() };
  for (let behind = 0; ; ) {
    const rows = await readCommands(read, projectId, behind, request);
    for (const row of rows) commands.push(commandOf(row, context));
    behind = rows.at(-1)?.[0] ?? behind;
    if (rows.length < ROWS_A_TURN) break;
    await nextTurn();
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
  /** Whether it was another command when it last ran. */
  wasOther: number | null,
  pins: string | null,
];

const ROWS_A_TURN = 500;
const TESTS_A_TURN = 5000;
/** So many characters of a list of durations hold those that an estimate needs, of 11 digits each. */
const DURATION_CHARACTERS = 1 + ESTIMATE_RUNS * 12;

/** Read as they are: Drizzle would take as long again to put them together. */
async function readCommands(
  db: Db,
  projectId: string,
  behind: number,
  { routes, tags }: PlanRequest,
): Promise<CommandRow[]> {
  const text = `
    select c.seq, c.id, c.key, c.story_ids, ${routes ? 'c.routes' : 'null'}, ${tags ? 'c.tags' : 'null'},
      c.state, c.quarantine, s.outcomes, substr(s.durations, 1, ${DURATION_CHARACTERS}), s.last_ordinal,
      s.last_fingerprint <> c.fingerprint, p.pins
    from test_commands c indexed by test_commands_project
    left join command_stats s on s.command_id = c.id
    left join run_pins p on p.batch = s.last_batch
    where c.project_id = ? and c.seq > ?
    order by c.seq limit ${ROWS_A_TURN}`;
  const rows = await executeRaw(db, text, [projectId, behind]);
  return rows as unknown as CommandRow[];
}

interface CommandContext {
  effective: Effective;
  linked: ReadonlyMap<string, LinkedStories>;
  /** How a story stands in pins that say what it says. */
  pinOf: (storyId: string) => string | undefined;
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

/** A JSON list of texts. Most hold nothing that is escaped, and are read faster by hand. */
function listOf(json: string | null): readonly string[] {
  if (json === null || json === '[]') return NONE;
  const isPlain = json.startsWith('["') && json.endsWith('"]') && !json.includes('\\');
  return isPlain ? json.slice(2, -2).split('","') : (JSON.parse(json) as string[]);
}

/**
 * The median (nearest rank) of the newest durations, at the head of a JSON list of whole numbers that
 * may be cut off behind them. Read and sorted by hand: for each of many commands, it adds up.
 */
function medianOf(json: string): number | null {
  const sorted: number[] = [];
  let [value, digits] = [0, 0];
  for (let at = 1; at < json.length && sorted.length < ESTIMATE_RUNS; at += 1) {
    const digit = json.charCodeAt(at) - ZERO;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits += 1;
    } else if (digits > 0) {
      let place = sorted.length;
      for (; place > 0 && (sorted[place - 1] as number) > value; place -= 1)
        sorted[place] = sorted[place - 1] as number;
      sorted[place] = value;
      value = 0;
      digits = 0;
    }
  }
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? null;
}

const ZERO = '0'.charCodeAt(0);

/**
 * Whether one of the stories says something else than it did for the run that pinned them.
 *
 * @param unpinned - whether one that it did not pin does
 */
function hasOtherText(
  storyIds: Iterable<string>,
  pins: string | null,
  unpinned: boolean,
  { effective, pinOf }: CommandContext,
): boolean {
  let then: Pins | undefined;
  for (const id of storyIds) {
    const pin = pinOf(id);
    // Most say what they said: then it stands in the text as it would be written.
    if (pin === undefined || pins?.includes(pin)) continue;
    then ??= JSON.parse(pins ?? '{}') as Pins;
    const before = Object.hasOwn(then, id) ? then[id]?.[0] : undefined;
    if (before === undefined ? unpinned : effective.under(id, before) !== before) return true;
  }
  return false;
}

/** The start of a story's pin as it is written; undefined where there is no such story. */
function pinsOf(effective: Effective): CommandContext['pinOf'] {
  const pins = new Map<string, string | undefined>();
  return (id) => {
    let pin = pins.get(id);
    if (pin !== undefined || pins.has(id)) return pin;
    const node = effective.node(id);
    pin = node && `${JSON.stringify(id)}:["${node.fingerprint}"`;
    pins.set(id, pin);
    return pin;
  };
}

/** The stories that a command verifies without declaring it. */
interface LinkedStories {
  storyIds: Set<string>;
  /** Those of them that the tests verify which it was the last to report. */
  ofTests: Set<string>;
}

/** By the ids of the commands, and the keys that links name. */
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
    if (looked % TESTS_A_TURN === 0) await nextTurn();
  }
  return found;
}

function storiesOf(state: AssuranceState, changed: ReadonlySet<string>): PlanStory[] {
  const { effective, issuesOf } = state;
  // Of many stories few say it in words of their own.
  const levels = new Map<string | null | undefined, number>();
  const levelOf = (priority: string | null | undefined) => {
    const level = levels.get(priority) ?? priorityLevel(priority);
    levels.set(priority, level);
    return level;
  };
  return state.coverage().stories.map(({ storyId, status, inherited }) => ({
    ...{ id: storyId, status, inherited, changed: changed.has(storyId) },
    priority: levelOf(effective.node(storyId)?.priority),
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

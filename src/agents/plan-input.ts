// What a plan is made of, read from the database: commands with what is learned of their runs, and
// where the stories stand.
import { and, desc, eq, sql } from 'drizzle-orm';
import type { AssuranceState } from '../assurance/state.ts';
import { stateOf } from '../quality/command-model.ts';
import { percentile } from '../quality/command-stats.ts';
import type { Pins } from '../quality/run-pins.ts';
import { nextTurn } from '../quality/turns.ts';
import type { Effective } from '../requirements/effective.ts';
import type { Db } from '../store/database.ts';
import { testRuns } from '../store/tables/quality.ts';
import type { Agents } from './agents.ts';
import type { PlanCommand, PlanInput, PlanRequest, PlanStory } from './plan/model.ts';
import { priorityLevel } from './plan/priority.ts';
import { ESTIMATE_RUNS } from './plan/settings.ts';

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
  const linked = linkedStories(state);
  await nextTurn();
  const stories = storiesOf(state, changed);
  const commands: PlanCommand[] = [];
  const now = agents.clock();
  for (let behind = 0; ; ) {
    const rows = await readCommands(read, projectId, behind, request);
    for (const row of rows) commands.push(commandOf(row, { effective, linked, now }));
    behind = rows.at(-1)?.[0] ?? 0;
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
/** So many characters of a list of durations hold those that an estimate needs, of 11 digits each. */
const DURATION_CHARACTERS = 1 + ESTIMATE_RUNS * 12;

function readCommands(
  db: Db,
  projectId: string,
  behind: number,
  { routes, tags }: PlanRequest,
): Promise<CommandRow[]> {
  return db.values(sql`
    select c.seq, c.id, c.key, c.story_ids, ${routes ? sql`c.routes` : sql`null`}, ${tags ? sql`c.tags` : sql`null`},
      c.state, c.quarantine, s.outcomes, substr(s.durations, 1, ${DURATION_CHARACTERS}), s.last_ordinal,
      s.last_fingerprint <> c.fingerprint, p.pins
    from test_commands c
    left join command_stats s on s.command_id = c.id
    left join run_pins p on p.batch = s.last_batch
    where c.project_id = ${projectId} and c.seq > ${behind}
    order by c.seq limit ${ROWS_A_TURN}`);
}

interface CommandContext {
  effective: Effective;
  linked: ReadonlyMap<string, readonly string[]>;
  now: number;
}

function commandOf(row: CommandRow, { effective, linked, now }: CommandContext): PlanCommand {
  const [
    ,
    id,
    key,
    storyIds,
    routes,
    tags,
    state,
    quarantine,
    outcomes,
    durations,
    lastOrdinal,
    wasOther,
    pins,
  ] = row;
  const declared = listOf(storyIds);
  const others = linked.size === 0 ? NONE : [...(linked.get(id) ?? []), ...(linked.get(key) ?? [])];
  return {
    ...{ id, key, routes: listOf(routes), tags: listOf(tags) },
    storyIds: others.length === 0 ? declared : [...new Set([...declared, ...others])],
    estimateMs: durations === null ? null : percentile(newestOf(durations), 0.5),
    state: stateOf({ state, quarantine }, now),
    changedSince:
      lastOrdinal !== null && (wasOther === 1 || hasOtherText(effective, declared, pins)),
    history: { outcomes: outcomes ?? '', lastOrdinal },
  };
}

const NONE: readonly string[] = [];

function listOf(json: string | null): readonly string[] {
  return json === null || json === '[]' ? NONE : (JSON.parse(json) as string[]);
}

/** The newest durations, at the head of a JSON list that may be cut off behind them. */
function newestOf(json: string): number[] {
  const durations: number[] = [];
  let [value, digits] = [0, 0];
  // Far less work than parsing texts for each of many commands.
  for (let at = 1; at < json.length && durations.length < ESTIMATE_RUNS; at += 1) {
    const digit = json.charCodeAt(at) - ZERO;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits += 1;
    } else if (digits > 0) {
      durations.push(value);
      [value, digits] = [0, 0];
    }
  }
  return durations;
}

const ZERO = '0'.charCodeAt(0);

/** Whether one of the stories says something else than it did for the run that pinned them. */
function hasOtherText(
  effective: Effective,
  storyIds: readonly string[],
  pins: string | null,
): boolean {
  const pinned = pins ?? '{}';
  // Most say what they said: then it stands in the text as it would be written.
  const others = storyIds.filter((id) => {
    const node = effective.node(id);
    return node && !pinned.includes(`${JSON.stringify(id)}:["${node.fingerprint}"`);
  });
  if (others.length === 0) return false;
  const then = JSON.parse(pinned) as Pins;
  return others.some((id) => {
    const before = Object.hasOwn(then, id) ? then[id]?.[0] : undefined;
    return before === undefined || effective.under(id, before) !== before;
  });
}

/** The stories that somebody has linked with commands, by the ids or keys that the links name. */
function linkedStories({ traces }: AssuranceState): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { type, targetKind, targetId, storyId } of traces) {
    if (type !== 'verifies' || targetKind !== 'command') continue;
    const list = found.get(targetId);
    if (list) list.push(storyId);
    else found.set(targetId, [storyId]);
  }
  return found;
}

function storiesOf(state: AssuranceState, changed: ReadonlySet<string>): PlanStory[] {
  const { effective, issuesOf } = state;
  return state.coverage().stories.map(({ storyId, status, inherited }) => ({
    ...{ id: storyId, status, inherited, changed: changed.has(storyId) },
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
  const { nodes } = await graphs.graph(await graphs.revision(effective.projectId, number));
  const then = new Map(nodes.map(({ id, fingerprint }) => [id, fingerprint]));
  for (const { id, fingerprint } of effective.index.graph.nodes) {
    const before = then.get(id);
    if (before === fingerprint) continue;
    if (before === undefined || effective.under(id, before) !== before) changed.add(id);
  }
  return changed;
}

async function newestOrdinal(db: Db, projectId: string): Promise<number> {
  const [run] = await db
    .select({ ordinal: testRuns.ordinal })
    .from(testRuns)
    .where(and(eq(testRuns.projectId, projectId), eq(testRuns.counts, 1)))
    .orderBy(desc(testRuns.seq))
    .limit(1);
  return run?.ordinal ?? 0;
}

// Suites: the items that an agent has in hand under one lease, a run for each. They are claimed from a
// plan, where nobody else gets them since a claim is one write, or brought by the agent.
import { and, asc, eq, getTableColumns, inArray, notInArray, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import type { Assurance } from '../../assurance/assurance.ts';
import { requireCurrent } from '../../assurance/state/write-on-state.ts';
import { serialized } from '../../model/write-conflict.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import type { Db, Tx } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { planItems, suites } from '../../store/tables/agents.ts';
import type { AgentName, ClaimedItem, Pins } from '../../store/tables/json.ts';
import { type TestCommandRow, testCommands } from '../../store/tables/quality.ts';
import { namedCommand } from '../commands/commands.ts';
import { DEFAULTS } from '../commands/model.ts';
import { insertRuns } from '../runs/rows.ts';
import { leaseView, openLease } from './leases.ts';
import type { OwnItemInput, SuiteItemView, SuiteView } from './model.ts';

/** Writes with the effective graph that the database has just then, so that a claim pins that. */
export function writeOnGraph<T>(
  { effective }: Pick<Assurance, 'effective'>,
  projectId: string,
  write: (work: (tx: Tx) => Promise<T>) => Promise<T>,
  work: (tx: Tx, graph: Effective) => Promise<T>,
): Promise<T> {
  const attempt = async () => {
    const graph = await effective.of(projectId);
    return write(async (tx) => {
      await requireCurrent(tx, graph);
      return work(tx, graph);
    });
  };
  return serialized((wait) => effective.alone(projectId, wait), attempt);
}

/** What a run pins of these stories; those that do not exist are left out. */
export function pinStories(graph: Effective, storyIds: readonly string[]) {
  const pins: Pins = {};
  for (const id of storyIds) {
    const node = graph.node(id);
    if (node) pins[id] = [node.fingerprint, node.deepFingerprint];
  }
  return { revision: graph.revision?.number ?? 0, overlayClock: graph.overlayClock, pins };
}

const BARE = { ...DEFAULTS, report: { format: 'none' as const, path: null } };

export function itemOfCommand(
  command: Pick<TestCommandRow, keyof ClaimedItem>,
): Required<ClaimedItem> {
  const { name, kind, cwd, timeoutMs, argv, env, report, storyIds } = command;
  return { name, kind, cwd, timeoutMs, argv, env, report, storyIds };
}

export interface NewSuite {
  projectId: string;
  agent: AgentName;
  leaseMs: number;
  actor: Actor;
  now: number;
}

interface SuiteItem {
  position: number;
  attempt: number;
  commandId: string | null;
  item: Required<ClaimedItem>;
}

export type OpenedSuite = Omit<SuiteView, 'credentials'>;

async function openSuite(
  db: Db,
  { projectId, agent, leaseMs, actor, now }: NewSuite,
  graph: Effective,
  planId: string | null,
  items: readonly SuiteItem[],
): Promise<OpenedSuite> {
  const lease = await openLease(db, { projectId, tokenId: actor.tokenId, leaseMs, now });
  const id = newId('ste');
  const common = {
    projectId,
    planId,
    leaseId: lease.row.id,
    agent,
    authorToken: actor.tokenId,
    authorLabel: actor.label,
    createdAt: now,
  };
  await db.insert(suites).values({ id, ...common });
  const rows = items.map((one) => ({
    ...common,
    ...one,
    ...pinStories(graph, one.item.storyIds),
    suiteId: id,
    state: 'queued',
  }));
  const runs = await insertRuns(db, projectId, rows);
  const views = items.map(({ item, ...place }, at) => {
    return { ...place, runId: runs[at]?.id, ...item } as SuiteItemView;
  });
  return { id, planId, items: views, lease: leaseView(lease) };
}

export interface ItemClaim extends NewSuite {
  planId: string;
  kinds: readonly string[] | undefined;
  maxItems: number;
}

const OFF = ['disabled', 'archived'];

/**
 * Claims open items of a plan in their order. Those before them whose command is disabled or
 * archived by now end as cancelled.
 */
export async function claimItems(db: Db, claim: ItemClaim, graph: Effective) {
  const { planId, kinds, now, maxItems } = claim;
  const ofPlan = eq(planItems.planId, planId);
  const ofKinds = kinds && inArray(testCommands.kind, [...kinds]);
  const taken = await db
    .select({ item: getTableColumns(planItems), command: getTableColumns(testCommands) })
    .from(planItems)
    .innerJoin(testCommands, eq(testCommands.id, planItems.commandId))
    // As the index says it, or it would not be used.
    .where(
      and(ofPlan, sql`${planItems.state} = 'open'`, ofKinds, notInArray(testCommands.state, OFF)),
    )
    .orderBy(asc(planItems.position))
    .limit(maxItems);
  const last = taken.length < maxItems ? Number.MAX_SAFE_INTEGER : taken.at(-1)?.item.position;
  await db.run(sql`
    update plan_items set state = 'ended', outcome = 'cancelled', updated_at = ${now}
    where plan_id = ${planId} and state = 'open' and position < ${last}
      and exists (select 1 from test_commands c where c.id = command_id and c.state in ${OFF})`);
  const commands = taken.map(({ command }) => command);
  if (taken.length === 0) {
    const [waiting] = await db
      .select({ seq: planItems.seq })
      .from(planItems)
      .innerJoin(testCommands, eq(testCommands.id, planItems.commandId))
      .where(and(ofPlan, inArray(planItems.state, ['open', 'claimed']), ofKinds))
      .limit(1);
    return { suite: undefined, commands, done: waiting === undefined };
  }
  const items = taken.map(({ item, command }) => ({
    position: item.position,
    attempt: item.attempts + 1,
    commandId: command.id,
    item: itemOfCommand(command),
  }));
  const suite = await openSuite(db, claim, graph, planId, items);
  const runs = JSON.stringify(taken.map(({ item }, at) => [item.seq, suite.items[at]?.runId]));
  await db.run(sql`
    update plan_items set state = 'claimed', attempts = attempts + 1, run_id = taken.run, updated_at = ${now}
    from (select value ->> 0 as seq, value ->> 1 as run from json_each(${runs})) as taken
    where plan_items.seq = taken.seq`);
  return { suite, commands, done: false };
}

export async function openOwnSuite(
  db: Db,
  suite: NewSuite,
  inputs: readonly OwnItemInput[],
  graph: Effective,
): Promise<OpenedSuite> {
  const items: SuiteItem[] = [];
  for (const [index, { commandId: name, report, ...given }] of inputs.entries()) {
    const pointer = `/suite/items/${index}/commandId`;
    const command =
      name === undefined ? undefined : await namedCommand(db, suite.projectId, name, pointer);
    const position = index + 1;
    const item = { ...itemOfCommand(command ?? { ...BARE, name: `Item ${position}` }), ...given };
    if (report) item.report = { format: report.format, path: report.path ?? null };
    items.push({ position, attempt: 1, commandId: command?.id ?? null, item });
  }
  return openSuite(db, suite, graph, null, items);
}

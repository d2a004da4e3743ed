// Suites: the items that an agent has in hand under one lease, a run for each. They are claimed from a
// plan, where nobody else gets them since a claim is one write, or brought by the agent.
import { and, asc, eq, getTableColumns, gt, inArray, or, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import type { Assurance } from '../../assurance/assurance.ts';
import { serialized, WriteConflict } from '../../model/write-conflict.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { overlayClock } from '../../requirements/overlay/changes.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db, Tx } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { planItems, suites } from '../../store/tables/agents.ts';
import type { AgentName, ClaimedItem } from '../../store/tables/json.ts';
import { type TestCommandRow, testCommands } from '../../store/tables/quality.ts';
import { DEFAULT_TIMEOUT_MS } from '../commands/body.ts';
import { isOff, namedCommand } from '../commands/named-commands.ts';
import { insertRuns, moveItem } from '../runs/rows.ts';
import { itemOfCommand, pinStories } from './items.ts';
import { leaseView, type OpenedLease, openLease } from './leases.ts';
import type { OwnItemInput, SuiteItemView, SuiteView } from './model.ts';

/** Works on the effective graph of a project, and again on a newer one where `requireCurrent` asks for that. */
export function withGraph<T>(
  { effective }: Pick<Assurance, 'effective'>,
  projectId: string,
  work: (graph: Effective) => Promise<T>,
): Promise<T> {
  return serialized(
    (wait) => effective.alone(projectId, wait),
    async () => work(await effective.of(projectId)),
  );
}

/** Holds inside a write that a graph is what the database has, so that a claim pins just that. */
export async function requireCurrent(tx: Tx, graph: Effective): Promise<void> {
  const { projectId } = graph;
  const { revision } = await getProject(tx, projectId);
  const clock = await overlayClock(tx, projectId);
  if (revision === (graph.revision?.number ?? 0) && clock === graph.overlayClock) return;
  throw new WriteConflict('the graph has changed');
}

export interface NewSuite {
  projectId: string;
  planId: string | null;
  agent: AgentName;
  leaseMs: number;
  actor: Actor;
  now: number;
}

interface SuiteItem {
  /** In its plan, or in the suite. */
  position: number;
  attempt: number;
  commandId: string | null;
  item: Required<ClaimedItem>;
}

export interface OpenedSuite {
  id: string;
  lease: OpenedLease;
  items: SuiteItemView[];
}

async function openSuite(
  db: Db,
  { projectId, planId, leaseMs, actor, now, ...suite }: NewSuite,
  graph: Effective,
  items: readonly SuiteItem[],
): Promise<OpenedSuite> {
  const lease = await openLease(db, { projectId, tokenId: actor.tokenId, leaseMs, now });
  const id = newId('ste');
  const common = {
    projectId,
    planId,
    leaseId: lease.row.id,
    agent: suite.agent,
    authorToken: actor.tokenId,
    authorLabel: actor.label,
    createdAt: now,
  };
  await db.insert(suites).values({ id, ...common });
  const runs = await insertRuns(
    db,
    projectId,
    items.map(({ item, ...place }) => ({
      ...common,
      ...place,
      suiteId: id,
      item,
      state: 'queued',
      ...pinStories(graph, item.storyIds),
    })),
  );
  return { id, lease, items: items.map((item, at) => itemView(runs[at]?.id ?? '', item)) };
}

function itemView(runId: string, { position, attempt, commandId, item }: SuiteItem): SuiteItemView {
  const { argv, cwd, env, timeoutMs, report, kind, name, storyIds } = item;
  const place = { position, runId, attempt, commandId };
  return { ...place, argv, cwd, env, timeoutMs, report, kind, name, storyIds } as SuiteItemView;
}

export function suiteView(
  planId: string | null,
  { id, items, lease }: OpenedSuite,
  credentials: Record<string, string>,
): SuiteView {
  return { id, planId, items, lease: leaseView(lease), credentials };
}

export interface ItemClaim extends NewSuite {
  planId: string;
  /** Of commands that the agent can run; all where there are none. */
  kinds: readonly string[] | undefined;
  maxItems: number;
}

export interface ClaimedSuite {
  suite: OpenedSuite | undefined;
  commands: TestCommandRow[];
  /** Whether every item of the plan that the agent could run has ended. */
  done: boolean;
}

interface OpenItem {
  item: { seq: number; position: number; attempts: number };
  command: TestCommandRow;
}

const PAGE_SIZE = 500;

/**
 * Claims open items of a plan in their order, inside the caller's write. Those whose command is
 * disabled or archived by now end as cancelled.
 */
export async function claimItems(
  db: Db,
  claim: ItemClaim,
  graph: Effective,
): Promise<ClaimedSuite> {
  const { now, maxItems } = claim;
  const taken: OpenItem[] = [];
  for (let after = 0; taken.length < maxItems; ) {
    const open = await openItems(db, claim, after);
    for (const one of open) {
      if (taken.length === maxItems) break;
      if (isOff(one.command)) await moveItem(db, one.item, 'cancelled', now);
      else taken.push(one);
    }
    after = open.at(-1)?.item.position ?? 0;
    if (open.length < PAGE_SIZE) break;
  }
  if (taken.length === 0) return { suite: undefined, commands: [], done: await isDone(db, claim) };
  const items = taken.map(({ item, command }) => ({
    position: item.position,
    attempt: item.attempts + 1,
    commandId: command.id,
    item: itemOfCommand(command),
  }));
  const suite = await openSuite(db, claim, graph, items);
  for (const [index, { item }] of taken.entries())
    await takeItem(db).run({ seq: item.seq, runId: suite.items[index]?.runId, now });
  return { suite, commands: taken.map(({ command }) => command), done: false };
}

async function openItems(db: Db, { planId, kinds }: ItemClaim, after: number): Promise<OpenItem[]> {
  return db
    .select({
      item: { seq: planItems.seq, position: planItems.position, attempts: planItems.attempts },
      command: getTableColumns(testCommands),
    })
    .from(planItems)
    .innerJoin(testCommands, eq(testCommands.id, planItems.commandId))
    .where(
      and(
        eq(planItems.planId, planId),
        // As the index says it, or it would not be used.
        sql`${planItems.state} = 'open'`,
        gt(planItems.position, after),
        kinds &&
          or(
            inArray(testCommands.kind, [...kinds]),
            inArray(testCommands.state, ['disabled', 'archived']),
          ),
      ),
    )
    .orderBy(asc(planItems.position))
    .limit(PAGE_SIZE);
}

const p = sql.placeholder;

const takeItem = prepared((db) =>
  db
    .update(planItems)
    .set({
      state: 'claimed',
      attempts: sql`${planItems.attempts} + 1`,
      runId: sql`${p('runId')}`,
      updatedAt: sql`${p('now')}`,
    })
    .where(eq(planItems.seq, p('seq')))
    .prepare(),
);

async function isDone(db: Db, { planId, kinds }: ItemClaim): Promise<boolean> {
  const [waiting] = await db
    .select({ seq: planItems.seq })
    .from(planItems)
    .innerJoin(testCommands, eq(testCommands.id, planItems.commandId))
    .where(
      and(
        eq(planItems.planId, planId),
        inArray(planItems.state, ['open', 'claimed']),
        kinds && inArray(testCommands.kind, [...kinds]),
      ),
    )
    .limit(1);
  return waiting === undefined;
}

/**
 * Opens a suite of an agent's own items, inside the caller's write.
 *
 * @throws Problem `not_found` for a command that there is not, `conflict` for one that is disabled or
 *   archived
 */
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
    const item = { ...(command ? itemOfCommand(command) : bareItem(position)), ...given };
    if (report) item.report = { format: report.format, path: report.path ?? null };
    items.push({ position, attempt: 1, commandId: command?.id ?? null, item });
  }
  return openSuite(db, suite, graph, items);
}

function bareItem(position: number): Required<ClaimedItem> {
  return {
    name: `Item ${position}`,
    kind: 'shell',
    argv: [],
    cwd: null,
    env: {},
    timeoutMs: DEFAULT_TIMEOUT_MS,
    report: { format: 'none', path: null },
    storyIds: [],
  };
}

// Claiming items of a plan: nobody else gets them, since the whole of a claim is one write.
import { and, asc, eq, getTableColumns, gt, inArray, or, sql } from 'drizzle-orm';
import type { Effective } from '../../requirements/graph/effective.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { planItems } from '../../store/tables/agents.ts';
import { type TestCommandRow, testCommands } from '../../store/tables/quality.ts';
import { isOff } from '../commands/named-commands.ts';
import { moveItem } from '../runs/rows.ts';
import type { ClaimedItem } from '../runs/view.ts';
import { pinStories } from './claim-on-graph.ts';
import { type NewSuite, type OpenedSuite, openSuite, type SuiteItem } from './open-suite.ts';

export interface ItemClaim extends NewSuite {
  planId: string;
  /** Of commands that the agent can run; all where there are none. */
  kinds: readonly string[] | undefined;
  maxItems: number;
}

export interface ClaimedSuite {
  /** Undefined where there is nothing to claim. */
  suite: OpenedSuite | undefined;
  commands: TestCommandRow[];
  /** Whether every item of the plan that the agent could run has ended. */
  done: boolean;
}

interface OpenItem {
  item: { seq: number; position: number; attempts: number };
  command: TestCommandRow;
}

const OPEN_A_TURN = 500;

/**
 * Claims open items of a plan in their order, inside the caller's write. Those whose command is
 * disabled or archived by now end as cancelled.
 *
 * @param graph - the project's requirements as the database has them
 */
export async function claimItems(
  db: Db,
  claim: ItemClaim,
  graph: Effective,
): Promise<ClaimedSuite> {
  const { now, maxItems } = claim;
  const taken: OpenItem[] = [];
  for (let behind = 0; taken.length < maxItems; ) {
    const open = await openItems(db, claim, behind);
    for (const one of open) {
      if (taken.length === maxItems) break;
      if (isOff(one.command, now)) await moveItem(db, one.item, 'cancelled', now);
      else taken.push(one);
    }
    behind = open.at(-1)?.item.position ?? 0;
    if (open.length < OPEN_A_TURN) break;
  }
  if (taken.length === 0) return { suite: undefined, commands: [], done: await isDone(db, claim) };
  const suite = await openSuite(
    db,
    claim,
    taken.map(({ item, command }) => suiteItem(item, command, graph)),
  );
  for (const [index, { item }] of taken.entries())
    await takeItem(db).run({ seq: item.seq, runId: suite.items[index]?.runId, now });
  return { suite, commands: taken.map(({ command }) => command), done: false };
}

async function openItems(
  db: Db,
  { planId, kinds }: ItemClaim,
  behind: number,
): Promise<OpenItem[]> {
  const wanted = kinds && [
    inArray(testCommands.kind, [...kinds]),
    inArray(testCommands.state, ['disabled', 'archived']),
  ];
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
        gt(planItems.position, behind),
        wanted && or(...wanted),
      ),
    )
    .orderBy(asc(planItems.position))
    .limit(OPEN_A_TURN);
}

function suiteItem(
  { position, attempts }: OpenItem['item'],
  command: TestCommandRow,
  graph: Effective,
): SuiteItem {
  const item = itemOfCommand(command);
  return {
    ...{ position, attempt: attempts + 1, commandId: command.id, item },
    pinned: pinStories(graph, item.storyIds),
  };
}

/** What an agent is to run for a command. */
export function itemOfCommand(command: TestCommandRow): Required<ClaimedItem> {
  const { name, kind, cwd, timeoutMs } = command;
  return {
    ...{ name, kind, cwd, timeoutMs },
    argv: JSON.parse(command.argv) as string[],
    env: JSON.parse(command.env) as Record<string, string>,
    report: JSON.parse(command.report) as Required<ClaimedItem>['report'],
    storyIds: JSON.parse(command.storyIds) as string[],
  };
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

// Suites: the items that an agent has in hand under one lease, a run for each.
import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../access/caller.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { suites } from '../../store/tables/agents.ts';
import { insertRun } from '../runs/rows.ts';
import type { AgentName, ClaimedItem } from '../runs/view.ts';
import type { Pinned } from './claim-on-graph.ts';
import { leaseView, type OpenedLease, openLease } from './leases.ts';

/** What an agent is to do. */
export interface SuiteItem {
  /** In its plan, or in the suite. */
  position: number;
  attempt: number;
  commandId: string | null;
  item: Required<ClaimedItem>;
  pinned: Pinned;
}

export interface NewSuite {
  projectId: string;
  planId: string | null;
  agent: AgentName;
  leaseMs: number;
  actor: Actor;
  now: number;
}

export interface OpenedSuite {
  id: string;
  lease: OpenedLease;
  /** A suite's item as its agent gets it. */
  items: ReturnType<typeof itemView>[];
}

/** Of a long suite, others are served after so many rows. */
export const ROWS_A_TURN = 500;

/** Opens a suite with its lease and a queued run for each item, inside the caller's write. */
export async function openSuite(
  db: Db,
  suite: NewSuite,
  wanted: readonly SuiteItem[],
): Promise<OpenedSuite> {
  const { projectId, planId, leaseMs, actor, now } = suite;
  const lease = await openLease(db, { projectId, tokenId: actor.tokenId, leaseMs, now });
  const id = newId('ste');
  const agent = JSON.stringify(suite.agent);
  const author = { authorToken: actor.tokenId, authorLabel: actor.label, createdAt: now };
  const leaseId = lease.row.id;
  await db.insert(suites).values({ id, projectId, planId, leaseId, agent, ...author });
  const items: OpenedSuite['items'] = [];
  for (const one of wanted) {
    if (items.length % ROWS_A_TURN === ROWS_A_TURN - 1) await setImmediate();
    const { position, attempt, commandId, item, pinned } = one;
    const run = await insertRun(db, {
      ...{ projectId, suiteId: id, planId, position, commandId, attempt, agent, leaseId },
      ...{ item: JSON.stringify(item), state: 'queued', progress: null, message: null },
      ...{ fromWidget: 0, heartbeatAt: null },
      ...pinned,
      ...author,
    });
    items.push(itemView(run.id, one));
  }
  return { id, lease, items };
}

function itemView(runId: string, { position, attempt, commandId, item }: SuiteItem) {
  const { argv, cwd, env, timeoutMs, report, kind, name, storyIds } = item;
  return {
    ...{ position, runId, attempt, commandId, argv, cwd, env, timeoutMs, report },
    ...{ kind, name, storyIds },
  };
}

/** A suite as its agent gets it. */
export function suiteView(
  planId: string | null,
  { id, items, lease }: OpenedSuite,
  credentials: Record<string, string>,
) {
  return { id, planId, items, lease: leaseView(lease), credentials };
}

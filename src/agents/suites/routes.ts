// The route by which an agent gets a suite: claimed from a plan, or brought along.

import { eq } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { actorOf, type Caller } from '../../access/caller.ts';
import { invalid, notFoundAt } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import { jsonBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery } from '../../http/api/query.ts';
import { answers, created, ok, type Reply } from '../../http/api/reply.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import type { Tx } from '../../store/database.ts';
import { plans } from '../../store/tables/agents.ts';
import type { Agents } from '../agents.ts';
import { VARIABLE } from '../commands/body.ts';
import { namedCommandIds } from '../commands/named-commands.ts';
import { hasCredentials, leaseCredentials, leasedNames } from '../credentials/leases.ts';
import { storePlan } from '../plan/store.ts';
import { loseDueLeases } from '../runs/end.ts';
import { claimItems, openOwnSuite, requireCurrent, suiteView, withGraph } from './claim.ts';
import { SUITE_DOCS } from './docs.ts';
import { DEFAULT_LEASE_MS } from './leases.ts';
import {
  DEFAULT_ITEMS,
  NothingToClaim,
  Suite,
  SuiteBody,
  type SuiteInput,
  type SuiteView,
} from './model.ts';

export const suiteRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'suites', prefix: '/agent/suite' }).use(api(agents)).post(
    '',
    async ({ body, caller, now, write }) => {
      const { projectId, tokenId } = caller;
      requireOneSource(body);
      agents.leaseWatch.enter(tokenId);
      // What unseals credentials reads files, so it is opened before the write.
      if (await hasCredentials(agents.database.read, projectId)) await agents.sealing();
      return withGraph(agents, projectId, (graph) =>
        write(async (tx) => {
          await requireCurrent(tx, graph);
          agents.leaseWatch.report(tx, await loseDueLeases(tx, now));
          tx.afterCommit(() => agents.runEvents.changed(projectId));
          return openSuite(agents, tx, { body, caller, now }, graph);
        }),
      );
    },
    {
      operation: {
        id: 'createAgentSuite',
        docs: SUITE_DOCS,
        refresh: (reply: Reply) => withRunningLeases(agents, reply),
      },
      query: noQuery,
      body: jsonBody(SuiteBody),
      response: answers({ 200: NothingToClaim, 201: Suite }),
    },
  );

interface SuiteCall {
  body: SuiteInput;
  caller: Caller;
  now: number;
}

const RETRY_AFTER_MS = 5000;

function requireOneSource(body: SuiteInput): void {
  const sources = ['planId', 'commandIds', 'suite'] as const;
  const [first, second] = sources.filter((name) => body[name] !== undefined);
  if (first === undefined) throw invalid('/planId', 'is required, or commandIds, or suite');
  if (second !== undefined) throw invalid(`/${second}`, `does not go with ${first}`);
  if (body.suite && body.maxItems !== undefined)
    throw invalid('/maxItems', 'does not go with suite');
  if (body.suite && body.agent.kinds !== undefined)
    throw invalid('/agent/kinds', 'does not go with suite');
  for (const [index, { env = {} }] of (body.suite?.items ?? []).entries()) {
    const other = Object.keys(env).find((name) => !VARIABLE.test(name));
    if (other !== undefined)
      throw invalid(`/suite/items/${index}/env/${other}`, 'is not the name of a variable');
  }
}

async function openSuite(agents: Agents, tx: Tx, call: SuiteCall, graph: Effective) {
  const { body, caller, now } = call;
  const { projectId, tokenId } = caller;
  const suite = {
    projectId,
    now,
    actor: actorOf(caller),
    agent: { name: body.agent.name, version: body.agent.version ?? null },
    leaseMs: body.leaseMs ?? DEFAULT_LEASE_MS,
  };
  if (body.suite) {
    const own = await openOwnSuite(tx, { ...suite, planId: null }, body.suite.items, graph);
    return createdSuite(suiteView(null, own, {}));
  }
  const planId = body.planId ?? (await planOfCommands(tx, call, graph));
  if (body.planId !== undefined) await requirePlan(tx, projectId, planId);
  const claimed = await claimItems(
    tx,
    {
      ...suite,
      planId,
      kinds: body.agent.kinds,
      maxItems: body.maxItems ?? DEFAULT_ITEMS,
    },
    graph,
  );
  if (!claimed.suite) {
    const { done } = claimed;
    return ok({ planId, items: [], done, retryAfterMs: done ? 0 : RETRY_AFTER_MS });
  }
  const { id: leaseId, expiresAt } = claimed.suite.lease.row;
  if (claimed.commands.some((command) => command.credentials.length > 0))
    agents.credentialHolders.add(tokenId);
  const credentials = await leaseCredentials(agents, tx, {
    projectId,
    leaseId,
    commands: claimed.commands,
    tokenId,
    now,
    expiresAt,
  });
  return createdSuite(suiteView(planId, claimed.suite, credentials));
}

function createdSuite(view: SuiteView) {
  return created(view, `/api/run-state?suiteId=${view.id}`);
}

async function requirePlan(tx: Tx, projectId: string, id: string): Promise<void> {
  const [row] = await tx.select({ projectId: plans.projectId }).from(plans).where(eq(plans.id, id));
  if (row?.projectId !== projectId)
    throw notFoundAt('/planId', `there is no plan ${id} in this project`);
}

/** Stores a plan of the commands that a suite names. @throws Problem as `namedCommandIds` */
async function planOfCommands(
  tx: Tx,
  { body, caller, now }: SuiteCall,
  graph: Effective,
): Promise<string> {
  const { projectId } = caller;
  const names = body.commandIds ?? [];
  const commandIds = await namedCommandIds(tx, projectId, names, '/commandIds');
  return storePlan(tx, {
    projectId,
    revision: graph.revision?.number ?? 0,
    origin: 'suite',
    request: { commandIds },
    answer: '{"items":[]}',
    commandIds,
    actor: actorOf(caller),
    now,
  });
}

async function withRunningLeases({ database, clock }: Agents, reply: Reply): Promise<Reply> {
  const body = reply.body as Partial<SuiteView> | undefined;
  if (!body?.lease || Object.keys(body.credentials ?? {}).length === 0) return reply;
  const running = await leasedNames(database.read, body.lease.id, clock());
  const credentials = Object.fromEntries(
    Object.entries(body.credentials ?? {}).filter(([name]) => running.has(name)),
  );
  return { ...reply, body: { ...body, credentials } };
}

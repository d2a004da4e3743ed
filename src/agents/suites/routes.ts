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
import type { OperationDocs } from '../../model/docs.ts';
import { VARIABLE } from '../../quality/commands/model.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import type { Tx } from '../../store/database.ts';
import { plans } from '../../store/tables/agents.ts';
import type { Agents } from '../agents.ts';
import { namedCommands } from '../commands/commands.ts';
import { leaseCredentials, leasedNames } from '../credentials.ts';
import { storePlan } from '../plan/store.ts';
import { loseDueLeases } from '../runs/end.ts';
import { claimItems, type OpenedSuite, openOwnSuite, writeOnGraph } from './claim.ts';
import { DEFAULT_LEASE_MS } from './leases.ts';
import {
  DEFAULT_ITEMS,
  NothingToClaim,
  Suite,
  SuiteBody,
  type SuiteInput,
  type SuiteView,
} from './model.ts';

const DOCS: OperationDocs = {
  description:
    'Makes a plan executable for one agent: claims open items of it, in their order, each as an attempt with a run of ' +
    'its own, under one lease; no other agent gets them while that lives. With `commandIds` a plan of these commands is ' +
    'stored first, `suite` brings items of the agent’s own, which get no credentials. The suite, its lease and the loan of ' +
    'the `credentials` end with the last of its runs.',
  bodyExample: {
    planId: 'pln_01k4mz5f7tk6mwx3n4p8q9r0vz',
    agent: { name: 'ci-runner-3', kinds: ['bun-test'] },
  },
  replies: {
    200: { description: 'There is nothing to claim now' },
    201: { description: 'What was claimed' },
  },
  problems: ['not_found', 'conflict'],
};

export const suiteRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'suites', prefix: '/agent/suite' }).use(api(agents)).post(
    '',
    ({ body, caller, now, write }) => {
      const { projectId } = caller;
      requireOneSource(body);
      return writeOnGraph(agents, projectId, write<SuiteReply>, async (tx, graph) => {
        agents.leaseWatch.report(tx, await loseDueLeases(tx, now));
        tx.afterCommit(() => agents.runEvents.changed(projectId));
        return openSuite(agents, tx, { body, caller, now }, graph);
      });
    },
    {
      operation: {
        id: 'createAgentSuite',
        docs: DOCS,
        refresh: (reply: Reply) => withRunningLeases(agents, reply),
      },
      query: noQuery,
      body: jsonBody(SuiteBody),
      response: answers({ 200: NothingToClaim, 201: Suite }),
    },
  );

type SuiteReply = Awaited<ReturnType<typeof openSuite>>;

interface SuiteCall {
  body: SuiteInput;
  caller: Caller;
  now: number;
}

const RETRY_AFTER_MS = 5000;

function requireOneSource(body: SuiteInput): void {
  const { agent, suite } = body;
  const sources = ['planId', 'commandIds', 'suite'] as const;
  const [first, second] = sources.filter((name) => body[name] !== undefined);
  if (first === undefined) throw invalid('/planId', 'is required, or commandIds, or suite');
  if (second !== undefined) throw invalid(`/${second}`, `does not go with ${first}`);
  if (suite && body.maxItems !== undefined) throw invalid('/maxItems', 'does not go with suite');
  if (suite && agent.kinds) throw invalid('/agent/kinds', 'does not go with suite');
  for (const [index, { env = {} }] of (suite?.items ?? []).entries()) {
    const other = Object.keys(env).find((name) => !VARIABLE.test(name));
    if (other !== undefined)
      throw invalid(`/suite/items/${index}/env/${other}`, 'is not the name of a variable');
  }
}

async function openSuite(agents: Agents, tx: Tx, call: SuiteCall, graph: Effective) {
  const { body, caller, now } = call;
  const { projectId, tokenId } = caller;
  const { name, version = null, kinds } = body.agent;
  const leaseMs = body.leaseMs ?? DEFAULT_LEASE_MS;
  const suite = { projectId, now, actor: actorOf(caller), agent: { name, version }, leaseMs };
  if (body.suite) return createdSuite(await openOwnSuite(tx, suite, body.suite.items, graph), {});
  const planId = body.planId ?? (await planOfCommands(tx, call, graph));
  if (body.planId !== undefined) await requirePlan(tx, projectId, planId);
  const claim = { ...suite, planId, kinds, maxItems: body.maxItems ?? DEFAULT_ITEMS };
  const { suite: claimed, commands, done } = await claimItems(tx, claim, graph);
  if (!claimed) return ok({ planId, items: [], done, retryAfterMs: done ? 0 : RETRY_AFTER_MS });
  const credentials = await leaseCredentials(agents, tx, {
    projectId,
    leaseId: claimed.lease.id,
    commands,
    tokenId,
    now,
    expiresAt: now + leaseMs,
  });
  if (Object.keys(credentials).length > 0) agents.credentialHolders.add(tokenId);
  return createdSuite(claimed, credentials);
}

function createdSuite(suite: OpenedSuite, credentials: SuiteView['credentials']) {
  return created({ ...suite, credentials }, `/api/run-state?suiteId=${suite.id}`);
}

async function requirePlan(tx: Tx, projectId: string, id: string): Promise<void> {
  const [row] = await tx.select({ projectId: plans.projectId }).from(plans).where(eq(plans.id, id));
  if (row?.projectId !== projectId)
    throw notFoundAt('/planId', `there is no plan ${id} in this project`);
}

async function planOfCommands(
  tx: Tx,
  { body, caller, now }: SuiteCall,
  graph: Effective,
): Promise<string> {
  const { projectId } = caller;
  const names = body.commandIds ?? [];
  const named = await namedCommands(tx, projectId, names, (at) => `/commandIds/${at}`);
  const commandIds = named.map(({ id }) => id);
  return storePlan(tx, {
    projectId,
    revision: graph.revision?.number ?? 0,
    origin: 'suite',
    commandIds,
    actor: actorOf(caller),
    now,
  });
}

/** A replayed answer with the credentials alone that are still on loan. */
async function withRunningLeases({ database, clock }: Agents, reply: Reply): Promise<Reply> {
  const body = reply.body as Partial<SuiteView> | undefined;
  const lent = Object.entries(body?.credentials ?? {});
  if (!body?.lease || lent.length === 0) return reply;
  const running = await leasedNames(database.read, body.lease.id, clock());
  const credentials = Object.fromEntries(lent.filter(([name]) => running.has(name)));
  return { ...reply, body: { ...body, credentials } };
}

// The route by which an agent gets a suite: claimed from a plan, or brought along.
import { eq } from 'drizzle-orm';
import { actorOf } from '../../access/caller.ts';
import { invalid, notFoundAt } from '../../errors.ts';
import { jsonBody } from '../../http/api/body.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { created, ok, type Reply } from '../../http/api/reply.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import type { Db } from '../../store/database.ts';
import { plans } from '../../store/tables/agents.ts';
import type { Agents } from '../agents.ts';
import { VARIABLE } from '../commands/body.ts';
import { namedCommandIds } from '../commands/named-commands.ts';
import { hasCredentials, leaseCredentials, lentNames } from '../credentials/lease.ts';
import { storePlan } from '../plan/rows.ts';
import { claimItems } from './claim-items.ts';
import { writeOnGraph } from './claim-on-graph.ts';
import { LEASE_MS_USUAL } from './leases.ts';
import type { LostLease } from './lose-leases.ts';
import { ITEMS, SuiteBody, type SuiteInput } from './model.ts';
import { type NewSuite, suiteView } from './open-suite.ts';
import { openOwnSuite } from './own-suite.ts';

type SuiteCall = Call<unknown, SuiteInput>;

/** Where nothing is up for claim, something may be soon: a lease may be lost at any moment. */
const RETRY_AFTER_MS = 5000;
const WAYS = ['planId', 'commandIds', 'suite'] as const;

export function createSuiteRoute(agents: Agents) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).SUITE_DOCS,
    body: jsonBody(SuiteBody),
    refresh: (reply) => withLentAlone(agents, reply),
    async handler(call) {
      requireOneWay(call.body);
      agents.leaseWatch.catchUp();
      await openSealing(agents, call.caller.projectId);
      let lost: LostLease[] = [];
      let opened: { tokenId: string; expiresAt: number } | undefined;
      const reply = await writeOnGraph(agents, call, async (db, graph) => {
        lost = await agents.leaseWatch.settle(db, call.now);
        const made = await makeSuite(agents, db, call, graph);
        opened = made.opened;
        return made.reply;
      });
      if (opened) {
        agents.leaseWatch.opened(opened);
        agents.runEvents.changed(call.caller.projectId);
      }
      agents.leaseWatch.tell(lost);
      return reply;
    },
  });
}

/** Opens what unseals credentials before the write, and only where there are some. */
async function openSealing({ database, sealing }: Agents, projectId: string): Promise<void> {
  if (await hasCredentials(database.read, projectId)) await sealing();
}

interface Made {
  reply: Reply;
  opened: { tokenId: string; expiresAt: number } | undefined;
}

function requireOneWay(body: SuiteInput): void {
  const [first, second] = WAYS.filter((name) => body[name] !== undefined);
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

async function makeSuite(agents: Agents, db: Db, call: SuiteCall, graph: Effective): Promise<Made> {
  const { body, caller, now } = call;
  const { projectId, tokenId } = caller;
  const suite: NewSuite = {
    ...{ projectId, planId: null, now, actor: actorOf(caller) },
    agent: { name: body.agent.name, version: body.agent.version ?? null },
    leaseMs: body.leaseMs ?? LEASE_MS_USUAL,
  };
  if (body.suite) {
    const own = await openOwnSuite(db, suite, body.suite.items, graph);
    return { reply: createdSuite(suiteView(null, own, {})), opened: own.lease.row };
  }
  const planId = body.planId ?? (await planOfCommands(db, call, graph));
  if (body.planId !== undefined) await requirePlan(db, projectId, planId);
  const claim = {
    ...{ ...suite, planId, kinds: body.agent.kinds },
    maxItems: body.maxItems ?? ITEMS.usual,
  };
  const claimed = await claimItems(db, claim, graph);
  if (!claimed.suite) {
    const { done } = claimed;
    const answer = { planId, items: [], done, retryAfterMs: done ? 0 : RETRY_AFTER_MS };
    return { reply: ok(answer), opened: undefined };
  }
  const lease = claimed.suite.lease.row;
  const credentials = await leaseCredentials(agents, db, {
    ...{ projectId, leaseId: lease.id, commands: claimed.commands, tokenId, now },
    expiresAt: lease.expiresAt,
  });
  const view = suiteView(planId, claimed.suite, credentials);
  return { reply: createdSuite(view), opened: lease };
}

function createdSuite(view: ReturnType<typeof suiteView>): Reply {
  return created(view, `/api/run-state?suiteId=${view.id}`);
}

/** @throws Problem `not_found` */
async function requirePlan(db: Db, projectId: string, id: string): Promise<void> {
  const [row] = await db.select({ projectId: plans.projectId }).from(plans).where(eq(plans.id, id));
  if (row?.projectId !== projectId)
    throw notFoundAt('/planId', `there is no plan ${id} in this project`);
}

/**
 * Stores a plan of the commands that a suite names.
 *
 * @throws Problem `not_found`, `invalid` or `conflict` as `namedCommandIds`
 */
async function planOfCommands(
  db: Db,
  { body, caller, now }: SuiteCall,
  graph: Effective,
): Promise<string> {
  const { projectId } = caller;
  const names = body.commandIds ?? [];
  const commandIds = await namedCommandIds(db, { projectId, now }, names, '/commandIds');
  const { id } = await storePlan(db, {
    ...{ projectId, revision: graph.revision?.number ?? 0, origin: 'suite' },
    request: { commandIds },
    answer: { items: [] },
    items: commandIds.map((commandId) => ({ commandId })),
    ...{ actor: actorOf(caller), now },
  });
  return id;
}

/** A kept answer with those values alone that are still on loan. */
async function withLentAlone({ database, clock }: Agents, reply: Reply): Promise<Reply> {
  const body = reply.body as Partial<ReturnType<typeof suiteView>> | undefined;
  if (!body?.lease || Object.keys(body.credentials ?? {}).length === 0) return reply;
  const lent = await lentNames(database.read, body.lease.id, clock());
  const credentials = Object.fromEntries(
    Object.entries(body.credentials ?? {}).filter(([name]) => lent.has(name)),
  );
  return { ...reply, body: { ...body, credentials } };
}

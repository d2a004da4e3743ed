// Records a test run: its report is read into a batch of results that nobody sees, then the run is
// written and they are seen with it, then it is settled. Broken off anywhere, nothing is left of it
// or all of it is there.

import { actorOf } from '../../access/caller.ts';
import { createLinkMint } from '../../evidence/attachments/link-minting.ts';
import type { Call } from '../../http/api/endpoint.ts';
import { requestHash } from '../../http/api/idempotency.ts';
import { created, ok, type Reply } from '../../http/api/reply.ts';
import { createPace, type Pace } from '../../quality/pace.ts';
import { beginBatch, type OpenBatch } from '../../quality/runs/batches.ts';
import { checkRunFields, mergeRunFields, type RunFields } from '../../quality/runs/fields.ts';
import { insertRows } from '../../quality/runs/rows.ts';
import { runAttachmentView, runView } from '../../quality/runs/test-runs.ts';
import { unlikelyIds } from '../../requirements/unlikely-ids.ts';
import { collectBuffers } from '../../runtime/memory.ts';
import type { Agents } from '../agents.ts';
import type { ReceivedRun } from './body.ts';
import { type RunContext, runContext } from './claim.ts';
import { keepFiles } from './files.ts';
import { readRowsAside } from './reading.ts';
import { isWithoutResults, requireReport } from './refusals.ts';
import { newRun } from './row.ts';
import type { ReadRows } from './rows.ts';
import { dropBatch, settleRun } from './settle.ts';
import { findSubmitted, type Submitted, type WrittenRun, writeRun } from './write.ts';

/** What is needed of the request that submits a run. */
export type RunCall = Pick<Call, 'caller' | 'now' | 'write'> & {
  /** How long links to its attachments last, in seconds. */
  linkTtl?: number | undefined;
};

/** What is submitted of a run. */
export interface Submission extends Omit<ReceivedRun, 'drop'> {
  /** What the query says of it. */
  query: RunFields;
  /** By which a request with an idempotency key is known again. */
  hash: string;
}

/** Stories of a run's results that are pinned, at most. */
const STORIES_MOST = 100_000;
/** After so many batches of rows, what they were is collected. */
const COLLECTED_BATCHES = 64;

/**
 * Records a run.
 *
 * @returns 201 with the run, 200 with the one that the same submission made before, 202 with one
 * that came too late
 * @throws Problem `invalid`, `not_found`, `conflict`, `too_large`, `malformed_body`; nothing is left
 */
export async function recordRun(
  agents: Agents,
  call: RunCall,
  submission: Submission,
): Promise<Reply> {
  const { database } = agents;
  const { projectId, tokenId } = call.caller;
  agents.leaseWatch.enter(tokenId);
  const { form, query, contents } = submission;
  const given = form ? mergeRunFields(query, form) : query;
  const submitter = { projectId, tokenId, now: call.now };
  const context = await runContext(agents, submitter, given);
  const bodySha256 = bodyHash(given, contents);
  const { claim } = context;
  const externalId = given.externalId ?? null;
  const before = await findSubmitted(database.read, { projectId, externalId, claim, bodySha256 });
  if (before) return call.write(async () => replyOf(agents, call, before), submission.hash);

  const batch = await beginBatch(database, projectId, call.now);
  const pace = createPace(() => agents.metrics.answered);
  try {
    const ready = await readReport(agents, submitter, submission, { context, batch, pace });
    const { reply, written } = await write(agents, call, submission, {
      ...{ ...ready, batch, bodySha256 },
    });
    if (written.replayed) await dropBatch(agents, batch.batch, pace);
    else await settleRun(agents, written.row, { named: ready.storyIds.size > 0, pace });
    return reply;
  } catch (error) {
    await dropBatch(agents, batch.batch, pace);
    throw error;
  } finally {
    batch.close();
  }
}

interface ReadRun {
  context: RunContext;
  read: ReadRows | null;
  /** The stories that its results name. */
  storyIds: ReadonlySet<string>;
  /** The stories that links and scenarios say are verified by it. */
  linkedIds: ReadonlySet<string>;
}

/** Reads the report into the batch. */
async function readReport(
  agents: Agents,
  submitter: Parameters<typeof runContext>[1],
  { report, form, query }: Submission,
  begun: { context: RunContext; batch: OpenBatch; pace: Pace },
): Promise<ReadRun> {
  const storyIds = new Set<string>();
  const linkedIds = new Set<string>();
  let batches = 0;
  let { context } = begun;
  if (report === undefined) return { context, read: null, storyIds, linkedIds };
  const { ofTest } = await agents.states.linked(submitter.projectId);
  const { content, mediaType } = report;
  const { lent, fields: given } = context;
  const secrets = lent?.values ?? [];
  const known = unlikelyIds(await agents.effective.of(submitter.projectId));
  const job = { content, mediaType, root: given.root ?? undefined, secrets, storyIds: known };
  const read = await readRowsAside(job, {
    async onFields(own, faults) {
      const wrong = faults.filter((fault) => !(own.execution && isWithoutResults(fault)));
      const checked = checkRunFields(own, wrong);
      const fields = form ? { ...checked, ...given } : mergeRunFields(query, checked);
      context = await runContext(agents, submitter, fields);
      return context.lent?.values ?? [];
    },
    async onRows(rows) {
      addMost(storyIds, rows.storyIds);
      if (ofTest.size > 0) {
        for (const key of JSON.parse(rows.keys) as string[])
          addMost(linkedIds, ofTest.get(key) ?? []);
      }
      await agents.database.write((db) => insertRows(db, begun.batch, rows));
      await begun.pace.rest();
      batches += 1;
      // Rows that came from another thread are late to be collected by themselves.
      if (batches % COLLECTED_BATCHES === 0) collectBuffers();
    },
  });
  return { context, read, storyIds, linkedIds };
}

function addMost(to: Set<string>, ids: readonly string[]): void {
  for (const id of ids) if (to.size < STORIES_MOST) to.add(id);
}

/** Writes the run with all that hangs on it. */
async function write(
  agents: Agents,
  call: RunCall,
  submission: Submission,
  {
    context,
    read,
    storyIds,
    linkedIds,
    batch,
    bodySha256,
  }: ReadRun & Pick<Submitted, 'bodySha256'> & { batch: OpenBatch },
): Promise<{ reply: Reply; written: WrittenRun }> {
  const { caller, now } = call;
  const { projectId } = caller;
  const { claim, command, item, pinned } = context;
  const report = requireReport(submission, context, read);
  const { lent } = context;
  const masked = lent?.mask?.text ?? ((text: string) => text);
  const row = newRun(context, report, submission.report?.sha256 ?? null, masked);
  const { ofCommand } = await agents.states.linked(projectId);
  const declared = command
    ? [...(JSON.parse(command.storyIds) as string[]), ...(ofCommand.get(command.id) ?? [])]
    : [];
  const verified = [...declared, ...(item?.storyIds ?? []), ...storyIds, ...linkedIds];
  const pins = pinned.pinsOf(verified);
  const quotaBytes = agents.tokens.project(projectId)?.quotaBytes ?? null;
  return keepFiles(agents, submission.files, lent, async (files) => {
    let written: WrittenRun | undefined;
    const reply = await call.write(async (db) => {
      written = await writeRun(db, {
        ...{ projectId, batch: batch.batch, externalId: row.externalId, claim, bodySha256 },
        ...{
          row,
          pins,
          requirements: { overlayClock: pinned.overlayClock, profile: pinned.profile },
          files,
          quotaBytes,
          actor: actorOf(caller),
          now,
        },
      });
      return replyOf(agents, call, written);
    }, submission.hash);
    if (written === undefined) throw new Error('the run was not written');
    return { reply, written };
  });
}

function replyOf(
  { signingKeys }: Agents,
  { caller, now, linkTtl }: RunCall,
  { row, attached, replayed }: WrittenRun,
): Reply {
  const mint = createLinkMint(signingKeys, caller, now, linkTtl);
  const views = attached.map((one) => runAttachmentView(one, mint.urlOf(one)));
  const view = runView(row, views);
  const reply = created(view, `/api/test-runs?id=${row.id}`);
  if (row.late === 1) return { ...reply, status: 202 };
  return replayed ? ok(view) : reply;
}

/** Of what a submission says beside its report, but for the secret of its lease, and its contents. */
function bodyHash({ lease, ...said }: RunFields, contents: readonly string[]): string {
  const sorted = Object.entries(said).sort(([a], [b]) => (a < b ? -1 : 1));
  return requestHash(JSON.stringify(sorted), lease?.id ?? '', ...contents);
}

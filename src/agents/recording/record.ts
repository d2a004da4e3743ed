// Records a test run: its report is read into a batch of results that nobody sees, then the run is
// written and they are seen with it, then it is settled. Broken off anywhere, nothing is left of it
// or all of it is there.
import { createHash } from 'node:crypto';
import { actorOf, type Caller } from '../../access/caller.ts';
import { withoutLent } from '../../evidence/attachments/lent-files.ts';
import type { AttachedFile } from '../../evidence/attachments/rows.ts';
import type { Lent } from '../../masking/body.ts';
import { beginBatch, type OpenBatch } from '../../quality/runs/batches.ts';
import { checkRunFields, mergeRunFields, type RunFields } from '../../quality/runs/fields.ts';
import { insertRows } from '../../quality/runs/rows.ts';
import { createThrottle, type Throttle } from '../../quality/scheduler.ts';
import { unlikelyIds } from '../../requirements/graph/effective.ts';
import { collectBuffers } from '../../runtime/memory.ts';
import type { Tx } from '../../store/database.ts';
import type { StagedFile } from '../../store/files/files.ts';
import { isContentReferenced } from '../../store/references.ts';
import type { Agents } from '../agents.ts';
import { type RunContext, runContext, type Submitter } from './context.ts';
import { type ReadRows, readRowsAside } from './reading.ts';
import type { ReceivedFile, ReceivedReport } from './report.ts';
import { isWithoutResults, newRun, requireReport } from './row.ts';
import { dropBatch, settleRun } from './settle.ts';
import { findSubmitted, type WrittenRun, writeRun } from './write.ts';

export interface Submission {
  /** Undefined for a form without one. */
  report: ReceivedReport | undefined;
  /** What the form says of the run; undefined for a bare report, which may say it itself. */
  form: RunFields | undefined;
  query: RunFields;
  files: readonly ReceivedFile[];
  /** By which the same contents are known again. */
  contents: readonly string[];
}

const MAX_STORIES = 100_000;
const COLLECTED_BATCHES = 64;

/**
 * Records a run, or finds the one that the same submission made before.
 *
 * @param save - does the work in one write, and stores its reply under the idempotency key
 * @returns what `save` gives
 * @throws Problem `invalid`, `not_found`, `conflict`, `too_large`, `malformed_body`; nothing is left
 */
export async function recordRun<R>(
  agents: Agents,
  caller: Caller,
  now: number,
  submission: Submission,
  save: (work: (tx: Tx) => Promise<WrittenRun>) => Promise<R>,
): Promise<R> {
  const { database } = agents;
  const { projectId, tokenId } = caller;
  agents.leaseWatch.enter();
  const { form, query, contents } = submission;
  const given = form ? mergeRunFields(query, form) : query;
  const submitter = { projectId, tokenId, now };
  const context = await runContext(agents, submitter, given);
  const { claim } = context;
  const bodySha256 = bodyHash(given, contents);
  const externalId = given.externalId ?? null;
  const before = await findSubmitted(database.read, { projectId, externalId, claim, bodySha256 });
  if (before) return save(async () => before);

  const batch = await beginBatch(database, projectId, now);
  const throttle = createThrottle(() => agents.metrics.answered);
  try {
    const read = await readReport(agents, submitter, submission, { context, batch, throttle });
    const row = newRun(
      read.context,
      requireReport(submission, read.context, read.rows),
      submission.report?.sha256 ?? null,
    );
    const { pinned, lent } = read.context;
    const pins = pinned.pinsOf(await verifiedStories(agents, projectId, read));
    let written: WrittenRun | undefined;
    const result = await withFiles(agents, submission.files, lent, (files) =>
      save(async (tx) => {
        written = await writeRun(tx, {
          projectId,
          batch: batch.batch,
          externalId: row.externalId,
          claim: read.context.claim,
          bodySha256,
          row,
          pins,
          requirements: { overlayClock: pinned.overlayClock, profile: pinned.profile },
          files,
          quotaBytes: agents.tokens.project(projectId)?.quotaBytes ?? null,
          actor: actorOf(caller),
          now,
        });
        return written;
      }),
    );
    if (!written || written.replayed) await dropBatch(agents, batch.batch, throttle);
    else await settleRun(agents, written.row, { throttle });
    return result;
  } catch (error) {
    await dropBatch(agents, batch.batch, throttle);
    throw error;
  } finally {
    batch.close();
  }
}

function bodyHash({ lease, ...fields }: RunFields, contents: readonly string[]): string {
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256');
  for (const part of [JSON.stringify(sorted), lease?.id ?? '', ...contents])
    hash.update(`${part.length}:`).update(part);
  return hash.digest('base64url');
}

interface ReadRun {
  context: RunContext;
  rows: ReadRows | null;
  storyIds: ReadonlySet<string>;
  /** The stories that links and scenarios verify by its tests. */
  linkedIds: ReadonlySet<string>;
}

async function readReport(
  agents: Agents,
  submitter: Submitter,
  { report, form, query }: Submission,
  begun: { context: RunContext; batch: OpenBatch; throttle: Throttle },
): Promise<ReadRun> {
  const storyIds = new Set<string>();
  const linkedIds = new Set<string>();
  let { context } = begun;
  if (report === undefined) return { context, rows: null, storyIds, linkedIds };
  const { ofTest } = await agents.states.linked(submitter.projectId);
  const given = context.fields;
  const job = {
    content: report.content,
    mediaType: report.mediaType,
    root: given.root ?? undefined,
    secrets: context.lent?.values ?? [],
    storyIds: unlikelyIds(await agents.effective.of(submitter.projectId)),
  };
  let batches = 0;
  const rows = await readRowsAside(job, {
    async onFields(own, faults) {
      const wrong = faults.filter((fault) => !(own.execution && isWithoutResults(fault)));
      const checked = checkRunFields(own, wrong);
      const fields = form ? { ...checked, ...given } : mergeRunFields(query, checked);
      context = await runContext(agents, submitter, fields);
      return context.lent?.values ?? [];
    },
    async onRows(batch) {
      addStories(storyIds, batch.storyIds);
      if (ofTest.size > 0) {
        for (const key of JSON.parse(batch.keys) as string[])
          addStories(linkedIds, ofTest.get(key) ?? []);
      }
      await agents.database.write((tx) => insertRows(tx, begun.batch, batch));
      await begun.throttle.wait();
      batches += 1;
      // Rows that came from another thread are late to be collected by themselves.
      if (batches % COLLECTED_BATCHES === 0) collectBuffers();
    },
  });
  return { context, rows, storyIds, linkedIds };
}

function addStories(to: Set<string>, ids: readonly string[]): void {
  for (const id of ids) if (to.size < MAX_STORIES) to.add(id);
}

async function verifiedStories(
  agents: Agents,
  projectId: string,
  { context: { command, item }, storyIds, linkedIds }: ReadRun,
): Promise<string[]> {
  const { ofCommand } = await agents.states.linked(projectId);
  const declared = command ? [...command.storyIds, ...(ofCommand.get(command.id) ?? [])] : [];
  return [...declared, ...(item?.storyIds ?? []), ...storyIds, ...linkedIds];
}

async function withFiles<T>(
  { files: store, database }: Pick<Agents, 'files' | 'database'>,
  received: readonly ReceivedFile[],
  lent: Lent | undefined,
  work: (files: AttachedFile[]) => Promise<T>,
): Promise<T> {
  const staged: StagedFile[] = [];
  const evidence: AttachedFile[] = [];
  try {
    for (const { file, name, mediaType, kind } of received) {
      const clean = await withoutLent(store, file, lent);
      staged.push(clean);
      await clean.commit();
      evidence.push({
        name: lent?.mask?.text(name) ?? name,
        kind,
        note: null,
        mediaType,
        bytes: clean.bytes,
        sha256: clean.sha256,
      });
    }
    return await work(evidence);
  } finally {
    for (const file of staged) {
      await file.discard();
      // A sweep finds it where this fails.
      await store.remove(file.sha256, isContentReferenced(database.read)).catch(() => false);
    }
  }
}

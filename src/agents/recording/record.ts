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
import { unlikelyIds } from '../../requirements/graph/effective.ts';
import { createThrottle, type Throttle } from '../../runtime/scheduler.ts';
import { collectBuffers } from '../../runtime/worker.ts';
import type { Tx } from '../../store/database.ts';
import type { StagedFile } from '../../store/files/files.ts';
import { isContentReferenced } from '../../store/references.ts';
import type { Agents } from '../agents.ts';
import { readRowsAside } from './reading.ts';
import type { ReceivedFile, ReceivedReport } from './receive.ts';
import {
  isWithoutResults,
  newRun,
  type RunContext,
  requireReport,
  runContext,
  type Submitter,
} from './row.ts';
import { dropBatch, settleRun } from './settle.ts';
import { findSubmitted, type WrittenRun, writeRun } from './write.ts';

export interface Submission {
  report: ReceivedReport | undefined;
  /** What the form says of the run; undefined for a bare report, which may say it itself. */
  form: RunFields | undefined;
  query: RunFields;
  files: readonly ReceivedFile[];
  contents: readonly string[];
}

const MAX_STORIES = 100_000;
const COLLECTED_BATCHES = 64;

/**
 * Records a run, or finds the one that the same submission made before.
 * @param save - does the work in one write, and stores its reply under the idempotency key
 * @returns what `save` gives
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
  const { form, query, contents, report } = submission;
  const given = form ? mergeRunFields(query, form) : query;
  const submitter = { projectId, tokenId };
  const first = await runContext(agents, submitter, given);
  const bodySha256 = bodyHash(given, contents);
  const { externalId = null } = given;
  const submitted = { projectId, externalId, claim: first.claim, bodySha256 };
  const before = await findSubmitted(database.read, submitted);
  if (before) return save(async () => before);

  const batch = await beginBatch(database, projectId, now);
  const throttle = createThrottle(() => agents.metrics.answered);
  try {
    const begun = { context: first, batch, throttle };
    const { context, stories, summary } = await readReport(agents, submitter, submission, begun);
    const whole = requireReport(submission, context, summary);
    const { row, flaky } = newRun(context, whole, report?.sha256 ?? null);
    const { pinned, lent, claim } = context;
    const declared = await declaredStories(agents, projectId, context);
    const pins = pinned.pinsOf([...declared, ...stories]);
    let written: WrittenRun | undefined;
    const result = await withFiles(agents, submission.files, lent, (files) =>
      save(async (tx) => {
        written = await writeRun(tx, {
          projectId,
          batch: batch.batch,
          externalId: row.externalId,
          claim,
          bodySha256,
          row,
          flaky,
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
    else await settleRun(agents, written.row, throttle);
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

async function readReport(
  agents: Agents,
  submitter: Submitter,
  { report, form, query }: Submission,
  begun: { context: RunContext; batch: OpenBatch; throttle: Throttle },
) {
  /** The stories that its results name, or that links and scenarios verify by its tests. */
  const stories = new Set<string>();
  let { context } = begun;
  if (report === undefined) return { context, summary: null, stories };
  const { ofTest } = await agents.states.linked(submitter.projectId);
  const given = context.fields;
  const job = {
    content: report.content,
    mediaType: report.mediaType,
    root: given.root ?? undefined,
    exitCode: given.execution?.exitCode,
    secrets: context.lent?.values ?? [],
    storyIds: unlikelyIds(await agents.effective.of(submitter.projectId)),
  };
  const addAll = (ids: Iterable<string>) => {
    for (const id of ids) if (stories.size < MAX_STORIES) stories.add(id);
  };
  let batches = 0;
  const summary = await readRowsAside(job, {
    async onFields(own, faults) {
      const wrong = faults.filter((fault) => !(own.execution && isWithoutResults(fault)));
      const checked = checkRunFields(own, wrong);
      const fields = form ? { ...checked, ...given } : mergeRunFields(query, checked);
      context = await runContext(agents, submitter, fields);
      return context.lent?.values ?? [];
    },
    async onRows(batch) {
      addAll(batch.storyIds);
      if (ofTest.size > 0)
        for (const key of JSON.parse(batch.keys) as string[]) addAll(ofTest.get(key) ?? []);
      await agents.database.write((tx) => insertRows(tx, begun.batch, batch));
      await begun.throttle.wait();
      batches += 1;
      // Rows that came from another thread are late to be collected by themselves.
      if (batches % COLLECTED_BATCHES === 0) collectBuffers();
    },
  });
  return { context, summary, stories };
}

async function declaredStories(
  agents: Agents,
  projectId: string,
  { command, state }: RunContext,
): Promise<readonly string[]> {
  const claimed = state?.item?.storyIds ?? [];
  if (!command) return claimed;
  const { ofCommand } = await agents.states.linked(projectId);
  return [...command.storyIds, ...(ofCommand.get(command.id) ?? []), ...claimed];
}

/** Stores the files of a run for the time of the work, without what was lent. */
async function withFiles<T>(
  { files: store, database }: Pick<Agents, 'files' | 'database'>,
  received: readonly ReceivedFile[],
  lent: Lent | undefined,
  work: (files: AttachedFile[]) => Promise<T>,
): Promise<T> {
  const staged: StagedFile[] = [];
  const attached: AttachedFile[] = [];
  try {
    for (const { file, name, ...of } of received) {
      const clean = await withoutLent(store, file, lent);
      staged.push(clean);
      await clean.commit();
      const { bytes, sha256 } = clean;
      attached.push({ ...of, name: lent?.mask?.text(name) ?? name, note: null, bytes, sha256 });
    }
    return await work(attached);
  } finally {
    for (const file of staged) {
      await file.discard();
      // A sweep finds it where this fails.
      await store.remove(file.sha256, isContentReferenced(database.read)).catch(() => false);
    }
  }
}

// Submits what a command gave: its report with how it was run and, where it did not pass, its
// evidence. What the server does not take whole is sent with less, so that no item is left without an end.
import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { isArchive } from '../../evidence/attachments/lent-files.ts';
import { type ApiAnswer, codeOf, describeRefusal, type Send } from './api-client.ts';
import { createForm, type Form, type FormPart } from './form.ts';
import { reportOfOne } from './own-report.ts';
import { persist, type Retrying } from './retry.ts';
import type { Ending, Finished, SpooledFile } from './state-file.ts';
import { type AgentIdentity, type Lease, nameOf, type SuiteItem } from './suite.ts';

/** What of a test run the commands read. */
export interface SubmittedRun {
  id: string;
  name: string;
  status: 'passed' | 'failed' | 'broken';
  late: boolean;
  totals: Record<
    'tests' | 'passed' | 'failed' | 'broken' | 'skipped' | 'unknown' | 'flaky',
    number
  >;
  harnessErrors: { code: string; detail: string }[];
}

export interface Submission {
  item: SuiteItem;
  lease: Lease;
  agent: AgentIdentity;
  environment: string | undefined;
  finished: Finished;
}

export type Submitted =
  | { type: 'recorded'; run: SubmittedRun }
  /** It was recorded by an earlier try, which was not quite the same. */
  | { type: 'before'; ending: Ending }
  /** Nothing was taken; `isOfReport` where the report is the reason, and not the lease or the token. */
  | { type: 'refused'; answer: ApiAnswer; isOfReport: boolean };

/** Settling a report of 100,000 results takes its time. */
const TIMEOUT_MS = 5 * 60_000;

/**
 * Submits a run.
 *
 * @throws Unreachable where the server does not come back in time
 */
export async function submitRun(
  send: Send,
  retrying: Retrying,
  submission: Submission,
): Promise<Submitted> {
  const { runId, attempt } = submission.item;
  const hasFiles = submission.finished.files.length > 0;
  let refusal: ApiAnswer | undefined;
  for (const leaving of LEAVING) {
    if (leaving === 'archives' && (refusal && codeOf(refusal)) !== 'archive_refused') continue;
    if (leaving === 'files' && !hasFiles) continue;
    const form = await formOf(submission, leaving, refusal);
    const answer = await persist(
      () =>
        send({
          ...{ method: 'POST', path: '/test-runs', form, timeoutMs: TIMEOUT_MS },
          idempotencyKey: `${runId}:${attempt}:report`,
          signal: retrying.signal,
        }),
      retrying,
    );
    if ([200, 201, 202].includes(answer.status)) return recorded(answer);
    if (codeOf(answer) === 'idempotency_mismatch')
      return { type: 'before', ending: await endingOnServer(send, runId) };
    if (!OF_REPORT.includes(answer.status)) return { type: 'refused', answer, isOfReport: false };
    refusal = answer;
  }
  if (refusal === undefined) throw new Error('nothing was sent');
  return { type: 'refused', answer: refusal, isOfReport: true };
}

/** What is left out of each try: less and less is sent. */
const LEAVING = ['nothing', 'archives', 'files', 'report'] as const;

/** What tells of the body of a request, and not of who sends it. */
const OF_REPORT = [400, 409, 413, 415, 422];

async function endingOnServer(send: Send, runId: string): Promise<Ending> {
  const path = `/run-state?runId=${encodeURIComponent(runId)}`;
  const answer = await send({ method: 'GET', path });
  const { state } = (answer.body ?? {}) as { state?: string };
  const endings: readonly Ending[] = ['passed', 'failed', 'broken', 'cancelled'];
  return endings.find((ending) => ending === state) ?? 'lost';
}

function recorded({ status, body }: ApiAnswer): Submitted {
  const run = body as SubmittedRun;
  return { type: 'recorded', run: { ...run, late: run.late === true || status === 202 } };
}

async function formOf(
  { item, lease, agent, environment, finished }: Submission,
  leaving: (typeof LEAVING)[number],
  refusal: ApiAnswer | undefined,
): Promise<Form> {
  const { runId, attempt } = item;
  const { execution, report, files, commit, branch, root } = finished;
  const isStub = leaving === 'report';
  const why = refusal === undefined ? '' : describeRefusal(refusal);
  const run = {
    ...{ runId, attempt, lease: { id: lease.id, token: lease.token }, agent },
    name: nameOf(item).slice(0, 300),
    ...{ startedAt: execution.startedAt, finishedAt: execution.finishedAt },
    ...{ commit, branch, root, environment: environment ?? null },
    execution: isStub ? { ...execution, reportSha256: null, reportModifiedAt: null } : execution,
  };
  const parts: FormPart[] = [{ name: 'run', value: JSON.stringify(run) }];
  if (isStub) parts.push(stubOf(item, why));
  else if (report !== null) parts.push(await partOf('report', report));
  if (leaving === 'nothing' || leaving === 'archives') {
    for (const file of files) {
      if (leaving === 'nothing' || !isArchive(await headOf(file.path)))
        parts.push(await partOf('file', file));
    }
  }
  return createForm(boundaryOf(`${runId}:${attempt}:${leaving}`), parts);
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** In the place of a report that the server does not take. */
function stubOf(item: SuiteItem, why: string): FormPart {
  const message = `the report was refused: ${why}`;
  const bytes = reportOfOne({
    ...{ name: nameOf(item), status: 'broken', durationMs: 0, message },
    storyIds: item.commandId === null ? item.storyIds : [],
  });
  return { name: 'report', fileName: 'report.json', mediaType: 'application/json', bytes };
}

async function partOf(name: string, { path, name: fileName, mediaType }: SpooledFile) {
  const { size } = await stat(path);
  return { name, fileName, mediaType, path, size };
}

/** A boundary that the same request has each time it is sent. */
export function boundaryOf(request: string): string {
  return `pqrs-${createHash('sha256').update(request).digest('hex').slice(0, 40)}`;
}

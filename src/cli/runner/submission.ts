// Submits what a command gave: its report with how it was run and, where it did not pass, its
// evidence. What the server does not take whole is sent with less, so that no item is left without an end.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isArchive } from '../../evidence/attachments/lent-files.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  codeOf,
  describeRefusal,
  persist,
  REPORT_TIMEOUT_MS,
  type Retrying,
  type RunAnswer,
  type Send,
} from './api.ts';
import { reportOfOne } from './finish.ts';
import type { Ending, Finished } from './state-file.ts';
import { type AgentIdentity, type Lease, nameOf, type SuiteItem } from './suite.ts';

export type SubmittedRun = Pick<
  RunAnswer,
  'id' | 'name' | 'status' | 'late' | 'totals' | 'harnessErrors'
>;

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

const LEAVING = ['nothing', 'archives', 'files', 'report'] as const;

/** What is a matter of the body of a request, and not of who sends it. */
const OF_REPORT = [400, 409, 413, 415, 422];

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
  let refusal: ApiAnswer | undefined;
  for (const leaving of LEAVING) {
    if (leaving === 'archives' && (refusal && codeOf(refusal)) !== 'archive_refused') continue;
    if (leaving === 'files' && submission.finished.files.length === 0) continue;
    const request: ApiRequest = {
      method: 'POST',
      path: '/test-runs',
      // The same request has the same boundary each time it is sent, also by the next agent.
      body: createForm(
        `${runId}:${attempt}:${leaving}`,
        await partsOf(submission, leaving, refusal),
      ),
      idempotencyKey: `${runId}:${attempt}:report`,
      timeoutMs: REPORT_TIMEOUT_MS,
    };
    const answer = await persist(send, request, retrying);
    if ([200, 201, 202].includes(answer.status)) {
      const run = answer.body as SubmittedRun;
      const late = run.late === true || answer.status === 202;
      return { type: 'recorded', run: { ...run, late } };
    }
    if (codeOf(answer) === 'idempotency_mismatch')
      return { type: 'before', ending: await endingOnServer(send, runId) };
    if (!OF_REPORT.includes(answer.status)) return { type: 'refused', answer, isOfReport: false };
    refusal = answer;
  }
  if (refusal === undefined) throw new Error('nothing was sent');
  return { type: 'refused', answer: refusal, isOfReport: true };
}

async function endingOnServer(send: Send, runId: string): Promise<Ending> {
  const path = `/run-state?runId=${encodeURIComponent(runId)}`;
  const answer = await send({ method: 'GET', path });
  const { state } = (answer.body ?? {}) as { state?: string };
  const endings: readonly Ending[] = ['passed', 'failed', 'broken', 'cancelled'];
  return endings.find((ending) => ending === state) ?? 'lost';
}

async function partsOf(
  { item, lease, agent, environment, finished }: Submission,
  leaving: (typeof LEAVING)[number],
  refusal: ApiAnswer | undefined,
): Promise<FormPart[]> {
  const { execution, report, files, commit, branch, root } = finished;
  const isStub = leaving === 'report';
  const run = {
    runId: item.runId,
    attempt: item.attempt,
    lease: { id: lease.id, token: lease.token },
    agent,
    name: nameOf(item).slice(0, 300),
    startedAt: execution.startedAt,
    finishedAt: execution.finishedAt,
    commit,
    branch,
    root,
    environment: environment ?? null,
    execution: isStub ? { ...execution, reportSha256: null, reportModifiedAt: null } : execution,
  };
  const parts: FormPart[] = [{ name: 'run', content: JSON.stringify(run) }];
  if (isStub) {
    const message = `the report was refused: ${refusal && describeRefusal(refusal)}`;
    parts.push({
      name: 'report',
      fileName: 'report.json',
      mediaType: 'application/json',
      content: reportOfOne(item, 0, { status: 'broken', message }),
    });
  } else if (report !== null) {
    const { name: fileName, mediaType, path } = report;
    parts.push({ name: 'report', fileName, mediaType, content: await readFile(path) });
  }
  if (isStub || leaving === 'files') return parts;
  for (const { name: fileName, mediaType, path } of files) {
    const content = await readFile(path);
    if (leaving === 'nothing' || !isArchive(content.subarray(0, 512)))
      parts.push({ name: 'file', fileName, mediaType, content });
  }
  return parts;
}

export interface FormPart {
  name: string;
  /** Of a file. */
  fileName?: string;
  mediaType?: string;
  content: string | Uint8Array;
}

/**
 * A body of multipart/form-data (RFC 7578).
 *
 * @param request - what the boundary is made of: the same parts of the same request are the same bytes
 */
export function createForm(request: string, parts: readonly FormPart[]): ApiRequest['body'] {
  const hash = createHash('sha256').update(request).digest('hex');
  const boundary = `pqrs-${hash.slice(0, 40)}`;
  const chunks = parts.flatMap(({ name, fileName, mediaType, content }) => {
    const file = fileName === undefined ? '' : `; filename="${quotable(fileName)}"`;
    const type = mediaType === undefined ? '' : `\r\nContent-Type: ${mediaType}`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}${type}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(content as Uint8Array), Buffer.from('\r\n')];
  });
  return {
    mediaType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

function quotable(text: string): string {
  return (
    text
      .slice(-200)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
      .replaceAll(/[\u0000-\u001f\u007f]/g, '_')
      .replaceAll('\\', '\\\\')
      .replaceAll('"', '%22')
  );
}

// Lines of work that post test reports one after the other, for as long as somebody listens: bare or
// in a form with a file, whole or in pieces, small or large enough for a worker.
import { createHash, randomBytes } from 'node:crypto';
import { AnswerLost, type Client, openClient } from '../../scripts/bench/client.ts';
import type { Answer } from '../../scripts/bench/connection.ts';
import type { PromisedRun } from '../../scripts/bench/ledger.ts';
import { formBytes } from '../../scripts/bench/requests.ts';

export interface ReportPlan {
  port: number;
  /** Of the agent that posts. */
  token: string;
  /** The key of the command that all runs are of. */
  command: string;
  /** Lines of work. */
  reporters: number;
  /** Cases of a report, at most. */
  cases: number;
}

export interface ReportResult {
  /** Runs that were answered with success. */
  recorded: number;
  complaints: string[];
}

/** One in so many cases names a story. */
const NAMES_EACH = 10;
const PIECE_BYTES = 32 * 1024;

/** Posts reports until nobody listens any more; every one goes into the list before it is sent. */
export async function postReports(
  plan: ReportPlan,
  runs: PromisedRun[],
  result: ReportResult,
): Promise<void> {
  async function work(): Promise<void> {
    for (;;) {
      const client = await openClient(plan.port).catch(() => undefined);
      if (!client) return;
      try {
        for (;;) {
          const run = newRun(plan);
          runs.push(run);
          const { status, body } = await send(client, plan, run, Math.random() < 0.5);
          const answer = JSON.parse(body.toString()) as { id: string };
          if (status === 201) {
            run.id = answer.id;
            result.recorded += 1;
          } else if (status !== 503) {
            result.complaints.push(`a report is answered with ${status}: ${body}`);
          }
        }
      } catch (error) {
        if (!(error instanceof AnswerLost)) result.complaints.push(String(error));
      }
      client.close();
    }
  }
  await Promise.all(Array.from({ length: plan.reporters }, work));
}

/** Sends a report once more, as a client does that has heard nothing. */
export function sendAgain(
  client: Client,
  plan: Pick<ReportPlan, 'token' | 'command'>,
  run: PromisedRun,
): Promise<Answer> {
  return send(client, plan, run, false);
}

function newRun({ cases }: ReportPlan): PromisedRun {
  const name = `r${randomBytes(6).toString('hex')}`;
  // As many small ones as large ones.
  const count = Math.ceil(cases ** Math.random());
  const file = Math.random() < 0.4;
  const fileSha256 = file ? createHash('sha256').update(fileOf(name)).digest('hex') : null;
  return { name, cases: count, fileSha256, id: undefined };
}

/** The bytes of its file: alike in all runs but for its name, which stands last. */
function fileOf(name: string): Buffer {
  return Buffer.concat([Buffer.alloc(20_000, 'what was seen '), Buffer.from(name)]);
}

function reportOf({ name, cases }: PromisedRun): Buffer {
  const tests = Array.from({ length: cases }, (_, at) => {
    const link = at % NAMES_EACH === 0 ? ` [US-${at}]` : '';
    return `<testcase name="case ${at}${link}" classname="${name}" time="0.00${at}"/>\n`;
  });
  return Buffer.from(`<testsuite name="${name}" tests="${cases}">\n${tests.join('')}</testsuite>`);
}

async function send(
  client: Client,
  { token, command }: Pick<ReportPlan, 'token' | 'command'>,
  run: PromisedRun,
  inPieces: boolean,
): Promise<Answer> {
  const { name, fileSha256 } = run;
  const report = reportOf(run);
  const said = { externalId: name, commandId: command };
  const form =
    fileSha256 === null
      ? undefined
      : formBytes(
          { run: JSON.stringify(said), report: report.toString() },
          { name: 'seen.txt', type: 'text/plain', bytes: fileOf(name) },
        );
  const body = form?.body ?? report;
  const path = form ? '/api/test-runs' : `/api/test-runs?${new URLSearchParams(said)}`;
  const type = form?.type ?? 'application/xml';
  const parts = { method: 'POST', path, token, headers: { 'Content-Type': type } };
  if (!inPieces) return client.ask({ ...parts, body });
  const length = { 'Content-Length': String(body.byteLength) };
  const answer = client.ask({ ...parts, headers: { ...parts.headers, ...length } });
  let settled = false;
  const settle = () => {
    settled = true;
  };
  const end = answer.then(settle, settle);
  for (let at = 0; at < body.byteLength && !settled; at += PIECE_BYTES) {
    // A connection that has ended takes no piece and says so by its answer alone.
    await Promise.race([client.connection.write(body.subarray(at, at + PIECE_BYTES)), end]);
    await Bun.sleep(Math.random() * 3);
  }
  return answer;
}

// `pqrs report`: sends report files with what is known of their run, a run each.
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type CommandCall, CommandFailed, print, printJson, UsageError } from '../command.ts';
import {
  type ApiAnswer,
  createSend,
  describeRefusal,
  type Send,
  Unreachable,
} from './api-client.ts';
import { findCommand } from './commands.ts';
import { readConnection, wholeNumber } from './connection.ts';
import { createForm, type FormPart } from './form.ts';
import { namedFiles } from './named-files.ts';
import { onOneLine, totalsText, whyNot } from './output.ts';
import { inspectReport, NoFile, type ReportFile } from './report-file.ts';
import { persist, type Retrying } from './retry.ts';
import { readSourceState } from './source-state.ts';
import { boundaryOf, type SubmittedRun } from './submission.ts';

/** Settling a report of 100,000 results takes its time. */
const TIMEOUT_MS = 5 * 60_000;

interface ToSend {
  report: ReportFile & { mediaType: string };
  run: object;
  attached: readonly (FormPart & { size: number })[];
}

/**
 * Sends all reports that a call names.
 *
 * @throws UsageError; CommandFailed where not all passed, or the server refuses or is away
 */
export async function sendReports(call: CommandCall): Promise<void> {
  const files = await namedFiles(call.positionals);
  requireOne(call, files.length);
  const connection = await readConnection(call, process.env);
  const retryMs = wholeNumber(call, 'retry-ms', { fallback: 120_000 });
  // All of it is looked at before any of it is sent: a wrong call sends nothing.
  const reports: Awaited<ReturnType<typeof readReportFile>>[] = [];
  for (const file of files) reports.push(await readReportFile(file));
  const attached = await Promise.all(call.texts('attach').map(readAttached));
  const given = await readExecution(call.text('execution'));
  const source = await readSourceState(process.cwd(), process.env);
  const send = createSend(connection);
  const retrying = (): Retrying => {
    const until = Date.now() + retryMs;
    const onWait = (ms: number, why: string) =>
      process.stderr.write(`pqrs: ${why}; again in ${ms} ms\n`);
    return { until: () => until, onWait };
  };
  const runs: SubmittedRun[] = [];
  try {
    const command = call.text('command');
    const commandId = command && (await findCommand(send, retrying(), command)).id;
    for (const report of reports) {
      const run = {
        ...known({
          externalId: call.text('external-id'),
          name: call.text('name'),
          commandId,
          commit: call.text('commit') ?? source.commit,
          branch: call.text('branch') ?? source.branch,
          environment: call.text('environment'),
          root: process.cwd(),
        }),
        execution: {
          reportSha256: report.sha256,
          reportModifiedAt: new Date(report.modifiedAt).toISOString(),
          // Who ran the tests knows better what came of it.
          ...given,
        },
      };
      runs.push(runOf(await sendReport(send, retrying(), { report, run, attached })));
      if (!call.json) printRun(runs.at(-1), report.path);
    }
  } catch (error) {
    if (error instanceof Unreachable)
      throw new CommandFailed(`${connection.url} cannot be reached: ${error.message}`);
    throw error;
  } finally {
    if (call.json && runs.length > 0) printJson(files.length === 1 ? runs[0] : runs);
  }
  const bad = runs.filter(({ status }) => status !== 'passed').length;
  if (bad > 0)
    throw new CommandFailed(
      runs.length === 1
        ? `the run is ${runs[0]?.status}`
        : `${bad} of ${runs.length} runs did not pass`,
    );
}

function requireOne(call: CommandCall, files: number): void {
  if (files === 1) return;
  const alone = ['external-id', 'execution'].filter((name) => call.text(name) !== undefined);
  if (call.texts('attach').length > 0) alone.push('attach');
  if (alone.length > 0) throw new UsageError(`--${alone[0]} goes with one FILE`);
}

async function readReportFile(path: string): Promise<ReportFile & { mediaType: string }> {
  const report = await inspectReport(path).catch((error: Error) => {
    if (error instanceof NoFile) throw new UsageError(error.message);
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(isGone ? `there is no file ${path}` : `${path} cannot be read`);
  });
  if (report.mediaType === undefined)
    throw new UsageError(`${path} is neither JUnit XML, CTRF, TAP nor our JSON`);
  return { ...report, mediaType: report.mediaType };
}

async function readAttached(path: string): Promise<FormPart & { size: number }> {
  const about = await stat(path).catch(() => undefined);
  if (!about?.isFile()) throw new UsageError(`there is no file ${path}`);
  const mediaType = 'application/octet-stream';
  return { name: 'file', fileName: basename(path), mediaType, path, size: about.size };
}

async function readExecution(path: string | undefined): Promise<object> {
  if (path === undefined) return {};
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`the execution ${path} cannot be read`);
  });
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Told of below, as what is JSON and no object is.
  }
  throw new UsageError(`the execution ${path} is not a JSON object`);
}

async function sendReport(
  send: Send,
  retrying: Retrying,
  { report, run, attached }: ToSend,
): Promise<ApiAnswer> {
  const { path, mediaType, bytes: size } = report;
  const idempotencyKey = crypto.randomUUID();
  const form = createForm(boundaryOf(idempotencyKey), [
    { name: 'run', value: JSON.stringify(run) },
    { name: 'report', fileName: basename(path), mediaType, path, size },
    ...attached,
  ]);
  const request = { method: 'POST', path: '/test-runs', form, idempotencyKey } as const;
  return persist(() => send({ ...request, timeoutMs: TIMEOUT_MS }), retrying);
}

function runOf(answer: ApiAnswer): SubmittedRun {
  if (answer.status < 200 || answer.status > 299)
    throw new CommandFailed(`the report was refused: ${describeRefusal(answer)}`);
  return answer.body as SubmittedRun;
}

function printRun(run: SubmittedRun | undefined, path: string): void {
  if (run === undefined) return;
  print(`${run.status.padEnd(6)}  ${path}  ${totalsText(run.totals)}  ${run.id}`);
  for (const text of whyNot(run)) print(`        ${onOneLine(text)}`);
}

function known(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  );
}

// `pqrs report`: sends report files with what is known of their run, a run each.
import { access, glob, readFile, stat } from 'node:fs/promises';
import {
  type CommandCall,
  CommandFailed,
  print,
  printJson,
  UsageError,
  wholeNumber,
} from '../command.ts';
import { connect, REPORT_TIMEOUT_MS, readConnection } from './api.ts';
import { inspectReport, NoFile, type ReportFile } from './report-file.ts';
import { readSourceState } from './source-state.ts';
import {
  fileOf,
  onOneLine,
  type SubmittedRun,
  sendForm,
  totalsText,
  warn,
  whyNot,
} from './submission.ts';

type KnownReport = ReportFile & { mediaType: string };

/** @throws UsageError; CommandFailed where not all passed, or the server refuses or is away */
export async function sendReports(call: CommandCall): Promise<void> {
  const files = await namedFiles(call.positionals);
  const attached = call.texts('attach');
  const alone = ['external-id', 'execution'].find((name) => call.text(name) !== undefined);
  if (files.length > 1 && (alone !== undefined || attached.length > 0))
    throw new UsageError(`--${alone ?? 'attach'} goes with one FILE`);
  const connection = await readConnection(call, process.env);
  const retryMs = wholeNumber(call, 'retry-ms', 120_000);
  // All of it is looked at before any of it is sent: a wrong call sends nothing.
  const reports: KnownReport[] = [];
  for (const file of files) reports.push(await readReportFile(file));
  for (const path of attached)
    await access(path).catch(() => {
      throw new UsageError(`there is no file ${path}`);
    });
  const execution = await readExecution(call.text('execution'));
  const source = await readSourceState(process.cwd(), process.env);
  const given = (name: string) => call.text(name) || undefined;
  const about = {
    externalId: given('external-id'),
    name: given('name'),
    commandId: given('command'),
    commit: given('commit') ?? source.commit,
    branch: given('branch') ?? source.branch,
    environment: given('environment'),
    root: process.cwd(),
  };
  const runs: SubmittedRun[] = [];
  try {
    for (const report of reports) {
      const reportModifiedAt = new Date(report.modifiedAt).toISOString();
      // Who ran the tests knows better what came of it.
      const ran = { reportSha256: report.sha256, reportModifiedAt, ...execution };
      const form = new FormData();
      form.append('run', JSON.stringify({ ...about, execution: ran }));
      form.append('report', await fileOf(report));
      for (const path of attached)
        form.append('file', await fileOf({ path, mediaType: 'application/octet-stream' }));
      const until = Date.now() + retryMs;
      const api = connect(connection, {
        until: () => until,
        onWait: (ms, why) => warn(`${why}; again in ${ms} ms`),
        timeoutMs: REPORT_TIMEOUT_MS,
      });
      const made = await sendForm(api, form);
      runs.push(made);
      if (!call.json) printRun(made, report.path);
    }
  } finally {
    if (call.json && runs.length > 0) printJson(files.length === 1 ? runs[0] : runs);
  }
  const bad = runs.filter(({ status }) => status !== 'passed').length;
  if (bad === 0) return;
  const several = `${bad} of ${runs.length} runs did not pass`;
  throw new CommandFailed(runs.length === 1 ? `the run is ${runs[0]?.status}` : several);
}

/** The files that arguments name, each once; patterns too, for where no shell has read them. */
async function namedFiles(names: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const name of names) {
    // What is there under its name is no pattern, whatever characters it has.
    const isPattern = /[*?[{]/.test(name) && !(await stat(name).catch(() => undefined));
    const files: string[] = isPattern ? [] : [name];
    if (isPattern)
      for await (const path of glob(name))
        if ((await stat(path).catch(() => undefined))?.isFile()) files.push(path);
    if (files.length === 0) throw new UsageError(`no file matches ${name}`);
    for (const file of files.sort()) found.add(file);
  }
  return [...found];
}

async function readReportFile(path: string): Promise<KnownReport> {
  const report = await inspectReport(path).catch((error: Error) => {
    if (error instanceof NoFile) throw new UsageError(error.message);
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(isGone ? `there is no file ${path}` : `${path} cannot be read`);
  });
  const { mediaType } = report;
  if (mediaType === undefined)
    throw new UsageError(`${path} is neither JUnit XML, CTRF, TAP nor our JSON`);
  return { ...report, mediaType };
}

async function readExecution(path: string | undefined): Promise<object> {
  if (path === undefined) return {};
  const read = readFile(path, 'utf8').then((text): unknown => JSON.parse(text));
  const value = await read.catch(() => undefined);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(`the execution ${path} is not a JSON object`);
}

function printRun(run: SubmittedRun, path: string): void {
  print(`${run.status.padEnd(6)}  ${path}  ${totalsText(run.totals)}  ${run.id}`);
  for (const text of whyNot(run)) print(`        ${onOneLine(text)}`);
}

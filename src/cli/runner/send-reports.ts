// `pqrs report`: sends report files with what is known of their run, a run each, and says what came of it.
import { readFile } from 'node:fs/promises';
import type { Static } from '@sinclair/typebox';
import { boundedName } from '../../quality/reports/text.ts';
import { isFailing } from '../../quality/runs/flaky.ts';
import type { RunComparison } from '../../quality/runs/model.ts';
import type { Execution } from '../../quality/runs/verdict.ts';
import {
  type CommandCall,
  CommandFailed,
  print,
  printJson,
  UsageError,
  wholeNumber,
} from '../command.ts';
import { addToSummary } from './annotations.ts';
import { type Api, connect, dataOf, REPORT_TIMEOUT_MS, Refused, readConnection } from './api.ts';
import { startedWith } from './folder.ts';
import { evidenceOf, type LocalReport, readLocalReport } from './local-report.ts';
import { namedFiles } from './named-files.ts';
import {
  githubLines,
  gitlabReport,
  type ReportedRun,
  summaryLines,
  textLines,
} from './run-output.ts';
import { readCiJob, readSourceState } from './source-state.ts';
import { fileOf, type SubmittedRun, sendForm, warn } from './submission.ts';

const FORMATS = ['text', 'github', 'gitlab'];
/** As many as a server takes with a run. */
const MAX_FILES = 20;

/** @throws UsageError; CommandFailed where not all passed, or the server refuses or is away */
export async function sendReports(call: CommandCall): Promise<void> {
  const format = call.text('format') ?? 'text';
  if (!FORMATS.includes(format)) throw new UsageError(`--format takes ${FORMATS.join(', ')}`);
  if (call.json && format !== 'text')
    throw new UsageError('--json and --format exclude each other');
  const files = await namedFiles(call.positionals);
  const alone = ['external-id', 'execution'].find((name) => call.text(name) !== undefined);
  const toAttach = call.texts('attach');
  if (files.length > 1 && (alone !== undefined || toAttach.length > 0))
    throw new UsageError(`--${alone ?? 'attach'} goes with one FILE`);
  const connection = await readConnection(call, process.env);
  const retryMs = wholeNumber(call, 'retry-ms', 120_000);
  const named = await namedFiles(toAttach, { folders: true, prefix: '--attach: ' });
  const attached = named.slice(0, MAX_FILES);
  const beyond = named.length - attached.length;
  if (beyond > 0) warn(`a run takes ${MAX_FILES} files: ${beyond} of --attach are left out`);
  const execution = await readExecution(call.text('execution'));
  const root = process.cwd();
  // All of it is looked at before any of it is sent: a wrong call sends nothing.
  const reports: LocalReport[] = [];
  for (const file of files)
    reports.push(await readLocalReport(file, { root, execution, all: format === 'gitlab' }));
  const own = { token: connection.token, protectedFiles: await startedWith(call, process.env) };
  const source = await readSourceState(root, process.env);
  const job = readCiJob(process.env);
  const given = (name: string) => call.text(name) || undefined;
  const about = {
    name: given('name'),
    commandId: given('command'),
    commit: given('commit') ?? source.commit,
    branch: given('branch') ?? source.branch,
    environment: given('environment'),
    root,
  };
  const done: ReportedRun[] = [];
  const say = format === 'gitlab' ? warn : print;
  try {
    for (const report of reports) {
      const { path, results } = report;
      const until = Date.now() + retryMs;
      const api = connect(connection, {
        until: () => until,
        onWait: (ms, why) => warn(`${why}; again in ${ms} ms`),
        timeoutMs: REPORT_TIMEOUT_MS,
      });
      const reportModifiedAt = new Date(report.modifiedAt).toISOString();
      // Who ran the tests knows better what came of it.
      const ran = { reportSha256: report.sha256, reportModifiedAt, ...execution };
      const externalId = given('external-id') ?? (job && externalIdOf(job, report));
      const fields = { ...about, externalId, execution: ran };
      const evidence = await evidenceOf(report, execution, own);
      const run = await send(api, { fields, report, attached, evidence });
      const hasFailing = !call.json && results.some(({ status }) => isFailing(status));
      const newlyFailing = hasFailing ? await newFailures(api, run) : undefined;
      const link = `${connection.url}/api/test-runs?id=${run.id}`;
      const one = { run, path, results, newlyFailing, link };
      done.push(one);
      if (call.json) continue;
      for (const line of format === 'github' ? githubLines(one, process.env) : textLines(one))
        say(line);
      if (format === 'github') await addToSummary(summaryLines(one), process.env);
    }
  } finally {
    const runs = done.map(({ run }) => run);
    if (call.json && runs.length > 0) printJson(files.length === 1 ? runs[0] : runs);
    if (format === 'gitlab') print(gitlabReport(done).trimEnd());
  }
  const bad = done.filter(({ run }) => run.status !== 'passed').length;
  if (bad === 0) return;
  const several = `${bad} of ${done.length} runs did not pass`;
  throw new CommandFailed(done.length === 1 ? `the run is ${done[0]?.run.status}` : several);
}

/** The same report of a job is the same run; others of one job, as shards on one runner, are not. */
function externalIdOf(job: string, { path, sha256 }: LocalReport): string {
  return boundedName(`${job}/${path}/${sha256.slice(0, 12)}`, 300);
}

interface Sending {
  fields: object;
  report: LocalReport;
  attached: readonly string[];
  evidence: readonly File[];
}

/** Sends a run, without the files that its report names where the server does not take them. */
async function send(api: Api, { evidence, ...sending }: Sending): Promise<SubmittedRun> {
  const { fields, report, attached } = sending;
  const form = new FormData();
  form.append('run', JSON.stringify(fields));
  form.append('report', await fileOf(report));
  for (const path of attached)
    form.append('file', await fileOf({ path, mediaType: 'application/octet-stream' }));
  for (const file of evidence.slice(0, MAX_FILES - attached.length)) form.append('file', file);
  try {
    return await sendForm(api, form);
  } catch (error) {
    if (!(error instanceof Refused) || !error.isOfBody || evidence.length === 0) throw error;
    const run = await send(api, { ...sending, evidence: [] });
    warn(`sent without the files that the report names: ${error.message}`);
    return run;
  }
}

/** The tests that fail and did not before on the branch of a run; undefined where there is no before. */
async function newFailures(api: Api, run: SubmittedRun): Promise<Set<string> | undefined> {
  if (run.branch === null) return undefined;
  const query = { view: 'compare', from: run.branch, to: run.id, limit: 200 } as const;
  const failing = new Set<string>();
  try {
    for (let cursor: string | undefined; ; ) {
      const page = await dataOf(api['test-runs'].get({ query: { ...query, cursor } }));
      if (!('counts' in page)) return undefined;
      const { items, nextCursor } = page as Static<typeof RunComparison>;
      const some = items.filter(({ change }) => change === 'newly_failing');
      for (const { testKey } of some) failing.add(testKey);
      // They come first.
      if (nextCursor === null || some.length < items.length) return failing;
      cursor = nextCursor;
    }
  } catch (error) {
    if (error instanceof CommandFailed) return undefined;
    throw error;
  }
}

async function readExecution(path: string | undefined): Promise<Execution> {
  if (path === undefined) return {};
  const read = readFile(path, 'utf8').then((text): unknown => JSON.parse(text));
  const value = await read.catch(() => undefined);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(`--execution: ${path} is not a JSON object`);
}

// Puts together what is known when a command has ended, and stores it in the run's own folder until it
// is submitted: the report as it was then, the console, the files that the report names.
import { createReadStream } from 'node:fs';
import { realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Mask } from '../../masking/mask.ts';
import type { ResultStatus } from '../../quality/reports/model.ts';
import { readReport } from '../../quality/reports/read.ts';
import { WHOLE_COMMAND_TOOL } from '../../quality/runs/execution-errors.ts';
import { judgeRun, type RunStatus } from '../../quality/runs/verdict.ts';
import type { ConsoleLog } from './console-log.ts';
import { expectedFiles, findEvidence } from './evidence.ts';
import type { WorkFolder } from './paths.ts';
import { inspectReport, MEDIA_TYPES, NoFile } from './report-file.ts';
import { readSourceState } from './source-state.ts';
import type { Finished, SpooledFile } from './state-file.ts';
import { nameOf, type SuiteItem } from './suite.ts';

export interface Ended {
  item: SuiteItem;
  /** Of the run, for what is stored. */
  folder: string;
  /** Where the report was to be; null where the command leaves none, or never came to run. */
  reportPath: string | null;
  /** Null where it never came to run. */
  cwd: string | null;
  work: WorkFolder;
  /** Takes out what must not be in anything that is sent; undefined where there is nothing. */
  mask: Mask | undefined;
  exitCode: number | null;
  signal: string | null;
  /** Milliseconds since the epoch. */
  startedAt: number;
  finishedAt: number;
  /** The one result, where the command leaves no report; null where it never came to run. */
  result: OneResult | null;
  console: ConsoleLog;
}

export interface OneResult {
  status: ResultStatus;
  message: string | null;
}

const TAIL_BYTES = 8 * 1024;
const MAX_MESSAGE = 8000;

export async function finishRun(ended: Ended): Promise<Finished> {
  const { item, cwd, startedAt, finishedAt, console, folder } = ended;
  const report = await storeReport(ended);
  const execution: Finished['execution'] = {
    exitCode: ended.exitCode,
    signal: ended.signal,
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(finishedAt).toISOString(),
    reportSha256: report?.sha256 ?? null,
    reportModifiedAt: report?.modifiedAt ?? null,
    expectedFiles: report?.isOwn === false && cwd !== null ? await expectedFiles(item, cwd) : null,
    consoleTail: console.tail(TAIL_BYTES),
  };
  const head = cwd === null ? undefined : await readSourceState(cwd, process.env);
  const files: SpooledFile[] = [];
  if ((await judge(report, execution, cwd ?? ended.work.path)) !== 'passed') {
    const path = join(folder, 'console.log');
    await writeFile(path, console.bytes(), { mode: 0o600 });
    files.push({ path, name: 'console.log', mediaType: 'text/plain' });
    files.push(...(await storeEvidence(ended, report)));
  }
  return {
    execution,
    report: report && { path: report.path, name: report.name, mediaType: report.mediaType },
    files,
    notes: console.notes,
    root: cwd,
    commit: head?.commit ?? null,
    branch: head?.branch ?? null,
  };
}

interface StoredReport extends SpooledFile {
  sha256: string;
  /** Null for one of the agent's own making. */
  modifiedAt: string | null;
  isOwn: boolean;
}

async function storeReport(ended: Ended): Promise<StoredReport | null> {
  const { item, folder, reportPath, mask, result } = ended;
  const path = join(folder, 'report');
  if (reportPath === null) {
    if (result === null) return null;
    const durationMs = ended.finishedAt - ended.startedAt;
    await writeFile(path, reportOfOne(item, durationMs, result), { mode: 0o600 });
    const { sha256 } = await inspectReport(path);
    const mediaType = MEDIA_TYPES.json;
    return { path, name: 'report.json', mediaType, sha256, modifiedAt: null, isOwn: true };
  }
  try {
    // A link may be in the place of the report, or of a folder above it.
    if ((await realpath(reportPath)) !== reportPath) throw new NoFile(reportPath, true);
    const { sha256, modifiedAt } = await inspectReport(reportPath, path, mask);
    const { format } = item.report;
    return {
      path,
      name: basename(reportPath),
      mediaType: MEDIA_TYPES[format === 'none' ? 'json' : format],
      sha256,
      modifiedAt: new Date(modifiedAt).toISOString(),
      isOwn: false,
    };
  } catch (error) {
    if (error instanceof NoFile) ended.console.note(error.message);
    return null;
  }
}

export function reportOfOne(
  item: SuiteItem,
  durationMs: number,
  { status, message }: OneResult,
): Buffer<ArrayBuffer> {
  const result = {
    name: nameOf(item).slice(0, 1000),
    status,
    durationMs: Math.max(0, Math.round(durationMs)),
    ...(message === null ? {} : { message: message.slice(0, MAX_MESSAGE) }),
    // A command has stories of its own.
    ...(item.commandId !== null || item.storyIds.length === 0 ? {} : { storyIds: item.storyIds }),
  };
  return Buffer.from(JSON.stringify({ tool: WHOLE_COMMAND_TOOL, results: [result] }));
}

/** The verdict by the rules of the server: what did not pass goes with its evidence. */
async function judge(
  report: StoredReport | null,
  execution: Finished['execution'],
  root: string,
): Promise<RunStatus> {
  if (report === null) return 'broken';
  const { path, mediaType, sha256 } = report;
  for await (const part of readReport(createReadStream(path), { mediaType, root })) {
    if (part.type === 'summary')
      return judgeRun({ report: part.summary, sha256, execution, root }).status;
  }
  return 'broken';
}

async function storeEvidence(
  { item, cwd, reportPath, folder, work, startedAt, mask }: Ended,
  report: StoredReport | null,
): Promise<SpooledFile[]> {
  if (report === null || report.isOwn || cwd === null || reportPath === null) return [];
  const { format } = item.report;
  const { protectedFiles } = work;
  const place = { base: dirname(reportPath), cwd, since: startedAt, protectedFiles };
  const stored: SpooledFile[] = [];
  for (const [at, found] of (await findEvidence({ path: report.path, format }, place)).entries()) {
    const path = join(folder, `evidence-${at}`);
    try {
      const content = createReadStream(found);
      await writeFile(path, mask?.chunks(content) ?? content, { mode: 0o600 });
      stored.push({ path, name: basename(found), mediaType: 'application/octet-stream' });
    } catch {
      // One that has gone or cannot be read is no evidence, and no reason to lose the run.
    }
  }
  return stored;
}

// Puts together what is known when a command has ended, and stores it in the run's own folder until it
// is submitted: the report as it was then, the console, the files that the report names.
import { createReadStream } from 'node:fs';
import { realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SuiteItemView } from '../../agents/suites/model.ts';
import type { Mask } from '../../masking/mask.ts';
import type { ResultStatus } from '../../quality/reports/model.ts';
import { readReport } from '../../quality/reports/read.ts';
import { judgeRun, WHOLE_COMMAND_TOOL } from '../../quality/runs/verdict.ts';
import type { ConsoleLog } from './console-log.ts';
import { findEvidence } from './evidence.ts';
import { markOf, type WorkFolder } from './paths.ts';
import { inspectReport, MEDIA_TYPES, NoFile } from './report-file.ts';
import { readSourceState } from './source-state.ts';

export interface StoredFile {
  path: string;
  name: string;
  mediaType: string;
}

export interface Finished {
  execution: {
    exitCode: number | null;
    signal: string | null;
    startedAt: string;
    finishedAt: string;
    reportSha256: string | null;
    reportModifiedAt: string | null;
    consoleTail: string;
  };
  /** Null where the command left none. */
  report: StoredFile | null;
  files: StoredFile[];
  /** Of the folder that it ran in. */
  root: string | null;
  commit: string | null;
  branch: string | null;
}

/** How an item ended. */
export interface Outcome {
  /** Where the report was to be; null where the command leaves none, or never came to run. */
  report: { path: string; before: string | undefined } | null;
  /** Null where it never came to run. */
  cwd: string | null;
  exitCode: number | null;
  signal: string | null;
  /** Milliseconds since the epoch. */
  finishedAt: number;
  /** The one result, where the command leaves no report; null where it never came to run. */
  result: OneResult | null;
}

export interface OneResult {
  status: ResultStatus;
  message: string | null;
}

export interface Ended extends Outcome {
  item: SuiteItemView;
  /** Of the run, for what is stored. */
  folder: string;
  work: WorkFolder;
  /** Takes out what must not be in anything that is sent; undefined where there is nothing. */
  mask: Mask | undefined;
  startedAt: number;
  console: ConsoleLog;
}

const TAIL_BYTES = 8 * 1024;
const MAX_MESSAGE = 8000;

export async function finishRun(ended: Ended): Promise<Finished> {
  const { cwd, folder, console } = ended;
  const from = ended.report;
  const report = from === null ? await makeReport(ended) : await copyReport(ended, from);
  const isCommands = report !== null && from !== null && cwd !== null;
  const execution: Finished['execution'] = {
    exitCode: ended.exitCode,
    signal: ended.signal,
    startedAt: new Date(ended.startedAt).toISOString(),
    finishedAt: new Date(ended.finishedAt).toISOString(),
    reportSha256: report?.sha256 ?? null,
    reportModifiedAt: report?.modifiedAt ?? null,
    consoleTail: console.tail(TAIL_BYTES),
  };
  const files: StoredFile[] = [];
  if (!(await hasPassed(report, execution, cwd ?? ended.work.path))) {
    const path = join(folder, 'console.log');
    await writeFile(path, console.bytes(), { mode: 0o600 });
    files.push({ path, name: 'console.log', mediaType: 'text/plain' });
    if (isCommands)
      files.push(...(await storeEvidence(ended, report.path, dirname(from.path), cwd)));
  }
  const head = cwd === null ? undefined : await readSourceState(cwd, process.env);
  return {
    execution,
    report,
    files,
    root: cwd,
    commit: head?.commit ?? null,
    branch: head?.branch ?? null,
  };
}

interface StoredReport extends StoredFile {
  sha256: string;
  /** Null for one of the agent's own making. */
  modifiedAt: string | null;
}

async function makeReport({ item, folder, result, ...ended }: Ended): Promise<StoredReport | null> {
  if (result === null) return null;
  const path = join(folder, 'report');
  const one = {
    name: nameOf(item).slice(0, 1000),
    status: result.status,
    durationMs: Math.max(0, Math.round(ended.finishedAt - ended.startedAt)),
    message: result.message?.slice(0, MAX_MESSAGE),
    // A command has stories of its own.
    storyIds: item.commandId === null && item.storyIds.length > 0 ? item.storyIds : undefined,
  };
  const text = JSON.stringify({ tool: WHOLE_COMMAND_TOOL, results: [one] });
  await writeFile(path, text, { mode: 0o600 });
  const { sha256 } = await inspectReport(path);
  return { path, name: 'report.json', mediaType: MEDIA_TYPES.json, sha256, modifiedAt: null };
}

async function copyReport(
  { item, folder, mask, console }: Ended,
  { path: from, before }: NonNullable<Outcome['report']>,
): Promise<StoredReport | null> {
  const path = join(folder, 'report');
  try {
    // A link may be in the place of the report, or of a folder above it.
    if ((await realpath(from)) !== from) throw new NoFile(`${from} is behind a link`);
    const { sha256, modifiedAt } = await inspectReport(from, path, mask);
    if ((await markOf(from)) === before) throw new NoFile(`${from} is that of before`);
    const { format } = item.report;
    const mediaType = MEDIA_TYPES[format === 'none' ? 'json' : format];
    const name = basename(from);
    return { path, name, mediaType, sha256, modifiedAt: new Date(modifiedAt).toISOString() };
  } catch (error) {
    if (error instanceof NoFile) console.note(error.message);
    return null;
  }
}

/** The verdict by the rules of the server: what did not pass goes with its evidence. */
async function hasPassed(
  report: StoredReport | null,
  execution: Finished['execution'],
  root: string,
): Promise<boolean> {
  if (report === null) return false;
  const { path, mediaType, sha256 } = report;
  for await (const part of readReport(createReadStream(path), { mediaType, root })) {
    if (part.type === 'summary')
      return judgeRun({ report: part.summary, sha256, execution, root }).status === 'passed';
  }
  return false;
}

async function storeEvidence(
  { item, folder, work, startedAt, mask }: Ended,
  path: string,
  base: string,
  cwd: string,
): Promise<StoredFile[]> {
  const { protectedFiles } = work;
  const place = { base, cwd, since: startedAt, protectedFiles };
  const stored: StoredFile[] = [];
  const found = await findEvidence({ path, format: item.report.format }, place);
  for (const [at, file] of found.entries()) {
    const copy = join(folder, `evidence-${at}`);
    try {
      const content = createReadStream(file);
      await writeFile(copy, mask?.chunks(content) ?? content, { mode: 0o600 });
      stored.push({ path: copy, name: basename(file), mediaType: 'application/octet-stream' });
    } catch {
      // One that has gone or cannot be read is no evidence, and no reason to lose the run.
    }
  }
  return stored;
}

export function nameOf({ name, argv, runId }: SuiteItemView): string {
  return name || argv.join(' ') || runId;
}

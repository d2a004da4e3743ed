// Runs an item's command as a child, and stores what is known of its end in the run's
// own folder until it is submitted: the report as it was then, the console, the files that the report names.
import { createReadStream } from 'node:fs';
import { realpath, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SuiteItemView } from '../../agents/suites/model.ts';
import { createMask, type Mask } from '../../masking/mask.ts';
import type { ResultStatus } from '../../quality/reports/model.ts';
import { WHOLE_COMMAND_TOOL } from '../../quality/runs/verdict.ts';
import { childEnvironment, ItemRefused, runChild } from './child.ts';
import { type ConsoleLog, createConsoleLog } from './console-log.ts';
import { markOf, prepareReport, resolveCwd, type WorkFolder } from './folder.ts';
import { findEvidence, inspectReport, MEDIA_TYPES, NoFile } from './report-file.ts';
import { readSourceState } from './source-state.ts';

export interface ItemPlan {
  item: SuiteItemView;
  work: WorkFolder;
  /** An empty folder for what is stored of the run. */
  folder: string;
  /** The values that it is to find in its environment. */
  credentials: Readonly<Record<string, string>>;
  /** All that must not be seen in what is sent: the leased values, and the agent's own token. */
  secrets: readonly string[];
  /** From being asked to end to being killed. */
  killGraceMs: number;
  interrupt: AbortSignal;
}

interface Running extends ItemPlan {
  startedAt: number;
  /** Takes out what must not be in anything that is sent; undefined where there is nothing. */
  mask: Mask | undefined;
  console: ConsoleLog;
}

/** How an item ended. Where it never came to run there is neither a folder nor a report. */
interface Outcome {
  cwd: string | null;
  exitCode: number | null;
  signal: string | null;
  /** Where the report was to be. */
  report?: NamedReport | undefined;
}

type NamedReport = Awaited<ReturnType<typeof prepareReport>>;

export interface StoredFile {
  path: string;
  name: string;
  mediaType: string;
}

export type Finished = Awaited<ReturnType<typeof finishRun>>;

const TAIL_BYTES = 8 * 1024;

/** Runs an item; gives what is to be submitted, or undefined where it was interrupted. */
export async function runItem(plan: ItemPlan): Promise<Finished | undefined> {
  // By the clock that dates the report, which may be a little behind.
  const startedAt = Math.min(Date.now(), await fileTime(plan.folder));
  const console = createConsoleLog();
  const mask = createMask(plan.secrets);
  const running = { ...plan, startedAt, mask, console };
  const outcome = await execute(running).catch((error: unknown): Outcome => {
    if (!(error instanceof ItemRefused)) throw error;
    console.note(error.message);
    return { cwd: null, exitCode: null, signal: null };
  });
  return outcome && finishRun(running, outcome);
}

/** The moment by the clock of the file system, which is behind the system's by a tick, or another machine's. */
async function fileTime(folder: string): Promise<number> {
  const mark = join(folder, 'clock');
  await writeFile(mark, '.', { mode: 0o600 });
  return Math.floor((await stat(mark)).mtimeMs);
}

async function execute(running: Running): Promise<Outcome | undefined> {
  const { item, work, credentials, killGraceMs, interrupt, console, mask } = running;
  const { format, path } = item.report;
  if (item.argv.length === 0) throw new ItemRefused('the item names nothing to run');
  const cwd = await resolveCwd(work, item.cwd);
  if (format !== 'none' && path === null)
    throw new ItemRefused('the item names no path for its report');
  const isReported = format !== 'none' && path !== null;
  const report = isReported ? await prepareReport(work, cwd, path) : undefined;
  const { exitCode, signal, endedBy, leftovers } = await runChild({
    argv: item.argv,
    cwd,
    timeoutMs: item.timeoutMs,
    env: childEnvironment(process.env, item.runId, item.env, credentials),
    graceMs: killGraceMs,
    interrupt,
    async output(stream) {
      for await (const chunk of mask?.chunks(stream) ?? stream) console.write(chunk);
    },
  });
  if (endedBy === 'interrupt') return undefined;
  if (endedBy === 'timeout') console.note(`ended after its timeout of ${item.timeoutMs} ms`);
  else if (leftovers) console.note('processes that it left running were ended');
  return { cwd, exitCode, signal, report };
}

async function finishRun(running: Running, outcome: Outcome) {
  const { folder, console } = running;
  const { exitCode, signal, report } = outcome;
  const cwd = outcome.cwd ?? running.work.path;
  const now = Date.now();
  const durationMs = Math.max(0, now - running.startedAt);
  const copy = report && (await copyReport(running, report));
  const times = {
    startedAt: new Date(running.startedAt).toISOString(),
    finishedAt: new Date(now).toISOString(),
  };
  const { sha256: reportSha256 = null, modifiedAt: reportModifiedAt = null } = copy ?? {};
  const consoleTail = console.tail(TAIL_BYTES);
  const execution = { exitCode, signal, ...times, reportSha256, reportModifiedAt, consoleTail };
  const files: StoredFile[] = [];
  if (exitCode !== 0 || (report && !copy)) {
    const path = join(folder, 'console.log');
    await writeFile(path, console.bytes(), { mode: 0o600 });
    files.push({ path, name: 'console.log', mediaType: 'text/plain' });
    if (copy) files.push(...(await storeEvidence(running, copy, cwd)));
  }
  const source = outcome.cwd === null ? undefined : await readSourceState(cwd, process.env);
  const { commit = null, branch = null } = source ?? {};
  const isUnreported = outcome.cwd !== null && !report;
  return {
    run: { ...times, commit, branch, root: outcome.cwd, execution },
    durationMs,
    /** Null where the command left none. */
    report: isUnreported ? await makeReport(running, durationMs, outcome) : (copy?.report ?? null),
    files,
    notes: console.notes,
  };
}

async function makeReport(
  { item, folder }: Running,
  durationMs: number,
  { exitCode, signal }: Outcome,
): Promise<StoredFile> {
  const hasPassed = exitCode === 0 && signal === null;
  const status: ResultStatus = hasPassed ? 'passed' : signal === null ? 'failed' : 'broken';
  const how = signal === null ? `exit code ${exitCode}` : `ended by ${signal}`;
  const path = join(folder, 'report');
  const one = {
    name: nameOf(item).slice(0, 1000),
    status,
    durationMs,
    message: hasPassed ? null : how,
    // A command has stories of its own.
    storyIds: item.commandId === null && item.storyIds.length > 0 ? item.storyIds : undefined,
  };
  const text = JSON.stringify({ tool: WHOLE_COMMAND_TOOL, results: [one] });
  await writeFile(path, text, { mode: 0o600 });
  return { path, name: 'report.json', mediaType: MEDIA_TYPES.json };
}

async function copyReport(
  { item, folder, mask, console }: Running,
  { path: from, before }: NamedReport,
) {
  const path = join(folder, 'report');
  try {
    // A link may be in the place of the report, or of a folder above it.
    if ((await realpath(from)) !== from) throw new NoFile(`${from} is behind a link`);
    const { sha256, modifiedAt } = await inspectReport(from, path, mask);
    if ((await markOf(from)) === before) throw new NoFile(`${from} is that of before`);
    const { format } = item.report;
    const mediaType = MEDIA_TYPES[format === 'none' ? 'json' : format];
    const report: StoredFile = { path, name: basename(from), mediaType };
    return { report, from, sha256, modifiedAt: new Date(modifiedAt).toISOString() };
  } catch (error) {
    if (error instanceof NoFile) console.note(error.message);
    return undefined;
  }
}

type CopiedReport = NonNullable<Awaited<ReturnType<typeof copyReport>>>;

async function storeEvidence(
  { item, folder, work, startedAt, mask }: Running,
  { report, from }: CopiedReport,
  cwd: string,
): Promise<StoredFile[]> {
  const { protectedFiles } = work;
  const place = { base: dirname(from), cwd, since: startedAt, protectedFiles };
  const stored: StoredFile[] = [];
  const found = await findEvidence({ path: report.path, format: item.report.format }, place);
  for (const [at, file] of found.entries()) {
    const path = join(folder, `evidence-${at}`);
    try {
      const content = createReadStream(file);
      await writeFile(path, mask?.chunks(content) ?? content, { mode: 0o600 });
      stored.push({ path, name: basename(file), mediaType: 'application/octet-stream' });
    } catch {
      // One that has gone or cannot be read is no evidence, and no reason to lose the run.
    }
  }
  return stored;
}

export function nameOf({ name, argv, runId }: SuiteItemView): string {
  return name || argv.join(' ') || runId;
}

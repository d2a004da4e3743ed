// Runs what an item is: a command as a child, or a request, to its end or until it is interrupted.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SuiteItemView } from '../../agents/suites/model.ts';
import { createMask, type Mask } from '../../masking/mask.ts';
import { childEnvironment, runChild } from './child.ts';
import { ConsoleLog } from './console-log.ts';
import { type Finished, finishRun, type OneResult, type Outcome } from './finish.ts';
import { readHttpCheck, runHttpCheck } from './http-item.ts';
import { ItemRefused, prepareReport, resolveCwd, type WorkFolder } from './paths.ts';

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
  /** Ends it early. */
  interrupt: AbortSignal;
}

/** Runs an item; gives what is to be submitted, or undefined where it was interrupted. */
export async function runItem(plan: ItemPlan): Promise<Finished | undefined> {
  const { item, work, folder } = plan;
  // By the clock that dates the report, which may be a little behind.
  const startedAt = Math.min(Date.now(), await fileTime(folder));
  const console = new ConsoleLog();
  const mask = createMask(plan.secrets);
  const run = item.kind === 'http' ? request : execute;
  const outcome = await run(plan, console, mask).catch((error: unknown): Outcome => {
    if (!(error instanceof ItemRefused)) throw error;
    // It may name an address or a header with a value filled in.
    console.note(mask?.text(error.message) ?? error.message);
    return { cwd: null, exitCode: null, signal: null, report: null };
  });
  if (outcome === undefined) return undefined;
  return finishRun({ item, folder, work, mask, startedAt, console }, outcome);
}

/** The moment by the clock of the file system, which is behind the system's by a tick, or another machine's. */
async function fileTime(folder: string): Promise<number> {
  const mark = join(folder, 'clock');
  await writeFile(mark, '.', { mode: 0o600 });
  return Math.floor((await stat(mark)).mtimeMs);
}

async function execute(
  { item, work, credentials, killGraceMs, interrupt }: ItemPlan,
  console: ConsoleLog,
  mask: Mask | undefined,
): Promise<Outcome | undefined> {
  const { format, path } = item.report;
  if (item.argv.length === 0) throw new ItemRefused('the item names nothing to run');
  if (format !== 'none' && path === null)
    throw new ItemRefused('the item names no path for its report');
  const cwd = await resolveCwd(work, item.cwd);
  const report =
    format === 'none' || path === null ? undefined : await prepareReport(work, cwd, path);
  const { exitCode, signal, endedBy, leftovers } = await runChild({
    runId: item.runId,
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
  return { cwd, exitCode, signal, report: report ?? resultOfExit(exitCode, signal) };
}

function resultOfExit(exitCode: number | null, signal: string | null): OneResult {
  if (signal !== null) return { status: 'broken', message: `ended by ${signal}` };
  if (exitCode === 0) return { status: 'passed', message: null };
  return { status: 'failed', message: `exit code ${exitCode}` };
}

async function request(
  { item, credentials, interrupt }: ItemPlan,
  console: ConsoleLog,
  mask: Mask | undefined,
): Promise<Outcome | undefined> {
  const check = readHttpCheck(item.argv, { ...item.env, ...credentials });
  const end = await runHttpCheck(check, item.timeoutMs, interrupt);
  if (end === undefined) return undefined;
  const masked = (text: string) => mask?.text(text) ?? text;
  console.write(Buffer.from(masked(end.console)));
  const message = end.message === null ? null : masked(end.message);
  return { cwd: null, exitCode: null, signal: null, report: { status: end.status, message } };
}

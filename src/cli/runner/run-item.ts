// Runs what an item is: a command as a child, or a request, to its end or until it is interrupted.
import { createMask, type Mask } from '../../masking/mask.ts';
import { type ChildEnd, childEnvironment, startChild } from './child.ts';
import { type ConsoleLog, createConsoleLog } from './console-log.ts';
import { type Ended, finishRun, type OneResult } from './finish.ts';
import { readHttpCheck, runHttpCheck } from './http-item.ts';
import { ItemRefused, prepareReport, resolveCwd, type WorkFolder } from './paths.ts';
import type { Finished, StateFile } from './state-file.ts';
import type { SuiteItem } from './suite.ts';

export interface ItemPlan {
  item: SuiteItem;
  work: WorkFolder;
  stateFile: StateFile;
  /** The values that it is to find in its environment. */
  credentials: Readonly<Record<string, string>>;
  /** All that must not be seen in what is sent: the leased values, and the agent's own token. */
  secrets: readonly string[];
  /** From being asked to end to being killed. */
  killGraceMs: number;
  /** Ends it early. */
  interrupt: AbortSignal;
}

type Outcome = Omit<Ended, 'item' | 'folder' | 'work' | 'mask' | 'startedAt' | 'console'>;

const NO_PROCESS = { reportPath: null, cwd: null, exitCode: null, signal: null };

/**
 * Runs an item.
 *
 * @returns what is to be submitted; undefined where it was interrupted
 */
export async function runItem(plan: ItemPlan): Promise<Finished | undefined> {
  const { item, work, stateFile } = plan;
  const folder = await stateFile.runFolder(item);
  // By the clock that dates the report, which may be a little behind.
  const startedAt = Math.min(Date.now(), await stateFile.fileTime());
  const console = createConsoleLog();
  const mask = createMask(plan.secrets);
  const run = item.kind === 'http' ? request : execute;
  const outcome = await run(plan, console, mask).catch((error: unknown) => {
    if (!(error instanceof ItemRefused)) throw error;
    console.note(error.message);
    return { ...NO_PROCESS, finishedAt: Date.now(), result: null };
  });
  if (outcome === undefined) return undefined;
  return finishRun({ item, folder, work, mask, startedAt, console, ...outcome });
}

export function finishInterrupted(
  { item, work }: Pick<ItemPlan, 'item' | 'work'>,
  folder: string,
  why: string,
): Promise<Finished> {
  const console = createConsoleLog();
  console.note(why);
  const startedAt = Date.now();
  const outcome = { ...NO_PROCESS, finishedAt: startedAt, result: null };
  return finishRun({ item, folder, work, mask: undefined, startedAt, console, ...outcome });
}

async function execute(
  plan: ItemPlan,
  console: ConsoleLog,
  mask: Mask | undefined,
): Promise<Outcome | undefined> {
  const { item, work, interrupt } = plan;
  if (item.argv.length === 0) throw new ItemRefused('the item names nothing to run');
  const cwd = await resolveCwd(work, item.cwd);
  const reportPath = await reportPathOf(plan, cwd);
  const child = startChild({
    runId: item.runId,
    argv: item.argv,
    cwd,
    timeoutMs: item.timeoutMs,
    env: childEnvironment(process.env, item.runId, item.env, plan.credentials),
    graceMs: plan.killGraceMs,
    async output(stream) {
      for await (const chunk of mask?.chunks(stream) ?? stream) console.write(chunk);
    },
  });
  interrupt.addEventListener('abort', child.stop);
  if (interrupt.aborted) child.stop();
  const end = await child.ended;
  interrupt.removeEventListener('abort', child.stop);
  if (end.endedBy === 'stop') return undefined;
  if (end.failure !== undefined) console.note(`not started: ${end.failure}`);
  if (end.endedBy === 'timeout') console.note(`ended after its timeout of ${item.timeoutMs} ms`);
  if (end.leftovers && end.endedBy === 'itself')
    console.note('processes that it left running were ended');
  const { exitCode, signal, finishedAt, failure } = end;
  const result = failure === undefined ? resultOfExit(end) : null;
  return { reportPath, cwd, exitCode, signal, finishedAt, result };
}

async function reportPathOf({ item, work }: ItemPlan, cwd: string): Promise<string | null> {
  const { format, path } = item.report;
  if (format === 'none') return null;
  if (path === null) throw new ItemRefused('the item names no path for its report');
  return prepareReport(work, cwd, { format, path });
}

function resultOfExit({ exitCode, signal }: Pick<ChildEnd, 'exitCode' | 'signal'>): OneResult {
  if (signal !== null) return { status: 'broken', message: `ended by ${signal}` };
  if (exitCode === null) return { status: 'broken', message: 'ended without an exit code' };
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
  if (end.isStopped) return undefined;
  const masked = (text: string) => mask?.text(text) ?? text;
  console.write(Buffer.from(masked(end.console)));
  const message = end.message === null ? null : masked(end.message);
  return { ...NO_PROCESS, finishedAt: Date.now(), result: { status: end.status, message } };
}

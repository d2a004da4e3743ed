// Runs what an item is: a command as a child, or a request, to its end or until it is interrupted.
import { createMask } from '../../masking/mask.ts';
import { type ChildEnd, startChild } from './child.ts';
import { childEnvironment } from './child-environment.ts';
import { type ConsoleLog, createConsoleLog } from './console-log.ts';
import { type Ended, finishRun } from './finished-run.ts';
import { readHttpCheck, runHttpCheck } from './http-item.ts';
import { ItemRefused, prepareReport, resolveCwd, type WorkFolder } from './item-paths.ts';
import { resultOfExit } from './own-report.ts';
import { startOf } from './process-table.ts';
import type { Finished, StateFile } from './state-file.ts';
import type { SuiteItem } from './suite.ts';

export interface ItemPlan {
  item: SuiteItem;
  work: WorkFolder;
  stateFile: StateFile;
  /** The values that it is to find in its environment. */
  credentials: Readonly<Record<string, string>>;
  /** All that must not be seen in what is sent: the values on loan, and the agent's own token. */
  secrets: readonly string[];
  /** From being asked to end to being killed. */
  killGraceMs: number;
  /** Ends it early. */
  interrupt: AbortSignal;
  /** Is told of the process before anything is waited for. */
  onStarted(process: {
    pid: number;
    processStart: string | null;
    startedAt: number;
  }): Promise<void>;
}

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
  const common = { item, folder, work, mask: createMask(plan.secrets), startedAt, console };
  try {
    const ended = await execute(plan, startedAt, console);
    return ended === undefined ? undefined : await finishRun({ ...common, ...ended });
  } catch (error) {
    if (!(error instanceof ItemRefused)) throw error;
    return await finishRun({ ...common, ...refusal(error, console) });
  }
}

type HowItEnded = Omit<Ended, 'item' | 'folder' | 'work' | 'mask' | 'startedAt' | 'console'>;

function refusal({ message }: ItemRefused, console: ConsoleLog): HowItEnded {
  console.note(message);
  return {
    ...{ reportPath: null, cwd: null, exitCode: null, signal: null, finishedAt: Date.now() },
    result: null,
  };
}

/** What is submitted of an item that an agent was running when it was ended itself. */
export function finishInterrupted(
  plan: Pick<ItemPlan, 'item' | 'work'>,
  folder: string,
  startedAt: number,
  why: string,
): Promise<Finished> {
  const console = createConsoleLog();
  const { item, work } = plan;
  return finishRun({
    ...{ item, folder, work, mask: undefined, startedAt, console },
    ...refusal(new ItemRefused(why), console),
  });
}

async function execute(
  plan: ItemPlan,
  startedAt: number,
  console: ConsoleLog,
): Promise<HowItEnded | undefined> {
  if (plan.item.kind === 'http') return request(plan, console);
  const { item, work, interrupt } = plan;
  if (item.argv.length === 0) throw new ItemRefused('the item names nothing to run');
  const cwd = await resolveCwd(work, item.cwd);
  const reportPath = await reportPathOf(plan, cwd);
  const mask = createMask(plan.secrets);
  const child = startChild({
    ...{ runId: item.runId, argv: item.argv, cwd, timeoutMs: item.timeoutMs },
    env: childEnvironment(process.env, item.runId, item.env, plan.credentials),
    graceMs: plan.killGraceMs,
    async output(stream) {
      for await (const chunk of mask?.chunks(stream) ?? stream) console.write(chunk);
    },
  });
  interrupt.addEventListener('abort', child.stop);
  if (interrupt.aborted) child.stop();
  try {
    if (child.pid !== undefined) {
      const processStart = (await startOf(child.pid)) ?? null;
      await plan.onStarted({ pid: child.pid, processStart, startedAt });
    }
  } catch (error) {
    // Nobody would know of it.
    child.stop();
    await child.ended;
    throw error;
  }
  const end = await child.ended;
  interrupt.removeEventListener('abort', child.stop);
  if (end.endedBy === 'stop') return undefined;
  noteEnd(item, end, console);
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

function noteEnd({ timeoutMs }: SuiteItem, end: ChildEnd, console: ConsoleLog): void {
  if (end.failure !== undefined) console.note(`not started: ${end.failure}`);
  if (end.endedBy === 'timeout') console.note(`ended after its timeout of ${timeoutMs} ms`);
  if (end.leftovers && end.endedBy === 'itself')
    console.note('processes that it left running were ended');
}

async function request(plan: ItemPlan, console: ConsoleLog): Promise<HowItEnded | undefined> {
  const { item, credentials, interrupt } = plan;
  const check = readHttpCheck(item.argv, { ...item.env, ...credentials });
  const mask = createMask(plan.secrets);
  const seen = (text: string) => mask?.text(text) ?? text;
  const end = await runHttpCheck(check, item.timeoutMs, interrupt);
  if (end.stopped) return undefined;
  console.write(Buffer.from(seen(end.console)));
  const message = end.message === null ? null : seen(end.message);
  return {
    ...{ reportPath: null, cwd: null, exitCode: null, signal: null, finishedAt: Date.now() },
    result: { status: end.status, message },
  };
}

// Runs what an item is: a command as a child, or a request. The `argv` of a request is METHOD, URL, and
// where given statuses (`200`, `2xx,404`; any 2xx by default) and headers. `${NAME}` is a variable or credential.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SuiteItemView } from '../../agents/suites/model.ts';
import { createMask, type Mask } from '../../masking/mask.ts';
import { childEnvironment, ItemRefused, MAX_TIMER_MS, runChild } from './child.ts';
import {
  type ConsoleLog,
  createConsoleLog,
  type Finished,
  finishRun,
  type OneResult,
  type Outcome,
} from './finish.ts';
import { prepareReport, resolveCwd, type WorkFolder } from './folder.ts';

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

const NO_COMMAND = { cwd: null, exitCode: null, signal: null };

/** Runs an item; gives what is to be submitted, or undefined where it was interrupted. */
export async function runItem(plan: ItemPlan): Promise<Finished | undefined> {
  const { item, work, folder } = plan;
  // By the clock that dates the report, which may be a little behind.
  const startedAt = Math.min(Date.now(), await fileTime(folder));
  const console = createConsoleLog();
  const mask = createMask(plan.secrets);
  const run = item.kind === 'http' ? request : execute;
  const outcome = await run(plan, console, mask).catch((error: unknown): Outcome => {
    if (!(error instanceof ItemRefused)) throw error;
    // It may name an address or a header with a value filled in.
    console.note(mask?.text(error.message) ?? error.message);
    return { ...NO_COMMAND, report: null };
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
  const isReported = format !== 'none';
  if (isReported && path === null) throw new ItemRefused('the item names no path for its report');
  const cwd = await resolveCwd(work, item.cwd);
  const report = isReported && path !== null ? await prepareReport(work, cwd, path) : undefined;
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
  return { ...NO_COMMAND, report: { status: end.status, message } };
}

const METHOD = /^[A-Za-z]{1,20}$/;
const STATUS = /^[1-5](?:\d\d|xx)$/i;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/;
const SHOWN_BYTES = 16 * 1024;

/** Reads the request out of an `argv`. @throws ItemRefused where it is none */
export function readHttpCheck(
  argv: readonly string[],
  variables: Readonly<Record<string, string>>,
) {
  const [method = '', url = '', ...rest] = argv.map((text) => filledIn(text, variables));
  if (!METHOD.test(method)) throw new ItemRefused(`"${method}" is not the method of a request`);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ItemRefused(`"${url}" is not the address of a request`);
  const [first] = rest;
  const hasStatus = first !== undefined && !HEADER.test(first);
  const expected = hasStatus ? first.split(',').map((one) => one.trim()) : ['2xx'];
  const wrong = expected.find((one) => !STATUS.test(one));
  if (wrong !== undefined) throw new ItemRefused(`"${wrong}" is not the status of an answer`);
  const headers = rest.slice(hasStatus ? 1 : 0).map((text): [string, string] => {
    const [, name, value] = HEADER.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new ItemRefused(`"${text}" is not a header of a request`);
    return [name, value];
  });
  return { method: method.toUpperCase(), url, expected, headers };
}

function filledIn(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) throw new ItemRefused(`there is no variable ${name}`);
    return value;
  });
}

/** Redirects are answers like others. Undefined where the signal ended it. */
export async function runHttpCheck(
  check: ReturnType<typeof readHttpCheck>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<(OneResult & { console: string }) | undefined> {
  const asked = `${check.method} ${check.url}`;
  const timeUp = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS));
  try {
    const response = await fetch(check.url, {
      method: check.method,
      headers: check.headers,
      redirect: 'manual',
      signal: AbortSignal.any([timeUp, signal]),
    });
    const body = await firstBytes(response);
    const console = `${asked}\n${response.status} ${response.statusText}\n\n${body}\n`;
    const status = String(response.status);
    if (check.expected.some((one) => status.startsWith(one.replace(/xx$/i, ''))))
      return { status: 'passed', message: null, console };
    const message = `${response.status}, expected ${check.expected.join(' or ')}`;
    return { status: 'failed', message, console };
  } catch (error) {
    if (signal.aborted) return undefined;
    const message = timeUp.aborted ? `no answer in ${timeoutMs} ms` : (error as Error).message;
    return { status: 'broken', message, console: `${asked}\n${message}\n` };
  }
}

async function firstBytes(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest: a body that never ends is of no more interest.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= SHOWN_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, SHOWN_BYTES).toString('utf8');
}

// Works a suite item by item: each is begun on the server, run, submitted, and taken off the state file.
import { describeRefusal, type Send } from './api-client.ts';
import { readCommand } from './commands.ts';
import type { HeldSuite } from './held-suite.ts';
import type { WorkFolder } from './item-paths.ts';
import type { Output } from './output.ts';
import { prepareAgain } from './resume.ts';
import type { Retrying } from './retry.ts';
import { type ItemPlan, runItem } from './run-item.ts';
import type { Ending, Finished, StateFile } from './state-file.ts';
import type { Stopping } from './stopping.ts';
import { type Submitted, submitRun } from './submission.ts';
import { type AgentIdentity, nameOf, type SuiteItem } from './suite.ts';

export interface Workshop {
  send: Send;
  /** The agent's own, which is masked in all that it sends. */
  token: string;
  retrying(until: () => number): Retrying;
  stateFile: StateFile;
  work: WorkFolder;
  agent: AgentIdentity;
  environment: string | undefined;
  kinds: readonly string[];
  killGraceMs: number;
  /** How long a result is offered to a server that is away, also after its lease. */
  retryMs: number;
  stopping: Stopping;
  output: Output;
  /** Counts how items ended. */
  count(ending: Ending): void;
}

interface Interruption {
  why: 'lost' | 'cancelled' | 'stopped';
  detail: string;
}

/**
 * Works what is left of a suite.
 *
 * @returns whether all of it has ended: not so where the agent was asked to end before
 * @throws Unreachable where the server does not come back in time; Stopped where the agent had to end
 */
export async function workSuite(held: HeldSuite, shop: Workshop): Promise<boolean> {
  for (const item of held.suite.items) {
    const step = held.step(item);
    if (step?.at === 'ended') continue;
    if (step?.at === 'finished') await submit(item, step.finished, held, shop);
    else if (shop.stopping.soft.aborted || !(await workItem(item, held, shop))) return false;
  }
  return true;
}

/** Gives whether it has ended: not so where the agent had to end before it. */
async function workItem(item: SuiteItem, held: HeldSuite, shop: Workshop): Promise<boolean> {
  const earlier = await prepareAgain(item, held, shop);
  const starts = earlier.starts + 1;
  await held.keep(item, { at: 'starting', starts });
  const begun = await held.begin(item);
  if (begun.type === 'taken') return end(item, 'lost', begun.why, held, shop);
  const skip = begun.cancelRequested ? CANCELLED : skipped(item, shop);
  if (skip !== undefined)
    return interrupted(item, { why: 'cancelled', detail: skip }, begun.seq, held, shop);

  const interrupt = new AbortController();
  const stop = (interruption: Interruption) => interrupt.abort(interruption);
  const onHard = () => stop({ why: 'stopped', detail: 'the agent had to end' });
  const { hard } = shop.stopping;
  const watching = held.watch(item, begun.seq, (beat) => {
    if (beat.type === 'lost') stop({ why: 'lost', detail: beat.why });
    else if (beat.type === 'failing') shop.output.notice('heartbeat', `heartbeat: ${beat.why}`);
    else if (beat.cancelRequested) stop({ why: 'cancelled', detail: CANCELLED });
  });
  hard.addEventListener('abort', onHard);
  if (hard.aborted) onHard();
  let seq = begun.seq;
  let finished = earlier.finished;
  let refused: string | undefined;
  try {
    finished ??= await runItem(await planOf(item, starts, interrupt.signal, held, shop));
    // What has ended is submitted, whatever has become of the lease: a late report is kept too.
    if (finished !== undefined) {
      await held.keep(item, { at: 'finished', finished });
      refused = await submit(item, finished, held, shop);
    }
  } finally {
    hard.removeEventListener('abort', onHard);
    seq = await watching.stop();
  }
  if (finished === undefined) {
    const interruption = interrupt.signal.reason as Interruption;
    if (interruption.why === 'stopped') return leave(item, earlier.starts, held, shop);
    return interrupted(item, interruption, seq, held, shop);
  }
  if (refused !== undefined) await held.endWith(item, seq, 'broken', refused);
  return true;
}

/** Leaves an item to the next agent: that this one had to end tells nothing of the command. */
async function leave(
  item: SuiteItem,
  starts: number,
  held: HeldSuite,
  { output, stateFile }: Workshop,
): Promise<false> {
  await held.keep(item, { at: 'starting', starts });
  await stateFile.removeRun(item);
  output.notice('stopped', `${nameOf(item)}: ended before its time, since the agent had to end`);
  return false;
}

const CANCELLED = 'its cancellation was asked for';

async function planOf(
  item: SuiteItem,
  starts: number,
  interrupt: AbortSignal,
  held: HeldSuite,
  shop: Workshop,
): Promise<ItemPlan> {
  const { work, stateFile, killGraceMs } = shop;
  return {
    ...{ item, work, stateFile, killGraceMs, interrupt },
    credentials: await credentialsOf(item, held, shop),
    secrets: [shop.token, ...Object.values(held.suite.credentials)],
    onStarted: (process) => held.keep(item, { at: 'running', starts, ...process }),
  };
}

/** Of the suite's credentials those that the item's command names, and no other. */
async function credentialsOf(
  { commandId }: SuiteItem,
  { suite, deadline }: HeldSuite,
  { send, retrying }: Workshop,
): Promise<Record<string, string>> {
  const all = Object.entries(suite.credentials);
  if (all.length === 0 || commandId === null) return {};
  const command = await readCommand(send, retrying(deadline), commandId);
  return Object.fromEntries(all.filter(([name]) => command?.credentials.includes(name)));
}

function skipped({ kind }: SuiteItem, { kinds }: Workshop): string | undefined {
  return kinds.includes(kind) ? undefined : `this agent does not run the kind ${kind}`;
}

async function interrupted(
  item: SuiteItem,
  { why, detail }: Interruption,
  seq: number,
  held: HeldSuite,
  shop: Workshop,
): Promise<true> {
  if (why === 'cancelled') {
    const refused = await held.endWith(item, seq, 'cancelled', detail);
    if (refused !== undefined) shop.output.notice('refused', `not cancelled: ${refused}`);
  }
  return end(item, why === 'cancelled' ? why : 'lost', detail, held, shop);
}

/** Submits; gives why nothing was taken, where the run has to be ended otherwise. */
async function submit(
  item: SuiteItem,
  finished: Finished,
  held: HeldSuite,
  shop: Workshop,
): Promise<string | undefined> {
  const since = Date.now();
  const until = () => Math.max(held.deadline(), since + shop.retryMs);
  const submitted = await submitRun(shop.send, shop.retrying(until), {
    ...{ item, lease: held.suite.lease, agent: shop.agent, environment: shop.environment },
    finished,
  });
  const ending = endingOf(submitted);
  await held.keep(item, { at: 'ended', ending });
  await shop.stateFile.removeRun(item);
  shop.count(ending);
  const { startedAt, finishedAt } = finished.execution;
  shop.output.item(item, {
    ending,
    durationMs: Date.parse(finishedAt) - Date.parse(startedAt),
    run: submitted.type === 'recorded' ? submitted.run : undefined,
    why: [...finished.notes, ...whyOf(submitted)],
  });
  return submitted.type === 'refused' && submitted.isOfReport
    ? describeRefusal(submitted.answer)
    : undefined;
}

function endingOf(submitted: Submitted): Ending {
  if (submitted.type === 'recorded') return submitted.run.late ? 'lost' : submitted.run.status;
  if (submitted.type === 'before') return submitted.ending;
  return submitted.isOfReport ? 'broken' : 'lost';
}

function whyOf(submitted: Submitted): string[] {
  if (submitted.type === 'recorded') return [];
  if (submitted.type === 'before') return ['it was submitted before'];
  return [`the report was refused: ${describeRefusal(submitted.answer)}`];
}

async function end(
  item: SuiteItem,
  ending: Ending,
  why: string,
  held: HeldSuite,
  shop: Workshop,
): Promise<true> {
  await held.keep(item, { at: 'ended', ending });
  await shop.stateFile.removeRun(item);
  shop.count(ending);
  shop.output.item(item, { ending, durationMs: undefined, run: undefined, why: [why] });
  return true;
}

// Works a suite item by item: each is begun on the server, run under a heartbeat, submitted, and taken off
// the state file; one that an earlier agent was ended in is gone on with.
import { CommandFailed } from '../command.ts';
import {
  type ApiAnswer,
  codeOf,
  describeRefusal,
  pause,
  persist,
  type Retrying,
  type Send,
  Unreachable,
} from './api.ts';
import { type Beat, keepAlive, type RunStateAnswer } from './heartbeat.ts';
import type { Output } from './output.ts';
import type { WorkFolder } from './paths.ts';
import { endProcesses, startOf } from './processes.ts';
import { finishInterrupted, type ItemPlan, runItem } from './run-item.ts';
import type { AgentState, Ending, Finished, StateFile, Step } from './state-file.ts';
import { type Submitted, submitRun } from './submission.ts';
import {
  type AgentIdentity,
  BEATS_A_LEASE,
  nameOf,
  readCommand,
  type Suite,
  type SuiteItem,
} from './suite.ts';

/** Thrown where something was under way when the agent had to end. */
export class Stopped extends Error {
  override name = 'Stopped';
}

export interface Worker {
  send: Send;
  /** The agent's own, which is masked in all that it sends. */
  token: string;
  retrying(until: () => number, signal?: AbortSignal): Retrying;
  stateFile: StateFile;
  work: WorkFolder;
  agent: AgentIdentity;
  environment: string | undefined;
  kinds: readonly string[];
  killGraceMs: number;
  /** How long a result is offered to a server that is away, also after its lease. */
  retryMs: number;
  /** Aborted as soon as the agent is to take nothing new. */
  soft: AbortSignal;
  /** Aborted when what is under way must end. */
  hard: AbortSignal;
  output: Output;
  /** Counts how items ended. */
  count(ending: Ending): void;
}

/** A suite with its lease as it was last renewed, by this machine's clock (epoch, ms). */
interface Held {
  suite: Suite;
  state: AgentState;
  renewAfterMs: number;
  deadline: number;
}

interface Interruption {
  why: 'lost' | 'cancelled' | 'stopped';
  detail: string;
}

const CANCELLED = 'its cancellation was asked for';
/** A command that ends its agent each time is not started once more. */
const MAX_STARTS = 3;

/**
 * Works what is left of a suite.
 *
 * @param claimedAt - when its lease was asked for (epoch, ms)
 * @returns whether all of it has ended: not so where the agent was asked to end before
 * @throws Unreachable where the server does not come back in time; Stopped where the agent had to end
 */
export async function workSuite(
  suite: Suite,
  claimedAt: number,
  state: AgentState,
  worker: Worker,
): Promise<boolean> {
  const { renewAfterMs } = suite.lease;
  const deadline = claimedAt + BEATS_A_LEASE * renewAfterMs;
  const held: Held = { suite, state, renewAfterMs, deadline };
  for (const item of suite.items) {
    const step = state.steps[item.runId];
    if (step?.at === 'ended') continue;
    if (step?.at === 'finished') await submit(item, step.finished, held, worker);
    else if (worker.soft.aborted || !(await workItem(item, held, worker))) return false;
  }
  return true;
}

/** Ends the processes that an earlier agent left running; gives whether there were any. */
export async function endLeftBehind({ steps }: AgentState, graceMs: number): Promise<boolean> {
  let found = false;
  for (const [runId, step] of Object.entries(steps)) {
    if (step.at !== 'starting' && step.at !== 'running') continue;
    // Another process may have got the number since.
    const isIt =
      step.at === 'running' &&
      step.processStart !== null &&
      (await startOf(step.pid)) === step.processStart;
    if (await endProcesses({ pid: isIt ? step.pid : undefined, runId }, graceMs)) found = true;
  }
  return found;
}

/** Gives whether it has ended: not so where the agent had to end before it. */
async function workItem(item: SuiteItem, held: Held, worker: Worker): Promise<boolean> {
  const { hard, output } = worker;
  const earlier = await prepareAgain(item, held, worker);
  const starts = earlier.starts + 1;
  await store(item, { at: 'starting', starts }, held, worker);
  const begun = await begin(item, held, worker);
  if (begun.type === 'taken') return end(item, 'lost', begun.why, held, worker);
  const skip = begun.cancelRequested
    ? CANCELLED
    : worker.kinds.includes(item.kind)
      ? undefined
      : `this agent does not run the kind ${item.kind}`;
  if (skip !== undefined) return cancelled(item, skip, begun.seq, held, worker);

  const interrupt = new AbortController();
  const stop = (interruption: Interruption) => interrupt.abort(interruption);
  const onHard = () => stop({ why: 'stopped', detail: 'the agent had to end' });
  const endWatch = watch(item, begun.seq, held, worker, (beat) => {
    if (beat.type === 'lost') stop({ why: 'lost', detail: beat.why });
    else if (beat.type === 'failing') output.event('heartbeat', `heartbeat: ${beat.why}`);
    else if (beat.cancelRequested) stop({ why: 'cancelled', detail: CANCELLED });
  });
  hard.addEventListener('abort', onHard);
  if (hard.aborted) onHard();
  let seq = begun.seq;
  let finished = earlier.finished;
  let refused: string | undefined;
  try {
    finished ??= await runItem(await planOf(item, starts, interrupt.signal, held, worker));
    // What has ended is submitted, whatever has become of the lease: a late report is stored too.
    if (finished !== undefined) {
      await store(item, { at: 'finished', finished }, held, worker);
      refused = await submit(item, finished, held, worker);
    }
  } finally {
    hard.removeEventListener('abort', onHard);
    seq = await endWatch();
  }
  if (refused !== undefined) await endWith(item, seq, 'broken', refused, held, worker);
  if (finished !== undefined) return true;
  const { why, detail } = interrupt.signal.reason as Interruption;
  if (why === 'cancelled') return cancelled(item, detail, seq, held, worker);
  if (why === 'lost') return end(item, 'lost', detail, held, worker);
  // That this agent had to end says nothing of the command: the next one starts it as often.
  await store(item, { at: 'starting', starts: earlier.starts }, held, worker);
  await worker.stateFile.removeRun(item);
  output.event('stopped', `${nameOf(item)}: ended before its time, since the agent had to end`);
  return false;
}

interface Earlier {
  /** How often the item was started in this attempt. */
  starts: number;
  /** What is to be submitted in the place of another start. */
  finished?: Finished;
}

/** Looks at what came of an item in an earlier agent. */
async function prepareAgain(item: SuiteItem, held: Held, worker: Worker): Promise<Earlier> {
  const step = held.state.steps[item.runId];
  if (step === undefined || step.at === 'ended' || step.at === 'finished') return { starts: 0 };
  const { starts } = step;
  const why = await whyNotAgain(item, starts, held, worker);
  if (why === undefined) return { starts };
  const startedAt = step.at === 'running' ? step.startedAt : Date.now();
  const folder = await worker.stateFile.runFolder(item);
  const { work } = worker;
  return { starts, finished: await finishInterrupted({ item, work }, folder, startedAt, why) };
}

async function whyNotAgain(
  { commandId }: SuiteItem,
  starts: number,
  held: Held,
  { send, retrying }: Worker,
): Promise<string | undefined> {
  if (starts >= MAX_STARTS) return `the agent was ended ${starts} times while this ran`;
  if (commandId === null) return undefined;
  const command = await readCommand(
    send,
    retrying(() => held.deadline),
    commandId,
  );
  if (command?.onLeaseLost !== 'fail') return undefined;
  return 'the agent was ended while this ran, and its command is not to be run again';
}

async function planOf(
  item: SuiteItem,
  starts: number,
  interrupt: AbortSignal,
  held: Held,
  worker: Worker,
): Promise<ItemPlan> {
  const { send, retrying, work, stateFile, killGraceMs, token } = worker;
  const leased = Object.entries(held.suite.credentials);
  const command =
    leased.length === 0 || item.commandId === null
      ? undefined
      : await readCommand(
          send,
          retrying(() => held.deadline),
          item.commandId,
        );
  return {
    item,
    work,
    stateFile,
    killGraceMs,
    interrupt,
    // Of the suite's credentials those that the item's command names, and no other.
    credentials: Object.fromEntries(leased.filter(([name]) => command?.credentials.includes(name))),
    secrets: [token, ...leased.map(([, value]) => value)],
    onStarted: (process) => store(item, { at: 'running', starts, ...process }, held, worker),
  };
}

async function store(item: SuiteItem, step: Step, { state }: Held, worker: Worker): Promise<void> {
  state.steps[item.runId] = step;
  await worker.stateFile.write(state);
}

/** Sends a write to the state of a run. */
function write(
  { runId, attempt }: SuiteItem,
  change: { seq: number; state: string; message?: string },
  held: Held,
  { send, retrying }: Worker,
): Promise<ApiAnswer> {
  const { id, token } = held.suite.lease;
  const json = { runId, attempt, lease: { id, token }, ...change };
  return persist(
    send,
    { method: 'POST', path: '/run-state', json },
    retrying(() => held.deadline),
  );
}

type Begun =
  | { type: 'begun'; seq: number; cancelRequested: boolean }
  | { type: 'taken'; why: string };

/** Moves a run to `running`; `taken` where it is no longer this agent's. */
async function begin(item: SuiteItem, held: Held, worker: Worker): Promise<Begun> {
  let seq = 1;
  for (let tries = 0; ; tries += 1) {
    const sentAt = Date.now();
    const answer = await write(item, { seq, state: 'running' }, held, worker);
    if (answer.status === 200) {
      const { renewAfterMs, cancelRequested } = answer.body as RunStateAnswer;
      held.renewAfterMs = renewAfterMs || held.renewAfterMs;
      held.deadline = sentAt + BEATS_A_LEASE * held.renewAfterMs;
      return { type: 'begun', seq, cancelRequested: cancelRequested === true };
    }
    if (answer.status === 401 || answer.status === 403)
      throw new CommandFailed(describeRefusal(answer));
    if (codeOf(answer) !== 'stale_sequence' || tries > 2)
      return { type: 'taken', why: describeRefusal(answer) };
    // An agent that was here before has written already.
    const path = `/run-state?runId=${encodeURIComponent(item.runId)}`;
    const { status, body } = await persist(
      worker.send,
      { method: 'GET', path },
      worker.retrying(() => held.deadline),
    );
    if (status === 200) seq = Math.max(seq, (body as RunStateAnswer).seq) + 1;
  }
}

/** Watches over a run that has begun; gives what ends that, and gives the number of the last write. */
function watch(
  { runId, attempt }: SuiteItem,
  seq: number,
  held: Held,
  { send }: Worker,
  onBeat: (beat: Beat) => void,
): () => Promise<number> {
  const over = new AbortController();
  const { renewAfterMs, deadline } = held;
  const { id, token } = held.suite.lease;
  const ended = keepAlive(
    { runId, attempt, lease: { id, token }, seq, renewAfterMs, deadline },
    {
      send,
      onBeat(beat) {
        if (beat.type === 'renewed') Object.assign(held, beat);
        onBeat(beat);
      },
      wait: (ms) =>
        pause(ms, over.signal).then(
          () => true,
          () => false,
        ),
      now: Date.now,
      random: Math.random,
    },
  );
  return () => {
    over.abort();
    return ended;
  };
}

/**
 * Ends a run that gave no report.
 *
 * @param seq - of the last write to it
 */
async function endWith(
  item: SuiteItem,
  seq: number,
  state: 'cancelled' | 'broken',
  message: string,
  held: Held,
  worker: Worker,
): Promise<void> {
  const refused = await write(item, { seq: seq + 1, state, message }, held, worker).then(
    (answer) => (answer.status === 200 ? undefined : describeRefusal(answer)),
    (error: unknown) => {
      if (error instanceof Unreachable || error instanceof Stopped) return error.message;
      throw error;
    },
  );
  // Its lease will run out then.
  if (refused !== undefined) worker.output.event('refused', `not ${state}: ${refused}`);
}

async function cancelled(
  item: SuiteItem,
  why: string,
  seq: number,
  held: Held,
  worker: Worker,
): Promise<true> {
  await endWith(item, seq, 'cancelled', why, held, worker);
  return end(item, 'cancelled', why, held, worker);
}

/** Submits; gives why nothing was taken, where the run has to be ended otherwise. */
async function submit(
  item: SuiteItem,
  finished: Finished,
  held: Held,
  worker: Worker,
): Promise<string | undefined> {
  const since = Date.now();
  const retrying = worker.retrying(() => Math.max(held.deadline, since + worker.retryMs));
  const { agent, environment } = worker;
  const { lease } = held.suite;
  const submission = { item, lease, agent, environment, finished };
  const submitted = await submitRun(worker.send, retrying, submission);
  const { startedAt, finishedAt } = finished.execution;
  await close(
    item,
    {
      ending: endingOf(submitted),
      durationMs: Date.parse(finishedAt) - Date.parse(startedAt),
      run: submitted.type === 'recorded' ? submitted.run : undefined,
      why: [...finished.notes, ...whyOf(submitted)],
    },
    held,
    worker,
  );
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
  held: Held,
  worker: Worker,
): Promise<true> {
  await close(item, { ending, durationMs: undefined, run: undefined, why: [why] }, held, worker);
  return true;
}

async function close(
  item: SuiteItem,
  ended: Parameters<Output['item']>[1],
  held: Held,
  worker: Worker,
): Promise<void> {
  await store(item, { at: 'ended', ending: ended.ending }, held, worker);
  await worker.stateFile.removeRun(item);
  worker.count(ended.ending);
  worker.output.item(item, ended);
}

// Works a suite item by item: each is begun on the server, run under a heartbeat, submitted, and taken off
// the state file; one that an earlier agent was ended in is gone on with.
import { CommandFailed } from '../command.ts';
import {
  codeOf,
  describeRefusal,
  pause,
  persist,
  type Retrying,
  type RunStateAnswer,
  type Send,
  Unreachable,
} from './api.ts';
import { type Beat, keepAlive, nextSeq } from './heartbeat.ts';
import type { ItemEnd, Output } from './output.ts';
import type { WorkFolder } from './paths.ts';
import { endProcesses } from './processes.ts';
import { finishInterrupted, runItem } from './run-item.ts';
import type { AgentState, Ending, Finished, StateFile, Step } from './state-file.ts';
import { type Submitted, submitRun } from './submission.ts';
import {
  type AgentIdentity,
  BEATS_A_LEASE,
  nameOf,
  readCommand,
  type Suite,
  type SuiteItem,
  type TestCommand,
} from './suite.ts';

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

interface HeldLease {
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
  const held = { renewAfterMs, deadline: claimedAt + BEATS_A_LEASE * renewAfterMs };
  for (const item of suite.items) {
    const step = state.steps[item.runId];
    if (step?.at === 'ended') continue;
    const itemWork = new ItemWork(item, suite, state, held, worker);
    if (step?.at === 'finished') await itemWork.submit(step.finished);
    else if (worker.soft.aborted || !(await itemWork.run(step?.starts ?? 0))) return false;
  }
  return true;
}

export async function endLeftBehind({ steps }: AgentState, graceMs: number): Promise<boolean> {
  let found = false;
  for (const [runId, step] of Object.entries(steps))
    if (step.at === 'started' && (await endProcesses({ pid: undefined, runId }, graceMs)))
      found = true;
  return found;
}

class ItemWork {
  private readonly item: SuiteItem;
  private readonly suite: Suite;
  private readonly state: AgentState;
  private readonly held: HeldLease;
  private readonly worker: Worker;

  constructor(item: SuiteItem, suite: Suite, state: AgentState, held: HeldLease, worker: Worker) {
    this.item = item;
    this.suite = suite;
    this.state = state;
    this.held = held;
    this.worker = worker;
  }

  /**
   * Runs the item and submits what came of it.
   *
   * @param before - how often it was started in this attempt, by earlier agents
   * @returns whether it has ended: not so where the agent had to end before it
   */
  async run(before: number): Promise<boolean> {
    const { item, worker } = this;
    const { hard, output, stateFile } = worker;
    let finished = before > 0 ? await this.finishedBefore(before) : undefined;
    await this.store({ at: 'started', starts: before + 1 });
    const begun = await this.begin();
    if (begun.type === 'taken') return this.end('lost', begun.why);
    if (begun.cancelRequested) return this.cancel(CANCELLED, begun.seq);
    if (!worker.kinds.includes(item.kind))
      return this.cancel(`this agent does not run the kind ${item.kind}`, begun.seq);

    const interrupt = new AbortController();
    const stop = (interruption: Interruption) => interrupt.abort(interruption);
    const onHard = () => stop({ why: 'stopped', detail: 'the agent had to end' });
    const endWatch = this.watch(begun.seq, (beat) => {
      if (beat.type === 'lost') stop({ why: 'lost', detail: beat.why });
      else if (beat.type === 'failing') output.event('heartbeat', `heartbeat: ${beat.why}`);
      else if (beat.cancelRequested) stop({ why: 'cancelled', detail: CANCELLED });
    });
    hard.addEventListener('abort', onHard);
    if (hard.aborted) onHard();
    let seq = begun.seq;
    let refused: string | undefined;
    try {
      finished ??= await this.execute(interrupt.signal);
      // What has ended is submitted, whatever has become of the lease: a late report is stored too.
      if (finished !== undefined) {
        await this.store({ at: 'finished', finished });
        refused = await this.submit(finished);
      }
    } finally {
      hard.removeEventListener('abort', onHard);
      seq = await endWatch();
    }
    if (refused !== undefined) await this.endWith(seq, 'broken', refused);
    if (finished !== undefined) return true;
    const { why, detail } = interrupt.signal.reason as Interruption;
    if (why === 'cancelled') return this.cancel(detail, seq);
    if (why === 'lost') return this.end('lost', detail);
    // That this agent had to end says nothing of the command: the next one starts it as often.
    await this.store({ at: 'started', starts: before });
    await stateFile.removeRun(item);
    output.event('stopped', `${nameOf(item)}: ended before its time, since the agent had to end`);
    return false;
  }

  /** What is submitted in the place of another start; undefined where it is to be started again. */
  private async finishedBefore(starts: number): Promise<Finished | undefined> {
    const { item, worker } = this;
    const isTooOften = starts >= MAX_STARTS;
    if (!isTooOften && (await this.command())?.onLeaseLost !== 'fail') return undefined;
    const why = isTooOften
      ? `the agent was ended ${starts} times while this ran`
      : 'the agent was ended while this ran, and its command is not to be run again';
    return finishInterrupted(
      { item, work: worker.work },
      await worker.stateFile.runFolder(item),
      why,
    );
  }

  private async execute(interrupt: AbortSignal): Promise<Finished | undefined> {
    const { item, worker } = this;
    const { work, stateFile, killGraceMs, token } = worker;
    const leased = Object.entries(this.suite.credentials);
    const named = leased.length === 0 ? [] : ((await this.command())?.credentials ?? []);
    return runItem({
      item,
      work,
      stateFile,
      killGraceMs,
      interrupt,
      // Of the suite's credentials those that the item's command names, and no other.
      credentials: Object.fromEntries(leased.filter(([name]) => named.includes(name))),
      secrets: [token, ...leased.map(([, value]) => value)],
    });
  }

  private async command(): Promise<TestCommand | undefined> {
    const { commandId } = this.item;
    return commandId === null
      ? undefined
      : readCommand(this.worker.send, this.retrying(), commandId);
  }

  private async store(step: Step): Promise<void> {
    this.state.steps[this.item.runId] = step;
    await this.worker.stateFile.write(this.state);
  }

  private retrying(): Retrying {
    return this.worker.retrying(() => this.held.deadline);
  }

  /** Sends a write to the state of the run. */
  private write(change: { seq: number; state: string; message?: string }) {
    const json = { ...this.fence(), ...change };
    return persist(this.worker.send, { method: 'POST', path: '/run-state', json }, this.retrying());
  }

  private fence() {
    const { runId, attempt } = this.item;
    const { id, token } = this.suite.lease;
    return { runId, attempt, lease: { id, token } };
  }

  /** Moves the run to `running`; `taken` where it is no longer this agent's. */
  private async begin(): Promise<Begun> {
    const { held, worker } = this;
    let seq = 1;
    for (let tries = 0; ; tries += 1) {
      const sentAt = Date.now();
      const answer = await this.write({ seq, state: 'running' });
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
      seq = await nextSeq(this.item.runId, seq + 1, worker.send);
    }
  }

  /** Watches over the run; gives what ends that, and gives the number of the last write. */
  private watch(seq: number, onBeat: (beat: Beat) => void): () => Promise<number> {
    const { held } = this;
    const over = new AbortController();
    const ended = keepAlive(
      { ...this.fence(), seq, ...held },
      {
        send: this.worker.send,
        onBeat(beat) {
          if (beat.type === 'renewed') {
            held.deadline = beat.deadline;
            held.renewAfterMs = beat.renewAfterMs;
          }
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

  /** Ends a run that gave no report. */
  private async endWith(
    lastSeq: number,
    state: 'cancelled' | 'broken',
    message: string,
  ): Promise<void> {
    const refused = await this.write({ seq: lastSeq + 1, state, message }).then(
      (answer) => (answer.status === 200 ? undefined : describeRefusal(answer)),
      (error: unknown) => {
        if (error instanceof Unreachable || error instanceof Stopped) return error.message;
        throw error;
      },
    );
    // Its lease will run out then.
    if (refused !== undefined) this.worker.output.event('refused', `not ${state}: ${refused}`);
  }

  private async cancel(why: string, seq: number): Promise<true> {
    await this.endWith(seq, 'cancelled', why);
    return this.end('cancelled', why);
  }

  /** Submits; gives why nothing was taken, where the run has to be ended otherwise. */
  async submit(finished: Finished): Promise<string | undefined> {
    const { item, held, worker } = this;
    const since = Date.now();
    const { agent, environment } = worker;
    const submitted = await submitRun(
      worker.send,
      worker.retrying(() => Math.max(held.deadline, since + worker.retryMs)),
      { item, lease: this.suite.lease, agent, environment, finished },
    );
    const { startedAt, finishedAt } = finished.execution;
    await this.close({
      ending: endingOf(submitted),
      durationMs: Date.parse(finishedAt) - Date.parse(startedAt),
      run: submitted.type === 'recorded' ? submitted.run : undefined,
      why: [...finished.notes, ...whyOf(submitted)],
    });
    return submitted.type === 'refused' && submitted.isOfReport
      ? describeRefusal(submitted.answer)
      : undefined;
  }

  private async end(ending: Ending, why: string): Promise<true> {
    await this.close({ ending, durationMs: undefined, run: undefined, why: [why] });
    return true;
  }

  private async close(end: ItemEnd): Promise<void> {
    await this.store({ at: 'ended', ending: end.ending });
    await this.worker.stateFile.removeRun(this.item);
    this.worker.count(end.ending);
    this.worker.output.item(this.item, end);
  }
}

type Begun =
  | { type: 'begun'; seq: number; cancelRequested: boolean }
  | { type: 'taken'; why: string };

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

// The suite that an agent holds: its lease as it was last renewed, its state on disk, and the states of
// its runs on the server.
import { CommandFailed } from '../command.ts';
import { type ApiAnswer, codeOf, describeRefusal, type Send, Unreachable } from './api-client.ts';
import type { Beat, RunStateAnswer, Watch } from './heartbeat.ts';
import type { Heartbeat, Watching } from './heartbeat-thread.ts';
import { persist, type Retrying } from './retry.ts';
import type { AgentState, StateFile, Step } from './state-file.ts';
import { Stopped } from './stopping.ts';
import { BEATS_A_LEASE, type Suite, type SuiteItem } from './suite.ts';

export interface HeldSuite {
  suite: Suite;
  /** When the lease runs out unless it is renewed (epoch, ms, by this machine's clock). */
  deadline(): number;
  step(item: SuiteItem): Step | undefined;
  /** Keeps what is about to be done with an item. */
  keep(item: SuiteItem, step: Step): Promise<void>;
  /** Moves a run to `running`; `taken` where it is no longer this agent's. */
  begin(item: SuiteItem): Promise<Begun>;
  /** Watches over a run that has begun. */
  watch(item: SuiteItem, seq: number, tell: (beat: Beat) => void): Watching;
  /**
   * Says how a run ended that gave no report.
   *
   * @param seq - of the last write to it
   * @returns why that was not taken; its lease will run out then
   */
  endWith(
    item: SuiteItem,
    seq: number,
    state: 'cancelled' | 'broken',
    message: string,
  ): Promise<string | undefined>;
}

export type Begun =
  | { type: 'begun'; seq: number; cancelRequested: boolean }
  | { type: 'taken'; why: string };

export interface Holding {
  send: Send;
  heartbeat: Heartbeat;
  stateFile: StateFile;
  retrying(until: () => number): Retrying;
}

/**
 * Holds a suite.
 *
 * @param claimedAt - when its lease was asked for (epoch, ms)
 */
export function holdSuite(
  suite: Suite,
  state: AgentState,
  claimedAt: number,
  { send, heartbeat, stateFile, retrying }: Holding,
): HeldSuite {
  const { id, token, renewAfterMs: first } = suite.lease;
  let renewAfterMs = first;
  let deadline = claimedAt + BEATS_A_LEASE * renewAfterMs;

  function write(item: SuiteItem, seq: number, more: object): Promise<ApiAnswer> {
    const { runId, attempt } = item;
    const json = { runId, attempt, lease: { id, token }, seq, ...more };
    return persist(
      () => send({ method: 'POST', path: '/run-state', json }),
      retrying(() => deadline),
    );
  }

  async function lastSeq(item: SuiteItem): Promise<number | undefined> {
    const path = `/run-state?runId=${encodeURIComponent(item.runId)}`;
    const { status, body } = await persist(
      () => send({ method: 'GET', path }),
      retrying(() => deadline),
    );
    return status === 200 ? (body as RunStateAnswer).seq : undefined;
  }

  return {
    suite,
    deadline: () => deadline,
    step: ({ runId }) => state.steps[runId],
    async keep({ runId }, step) {
      state.steps[runId] = step;
      await stateFile.write(state);
    },
    async begin(item) {
      let seq = 1;
      for (let tries = 0; ; tries += 1) {
        const sentAt = Date.now();
        const answer = await write(item, seq, { state: 'running' });
        if (answer.status === 200) {
          const told = answer.body as RunStateAnswer;
          renewAfterMs = told.renewAfterMs || renewAfterMs;
          deadline = sentAt + BEATS_A_LEASE * renewAfterMs;
          return { type: 'begun', seq, cancelRequested: told.cancelRequested === true };
        }
        if (answer.status === 401 || answer.status === 403)
          throw new CommandFailed(describeRefusal(answer));
        // An agent that was here before has written already.
        const known = codeOf(answer) === 'stale_sequence' ? await lastSeq(item) : undefined;
        if (known === undefined || tries > 2)
          return { type: 'taken', why: describeRefusal(answer) };
        seq = Math.max(seq, known) + 1;
      }
    },
    watch({ runId, attempt }, seq, tell) {
      const watch: Watch = {
        ...{ runId, attempt, seq, renewAfterMs, deadline },
        lease: { id, token },
      };
      return heartbeat.watch(watch, (beat) => {
        if (beat.type === 'renewed') ({ deadline, renewAfterMs } = beat);
        tell(beat);
      });
    },
    async endWith(item, seq, to, message) {
      try {
        const answer = await write(item, seq + 1, { state: to, message });
        return answer.status === 200 ? undefined : describeRefusal(answer);
      } catch (error) {
        if (error instanceof Unreachable || error instanceof Stopped) return error.message;
        throw error;
      }
    },
  };
}

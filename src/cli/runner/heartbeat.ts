// Keeps the lease of a run alive: a sign of life each time one is due, again and again where it fails
// for a reason that passes, until the lease has run out.
import {
  type ApiAnswer,
  backoffMs,
  codeOf,
  describeRefusal,
  isTransient,
  type RunStateAnswer,
  type Send,
  Unreachable,
} from './api.ts';
import { BEATS_A_LEASE, type Lease } from './suite.ts';

export interface Watch {
  runId: string;
  attempt: number;
  lease: Lease;
  /** Of the newest write to the run. */
  seq: number;
  renewAfterMs: number;
  /** When the lease runs out unless it is renewed (epoch, ms, by this machine's clock). */
  deadline: number;
}

export type Beat =
  /** The server has answered. */
  | { type: 'renewed'; deadline: number; renewAfterMs: number; cancelRequested: boolean }
  /** The run is no longer this agent's. */
  | { type: 'lost'; why: string }
  /** A try has failed; the next one follows. */
  | { type: 'failing'; why: string };

export interface BeatPorts {
  send: Send;
  onBeat(beat: Beat): void;
  /** Waits; `false` where the watch is over. */
  wait(ms: number): Promise<boolean>;
  now(): number;
  random(): number;
}

const LONGEST_MS = 15_000;

/**
 * Watches over a run until `wait` says that it is over, or the run is lost.
 *
 * @returns the number of the last write, for those that follow
 */
export async function keepAlive(watch: Watch, ports: BeatPorts): Promise<number> {
  const { runId, attempt, lease } = watch;
  let { seq, renewAfterMs, deadline } = watch;
  // A write that failed goes again under its number: it may have arrived.
  let failures = 0;
  /** A little before it is due, and not at the same moment as every other agent. */
  const early = () => Math.round(Math.min(renewAfterMs, LONGEST_MS) * (0.8 + 0.2 * ports.random()));
  let dueInMs = early();
  while (await ports.wait(dueInMs)) {
    if (failures === 0) seq += 1;
    const sentAt = ports.now();
    const answer = await post(ports.send, { runId, attempt, lease, seq }, renewAfterMs);
    if ('status' in answer && answer.status === 200) {
      const state = answer.body as RunStateAnswer;
      renewAfterMs = state.renewAfterMs || renewAfterMs;
      deadline = sentAt + BEATS_A_LEASE * renewAfterMs;
      failures = 0;
      dueInMs = early();
      const cancelRequested = state.cancelRequested === true;
      ports.onBeat({ type: 'renewed', deadline, renewAfterMs, cancelRequested });
      continue;
    }
    const why = 'status' in answer ? describeRefusal(answer) : answer.message;
    const isStale = 'status' in answer && codeOf(answer) === 'stale_sequence';
    const passes = !('status' in answer) || isTransient(answer) || answer.status >= 500;
    const leftMs = deadline - ports.now();
    if (leftMs <= 0 || !(isStale || passes)) {
      ports.onBeat({
        type: 'lost',
        why: isStale || passes ? `no sign of life got through: ${why}` : why,
      });
      break;
    }
    if (isStale) seq = await nextSeq(runId, seq, ports.send);
    else ports.onBeat({ type: 'failing', why });
    failures += 1;
    const askedMs = 'status' in answer ? answer.retryAfterMs : undefined;
    // The last try is at the end of the lease, not before it.
    const ownMs = Math.min(backoffMs(failures, ports.random(), askedMs), renewAfterMs);
    dueInMs = Math.min(ownMs, leftMs);
  }
  return seq;
}

async function post(
  send: Send,
  json: object,
  renewAfterMs: number,
): Promise<ApiAnswer | Unreachable> {
  // An answer that takes longer than the next beat is due in is none.
  const timeoutMs = Math.min(10_000, Math.max(1000, renewAfterMs));
  return send({ method: 'POST', path: '/run-state', json, timeoutMs }).catch((error: unknown) => {
    if (error instanceof Unreachable) return error;
    throw error;
  });
}

export async function nextSeq(runId: string, seq: number, send: Send): Promise<number> {
  const path = `/run-state?runId=${encodeURIComponent(runId)}`;
  const answer = await send({ method: 'GET', path }).catch(() => undefined);
  if (answer?.status !== 200) return seq;
  return Math.max(seq, (answer.body as RunStateAnswer).seq + 1);
}

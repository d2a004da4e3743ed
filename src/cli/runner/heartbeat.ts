// Keeps the lease of a run alive: a sign of life each time one is due, again and again where it fails
// for a reason that passes, until the lease has run out.
import { type ApiAnswer, codeOf, describeRefusal, Unreachable } from './api-client.ts';
import { backoffMs, isTransient } from './retry.ts';
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
  /** Sends a write to the state of a run. */
  send(write: object): Promise<ApiAnswer>;
  /** Reads the state of a run. */
  read(runId: string): Promise<ApiAnswer>;
  tell(beat: Beat): void;
  /** @throws WatchOver where the watch is over */
  wait(ms: number): Promise<void>;
  now(): number;
  random(): number;
}

/** What of the state of a run the agent reads. */
export interface RunStateAnswer {
  runId: string;
  state: string;
  seq: number;
  cancelRequested: boolean;
  renewAfterMs: number | null;
}

/** Thrown by `wait` where a watch is over. */
export class WatchOver extends Error {
  override name = 'WatchOver';
}

/** However long the lease is: the answer is where an agent hears that it is to cancel. */
const LONGEST_MS = 15_000;

type Tried = Beat & { askedMs?: number | undefined };

/**
 * Watches over a run until `wait` throws WatchOver, or the run is lost.
 *
 * @returns the number of the last write, for those that follow
 */
export async function keepAlive(watch: Watch, ports: BeatPorts): Promise<number> {
  let { seq, renewAfterMs, deadline } = watch;
  // A write that failed goes again under its number: it may have arrived.
  let failures = 0;
  let dueInMs = early(renewAfterMs, ports);
  while (await waited(ports, dueInMs)) {
    if (failures === 0) seq += 1;
    const beat = await tryBeat({ ...watch, seq, renewAfterMs }, ports);
    if (beat === 'stale') {
      if (ports.now() >= deadline) {
        ports.tell({ type: 'lost', why: 'no sign of life got through: stale_sequence' });
        break;
      }
      seq = await numberBehind(watch.runId, seq, ports);
      failures += 1;
      dueInMs = backoffMs(failures, ports.random());
      continue;
    }
    if (beat.type === 'renewed') {
      ({ deadline, renewAfterMs } = beat);
      failures = 0;
      dueInMs = early(renewAfterMs, ports);
    } else if (beat.type === 'failing') {
      failures += 1;
      const leftMs = deadline - ports.now();
      if (leftMs <= 0) {
        ports.tell({ type: 'lost', why: `no sign of life got through: ${beat.why}` });
        break;
      }
      // The last try is at the end of the lease, not before it.
      const ownMs = Math.min(backoffMs(failures, ports.random(), beat.askedMs), renewAfterMs);
      dueInMs = Math.min(ownMs, leftMs);
    }
    ports.tell(beat);
    if (beat.type === 'lost') break;
  }
  return seq;
}

async function waited(ports: BeatPorts, ms: number): Promise<boolean> {
  try {
    await ports.wait(ms);
    return true;
  } catch (error) {
    if (error instanceof WatchOver) return false;
    throw error;
  }
}

async function tryBeat(
  { runId, attempt, lease, seq, renewAfterMs }: Omit<Watch, 'deadline'>,
  ports: BeatPorts,
): Promise<Tried | 'stale'> {
  const sentAt = ports.now();
  try {
    const answer = await ports.send({ runId, attempt, lease, seq });
    if (answer.status === 200) return renewed(answer, sentAt, renewAfterMs);
    if (codeOf(answer) === 'stale_sequence') return 'stale';
    const why = describeRefusal(answer);
    if (!isTransient(answer) && answer.status < 500) return { type: 'lost', why };
    return { type: 'failing', why, askedMs: answer.retryAfterMs };
  } catch (error) {
    if (error instanceof Unreachable) return { type: 'failing', why: error.message };
    throw error;
  }
}

function renewed({ body }: ApiAnswer, sentAt: number, before: number): Beat {
  const state = (body ?? {}) as Partial<RunStateAnswer>;
  const renewAfterMs = state.renewAfterMs || before;
  return {
    type: 'renewed',
    deadline: sentAt + BEATS_A_LEASE * renewAfterMs,
    renewAfterMs,
    cancelRequested: state.cancelRequested === true,
  };
}

/** The number behind the last one that the server knows; the same where it does not say. */
async function numberBehind(runId: string, seq: number, ports: BeatPorts): Promise<number> {
  const answer = await ports.read(runId).catch(() => undefined);
  const { seq: known } = (answer?.body ?? {}) as Partial<RunStateAnswer>;
  return answer?.status === 200 && typeof known === 'number' ? Math.max(seq, known + 1) : seq;
}

/** A little before it is due, and not at the same moment as every other agent. */
function early(renewAfterMs: number, { random }: BeatPorts): number {
  return Math.round(Math.min(renewAfterMs, LONGEST_MS) * (0.8 + 0.2 * random()));
}

// The states of a run as data, and the rules that decide what a write, a report and a lost lease
// mean for it. Nothing here knows of a database.

export const RUN_STATES = [
  'queued',
  'running',
  'passed',
  'failed',
  'broken',
  'cancelled',
  'lost',
] as const;

export type RunState = (typeof RUN_STATES)[number];

/** Where a run may move from each state. */
export const MOVES: Readonly<Record<RunState, readonly RunState[]>> = {
  queued: ['running', 'cancelled', 'broken', 'lost'],
  running: ['passed', 'failed', 'broken', 'cancelled', 'lost'],
  lost: ['running', 'passed', 'failed', 'broken', 'cancelled'],
  passed: [],
  failed: [],
  broken: [],
  cancelled: [],
};

/** How a run ends. */
export type Outcome = 'passed' | 'failed' | 'broken' | 'cancelled';

/** Whether a run moves no more. */
export function isEnded(state: string): boolean {
  return MOVES[state as RunState].length === 0;
}

/** Whether somebody holds a run in this state. */
export function isLive(state: string): boolean {
  return state === 'queued' || state === 'running';
}

/** Whether there is such a move. */
export function hasMove(from: string, to: RunState): boolean {
  return MOVES[from as RunState].includes(to);
}

/**
 * Whether an agent may move its run by saying so: a claimed one passes and fails through a report
 * alone, and none is lost by its own word.
 */
export function mayMove(from: string, to: RunState, claimed: boolean): boolean {
  if (to === 'lost' || (claimed && (to === 'passed' || to === 'failed'))) return false;
  return from === to ? isLive(from) : hasMove(from, to);
}

/** A write by its place in the order of its run's writes. */
export interface Sequenced {
  seq: number;
  /** Of its body; null before the first write. */
  sha256: string | null;
}

/** What a write is by its sequence number: a lower one is stale, the same one a replay or another. */
export function judgeSequence(known: Sequenced, sent: Sequenced): 'new' | 'replay' | 'stale' {
  if (sent.seq > known.seq) return 'new';
  return sent.seq === known.seq && sent.sha256 === known.sha256 ? 'replay' : 'stale';
}

/** The item of a plan that a run is an attempt at. */
export interface ItemStanding {
  /** `open`, `claimed`, `ended`. */
  state: string;
  /** The run of its newest attempt. */
  runId: string | null;
}

/**
 * Whether a run is still the one that its item waits for. A run without an item of a plan has
 * nobody who could take it.
 */
export function isCurrent(runId: string, item: ItemStanding | undefined): boolean {
  return item === undefined || (item.state !== 'ended' && item.runId === runId);
}

/** What a lost lease depends on. */
export interface Losing {
  cancelRequested: boolean;
  /** How often its item was claimed; undefined for a run without an item of a plan. */
  attempts: number | undefined;
  maxAttempts: number;
  /** `retry` or `fail`. */
  onLeaseLost: string;
}

/**
 * What becomes of a run and of its item when its lease is lost.
 *
 * @returns `item` is undefined where no plan holds one
 */
export function fateOf({ cancelRequested, attempts, maxAttempts, onLeaseLost }: Losing): {
  run: 'lost' | 'cancelled';
  item: 'open' | 'broken' | 'cancelled' | undefined;
} {
  const run = cancelRequested ? 'cancelled' : 'lost';
  if (attempts === undefined) return { run, item: undefined };
  if (cancelRequested) return { run, item: 'cancelled' };
  return { run, item: onLeaseLost === 'fail' || attempts >= maxAttempts ? 'broken' : 'open' };
}

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
export type Outcome = 'passed' | 'failed' | 'broken' | 'cancelled';

const TRANSITIONS: Readonly<Record<RunState, readonly RunState[]>> = {
  queued: ['running', 'cancelled', 'broken', 'lost'],
  running: ['passed', 'failed', 'broken', 'cancelled', 'lost'],
  lost: ['running', 'passed', 'failed', 'broken', 'cancelled'],
  passed: [],
  failed: [],
  broken: [],
  cancelled: [],
};

export function canTransition(from: string, to: RunState): boolean {
  return TRANSITIONS[from as RunState].includes(to);
}

export function isEnded(state: string): boolean {
  return TRANSITIONS[state as RunState].length === 0;
}

export function isLive(state: string): boolean {
  return state === 'queued' || state === 'running';
}

/** A claimed run passes and fails through a report alone, and none is lost by its own word. */
export function canAgentWrite(from: string, to: RunState, claimed: boolean): boolean {
  if (to === 'lost' || (claimed && (to === 'passed' || to === 'failed'))) return false;
  return from === to ? isLive(from) : canTransition(from, to);
}

interface Sequenced {
  seq: number;
  /** Of its body; null before the first write. */
  sha256: string | null;
}

export function judgeSequence(known: Sequenced, sent: Sequenced): 'new' | 'replay' | 'stale' {
  if (sent.seq > known.seq) return 'new';
  return sent.seq === known.seq && sent.sha256 === known.sha256 ? 'replay' : 'stale';
}

/** Whether a run is still the attempt that its item waits for; one without an item always is. */
export function isCurrent(
  runId: string,
  item: { state: string; runId: string | null } | undefined,
): boolean {
  return item === undefined || (item.state !== 'ended' && item.runId === runId);
}

export function outcomeOfLoss({
  cancelRequested,
  item,
}: {
  cancelRequested: boolean;
  item: { attempts: number; maxAttempts: number; onLeaseLost: string } | undefined;
}): { run: 'lost' | 'cancelled'; item: 'open' | 'broken' | 'cancelled' | undefined } {
  const run = cancelRequested ? 'cancelled' : 'lost';
  if (item === undefined) return { run, item: undefined };
  if (cancelRequested) return { run, item: 'cancelled' };
  const isLast = item.onLeaseLost === 'fail' || item.attempts >= item.maxAttempts;
  return { run, item: isLast ? 'broken' : 'open' };
}

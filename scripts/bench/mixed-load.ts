// The mixed load: lines of work that read, search, file and change issues, attach and fetch files
// and write logs, as fast as they are answered. Runs in a process of its own for the bench, and
// within a test for the crash campaigns, which keep the ledger.
import { AnswerLost, openClient } from './client.ts';
import { type Ledger, newLedger } from './ledger.ts';
import {
  type Action,
  attachFile,
  BadAnswer,
  changeIssue,
  fileIssue,
  type Line,
  listIssues,
  readIssue,
  readLogs,
  searchIssue,
  type Tokens,
  writeLogs,
} from './mixed-actions.ts';

/** Of a hundred actions. */
const SHARES: [Action, number][] = [
  [readIssue, 40],
  [fileIssue, 20],
  [changeIssue, 10],
  [listIssues, 8],
  [searchIssue, 4],
  [writeLogs, 8],
  [readLogs, 4],
  [attachFile, 6],
];

export interface MixedPlan {
  port: number;
  tokens: Tokens;
  connections: number;
  seconds: number;
  fileBytes: number;
  /** Measures how long each action takes. */
  timed?: boolean;
}

export interface MixedResult {
  actions: number;
  /** Answers with a status that should not be, by status. */
  bad: Record<string, number>;
  /** Promises that were broken, and the first bad answers, as text. */
  complaints: string[];
  /** Requests without an answer. */
  lost: number;
  /** Milliseconds of the actions, where the plan wants them measured. */
  times: number[];
}

const COMPLAINTS_KEPT = 20;

/** Nothing done yet. */
export function newResult(): MixedResult {
  return { actions: 0, bad: {}, complaints: [], lost: 0, times: [] };
}

/**
 * Runs the load until its time is over, or until nobody listens any more.
 *
 * @param ledger - takes every promise; left out where the load may run for hours
 * @param result - grows while the load runs
 */
export async function runMixed(
  plan: MixedPlan,
  ledger?: Ledger,
  result: MixedResult = newResult(),
): Promise<MixedResult> {
  const end = performance.now() + plan.seconds * 1000;

  function note(error: unknown): void {
    if (error instanceof BadAnswer) {
      result.bad[error.status] = (result.bad[error.status] ?? 0) + 1;
    }
    if (result.complaints.length < COMPLAINTS_KEPT) result.complaints.push(String(error));
  }

  async function work(): Promise<void> {
    const own: Line['own'] = [];
    while (performance.now() < end) {
      const client = await openClient(plan.port).catch(() => undefined);
      if (!client) return;
      const line = { ...plan, client, own, ledger: ledger ?? newLedger() };
      try {
        while (performance.now() < end) {
          if (!ledger) line.ledger = newLedger();
          const began = performance.now();
          await pick()(line).catch((error) => {
            if (error instanceof AnswerLost) throw error;
            note(error);
          });
          result.actions++;
          if (plan.timed) result.times.push(performance.now() - began);
        }
      } catch {
        result.lost++;
      }
      client.close();
    }
  }

  await Promise.all(Array.from({ length: plan.connections }, work));
  return result;
}

function pick(): Action {
  let left = Math.random() * SHARES.reduce((sum, [, share]) => sum + share, 0);
  for (const [action, share] of SHARES) {
    left -= share;
    if (left < 0) return action;
  }
  return readIssue;
}

if (import.meta.main) {
  const plan = (await Bun.stdin.json()) as MixedPlan;
  await Bun.write(Bun.stdout, JSON.stringify(await runMixed(plan)));
  process.exit(0);
}

// How far a plan is: what an agent that was told to work it answers for, whoever ran its items.
import { CommandFailed } from '../command.ts';
import { describeRefusal, type Send } from './api-client.ts';
import { persist, type Retrying } from './retry.ts';

/** The number of a plan's items by state, of those that have ended by how. */
export interface PlanProgress {
  total: number;
  open: number;
  claimed: number;
  passed: number;
  failed: number;
  broken: number;
  cancelled: number;
}

/**
 * Reads how far a plan is.
 *
 * @throws CommandFailed where the server refuses; Unreachable
 */
export async function readProgress(
  send: Send,
  retrying: Retrying,
  planId: string,
): Promise<PlanProgress> {
  const path = `/run-state?view=plans&planId=${encodeURIComponent(planId)}`;
  const { signal } = retrying;
  const answer = await persist(() => send({ method: 'GET', path, signal }), retrying);
  if (answer.status === 200) return (answer.body as { progress: PlanProgress }).progress;
  throw new CommandFailed(`the plan cannot be read: ${describeRefusal(answer)}`);
}

/** The number of items that are yet to end. */
export function leftOf({ open, claimed }: PlanProgress): number {
  return open + claimed;
}

/** Which of a plan's items ended otherwise than passed: `2 of the plan's 7 items did not pass: …`. */
export function whyNotPassed(progress: PlanProgress): string | undefined {
  const endings = (['failed', 'broken', 'cancelled'] as const).filter((one) => progress[one] > 0);
  if (endings.length === 0) return undefined;
  const count = endings.reduce((sum, one) => sum + progress[one], 0);
  const told = endings.map((one) => `${progress[one]} ${one}`).join(', ');
  return `${count} of the plan's ${progress.total} items did not pass: ${told}`;
}

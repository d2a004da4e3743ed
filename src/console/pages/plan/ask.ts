// What the page asks of the planner, by its address.
import type { Static } from '@sinclair/typebox';
import type { PlanAnswer, PlanDraft, PlanInputBody, Strategy } from '../../../agents/plan/model.ts';
import type { CommandPage, TestCommand } from '../../../quality/commands/model.ts';
import { api, type Reply } from '../../core/api.ts';
import type { Route } from '../../core/route.ts';

export type Draft = PlanDraft;
export type Stored = PlanAnswer;
export type PlanItem = PlanDraft['items'][number];
export type Command = Static<typeof TestCommand>;
export type Commands = Static<typeof CommandPage>;

/** What each strategy takes, in words. */
export const STRATEGIES: Record<Strategy, string> = {
  risk: 'all commands, what is likely to fail first',
  failures: 'what failed in its last 10 runs',
  gaps: 'what covers uncovered, suspect, stale or unexecuted requirements',
  changed: 'what is new or changed, or whose requirements changed',
  full: 'all commands',
};

export const MINUTE_MS = 60_000;

export function requestOf({ query }: Route): PlanInputBody & { strategy: Strategy } {
  const named = query.get('strategy') ?? '';
  const strategy = named in STRATEGIES ? (named as Strategy) : 'risk';
  const budgetMs = Math.round(Number(query.get('budget') ?? 0) * MINUTE_MS);
  const storyIds = query.getAll('storyId');
  const tags = query.getAll('tag');
  return {
    strategy,
    ...(budgetMs > 0 && { budgetMs }),
    ...(storyIds.length > 0 && { storyIds }),
    ...(tags.length > 0 && { tags }),
  };
}

/** @typeParam T - a draft or a stored plan, as the body asks for it */
export function askPlan<T>(
  body: PlanInputBody,
  signal?: AbortSignal,
): Promise<Reply & { data: T | null }> {
  const call = api().agent.plan.post(body, signal && { fetch: { signal } });
  return call as Promise<Reply & { data: T | null }>;
}

type CommandQuery = NonNullable<
  Parameters<ReturnType<typeof api>['test-commands']['get']>[0]
>['query'];

/** @typeParam T - a page of commands, or one with an id */
export function askCommands<T>(
  query: CommandQuery,
  signal: AbortSignal,
): Promise<Reply & { data: T | null }> {
  const call = api()['test-commands'].get({ query, fetch: { signal } });
  return call as Promise<Reply & { data: T | null }>;
}

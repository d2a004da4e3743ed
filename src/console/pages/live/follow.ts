// The stream of run states, joined with what was asked for before it.
import type { Static } from '@sinclair/typebox';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlanProgressPage, RunStateView, SeenAgentPage } from '../../../agents/runs/model.ts';
import { api, type Reply } from '../../core/api.ts';
import { useStream } from '../../core/stream.ts';

export type RunState = RunStateView;
export type SeenAgents = Static<typeof SeenAgentPage>;
export type Plans = Static<typeof PlanProgressPage>;
export type HeldRun = SeenAgents['items'][number]['holds'][number];

type Query = NonNullable<Parameters<ReturnType<typeof api>['run-state']['get']>[0]>['query'];

/** @typeParam T - the answer to this query, which the API's document tells from the others */
export function askRunState<T>(query: Query): Promise<Reply & { data: T | null }> {
  return api()['run-state'].get({ query }) as Promise<Reply & { data: T | null }>;
}

/** Runs are at work until they have ended. */
export function isLive({ state }: Pick<RunState, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

export type Connection = 'connecting' | 'connected' | 'lost';

/**
 * Follows the changes of runs.
 *
 * @param query - which runs, such as `?runId=…`; empty for all
 * @param reconnected - called when it is connected again: what came meanwhile may be missing
 */
export function useRunStates(
  query: string,
  take: (run: RunState) => void,
  reconnected: () => void,
): Connection {
  const [was, setWas] = useState(false);
  const again = useRef(reconnected);
  again.current = reconnected;
  const isConnected = useStream(`/run-state${query}`, ({ type, data }) => {
    if (type === 'run-state') take(data as RunState);
  });
  useEffect(() => {
    if (!isConnected) return;
    if (was) again.current();
    setWas(true);
  }, [isConnected]);
  if (isConnected) return 'connected';
  return was ? 'lost' : 'connecting';
}

/** Does its work a while after the first of many calls, once for all that come until then. */
export function useThrottled(work: () => void, ms: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, ms);
  };
}

/** Renders again and again, for times that count from now. */
export function useTick(ms: number): void {
  const [, setCount] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setCount((count) => count + 1), ms);
    return () => clearInterval(timer);
  }, [ms]);
}

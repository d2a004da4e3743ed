// What pages ask of `GET /test-runs`, whose answers differ by what is asked for.
import type { Static } from '@sinclair/typebox';
import type {
  FlakyTests,
  RunComparison,
  RunQuery,
  RunTrend,
  SlowestTests,
  TestHistory,
  TestRunPage,
  TestRunWithResults,
} from '../../../quality/runs/model.ts';
import { api, type Reply } from '../../core/api.ts';

export type RunPage = Static<typeof TestRunPage>;
export type RunSummary = RunPage['items'][number];
export type Run = Static<typeof TestRunWithResults>;
export type Result = Run['results']['items'][number];
export type Comparison = Static<typeof RunComparison>;
export type History = Static<typeof TestHistory>;
export type Flaky = Static<typeof FlakyTests>;
export type Slowest = Static<typeof SlowestTests>;
export type Trend = Static<typeof RunTrend>;

/** By what a list of runs, and most views of it, can be narrowed: the names of the API. */
export const PLACE_FILTERS = ['branch', 'environment', 'agent', 'commit'] as const;
export const RUN_FILTERS = [
  ...PLACE_FILTERS,
  'commandId',
  'suiteId',
  'planId',
  'since',
  'until',
] as const;

/** @typeParam T - the answer to this query, which the API's document tells from the others */
export function askRuns<T>(
  query: RunQuery,
  signal?: AbortSignal,
): Promise<Reply & { data: T | null }> {
  const call = api()['test-runs'].get({ query, ...(signal && { fetch: { signal } }) });
  return call as Promise<Reply & { data: T | null }>;
}

/** Those of some filters that stand in an address. */
export function filtersOf(query: URLSearchParams, names: readonly string[]): RunQuery {
  return Object.fromEntries(
    names.flatMap((name) => (query.has(name) ? [[name, query.getAll(name)]] : [])),
  );
}

export function failuresOf({ totals }: Pick<RunSummary, 'totals'>): number {
  return totals.failed + totals.broken;
}

/** When a run was, as the API says it of a run that is referred to. */
export function timeOfRun(run: Pick<RunSummary, 'finishedAt' | 'startedAt' | 'createdAt'>): string {
  return run.finishedAt ?? run.startedAt ?? run.createdAt;
}

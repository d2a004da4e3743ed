// What the page shows, by its address: the view, and the filters that the API has for stories.
import type { Static } from '@sinclair/typebox';
import type {
  TraceabilityFilters,
  TraceabilityMatrix,
} from '../../../assurance/traceability/model.ts';
import { api, type Reply } from '../../core/api.ts';
import type { Route } from '../../core/route.ts';
import { STATUSES, type Status } from '../../parts/status.tsx';

export type Matrix = Static<typeof TraceabilityMatrix>;
export type StoryRow = Matrix['rows'][number];
export type Column = Matrix['columns'][number];
export type Outcome = Matrix['cells'][number]['outcome'];
export type Counts = Column['counts'];
export type DocumentRows = NonNullable<Matrix['documents']>[number];

export const VIEWS = {
  suite: 'By suite',
  test: 'By test',
  document: 'By document',
  heat: 'Heat',
  gaps: 'Gaps',
} as const;
export type View = keyof typeof VIEWS;

export function viewOf({ query }: Route): View {
  const view = query.get('view') ?? '';
  return view in VIEWS ? (view as View) : 'suite';
}

/** The filters of the address, as the API takes them. */
export function filtersOf({ query }: Route): TraceabilityFilters {
  const filters: TraceabilityFilters = {};
  const status = statusesOf(query);
  if (status.length > 0) filters.status = status;
  const inherited = query.get('inherited');
  if (inherited) filters.inherited = inherited === 'true';
  for (const name of ['root', 'baseline'] as const) {
    const value = query.get(name);
    if (value) filters[name] = value;
  }
  for (const name of ['storyId', 'tag'] as const) {
    const values = query.getAll(name);
    if (values.length > 0) filters[name] = values;
  }
  const kind = query.get('kind');
  if (kind) filters.kind = kind.split(',') as NonNullable<TraceabilityFilters['kind']>;
  return filters;
}

export function statusesOf(query: URLSearchParams): Status[] {
  const named = (query.get('status') ?? '').split(',');
  return STATUSES.filter((status) => named.includes(status));
}

/** @typeParam T - the answer to this view */
export function askTraceability<T>(
  query: TraceabilityFilters,
  signal?: AbortSignal,
): Promise<Reply & { data: T | null }> {
  const call = api()['project-traceability'].get({ query, ...(signal && { fetch: { signal } }) });
  return call as Promise<Reply & { data: T | null }>;
}

/** As many rows and columns are asked for at once. */
export const TILE = 200;

export function askMatrix(query: TraceabilityFilters, signal?: AbortSignal) {
  return askTraceability<Matrix>(
    { view: 'matrix', limit: TILE, columnLimit: TILE, ...query },
    signal,
  );
}

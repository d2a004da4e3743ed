// What test runs are asked for by: the parameters, which of them go together, and what follows.
import { type Static, Type } from '@sinclair/typebox';
import { invalid } from '../../errors.ts';
import { LinkTtl } from '../../evidence/issues/model.ts';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import { closed, Name, oneOf } from '../../model/schemas.ts';
import type { ResultStatus } from '../reports/model.ts';
import { RESULT_STATUSES } from './result-rows.ts';
import { RUN_STATUSES } from './test-runs.ts';
import type { RunStatus } from './verdict.ts';

export const RUN_VIEWS = ['flaky', 'trend', 'slowest'] as const;
export type RunViewName = (typeof RUN_VIEWS)[number];
export const TREND_STEPS = ['run', 'day', 'commit'] as const;
export type TrendStep = (typeof TREND_STEPS)[number];

const MAX_VALUES = 100;

function anyOf(description: string) {
  return Type.Optional(Type.Array(Name, { maxItems: MAX_VALUES, description }));
}

export const RunQuery = closed({
  status: Type.Optional(
    Type.Array(oneOf(RESULT_STATUSES), {
      maxItems: MAX_VALUES,
      description: 'Of runs: passed, failed, broken; with `id` and `testKey` of results: any',
    }),
  ),
  commandId: anyOf('Command that they are of'),
  suiteId: anyOf('Suite that they were claimed in'),
  planId: anyOf('Plan that they were claimed from'),
  branch: anyOf('Branch that was tested'),
  commit: anyOf('Commit that was tested'),
  environment: anyOf('Environment that was tested in'),
  agent: anyOf('Name of the agent that ran it'),
  externalId: anyOf('Id that the caller gave'),
  late: Type.Optional(Type.Boolean({ description: 'Whether the report came after its lease' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: Type.Optional(Type.String()),
  id: Type.Optional(Type.String({ description: 'One run, bare, its results in pages' })),
  testKey: Type.Optional(Type.String({ description: 'The results of one test' })),
  view: Type.Optional(oneOf(RUN_VIEWS, 'What the newest runs say together')),
  by: Type.Optional(oneOf(TREND_STEPS, 'With `view=trend`: what a point is of; a run by default')),
  linkTtl: LinkTtl,
});
export type RunQueryInput = Static<typeof RunQuery>;

export type RunFilters = Partial<
  Pick<
    RunQueryInput,
    | 'commandId'
    | 'suiteId'
    | 'planId'
    | 'branch'
    | 'commit'
    | 'environment'
    | 'agent'
    | 'externalId'
    | 'late'
  >
> & { status?: RunStatus[] };

export type RunQuestion =
  | { ask: 'list'; filters: RunFilters }
  | { ask: 'run'; id: string; status: ResultStatus[] | undefined }
  | { ask: 'test'; testKey: string; status: ResultStatus[] | undefined; filters: RunFilters }
  | { ask: 'view'; view: RunViewName; by: TrendStep; filters: RunFilters };

type Parameter = keyof RunQueryInput;

const PLACES: readonly Parameter[] = ['branch', 'commit', 'environment'];
const VIEWED: readonly Parameter[] = ['commandId', 'suiteId', 'planId', 'agent', ...PLACES];

/**
 * Reads what is asked for.
 *
 * @throws Problem `invalid` for parameters that don't go together
 */
export function questionOf(query: RunQueryInput): RunQuestion {
  if (query.id !== undefined) {
    requireOnly(query, 'id', ['status', 'linkTtl']);
    return { ask: 'run', id: query.id, status: query.status };
  }
  if (query.testKey !== undefined) {
    requireOnly(query, 'testKey', ['status', ...PLACES]);
    const { testKey, status } = query;
    return { ask: 'test', testKey, status, filters: filtersOf(query) };
  }
  if (query.view !== undefined) {
    const { view, by = 'run' } = query;
    requireOnly(query, 'view', view === 'trend' ? ['by', ...VIEWED] : VIEWED);
    return { ask: 'view', view, by, filters: filtersOf(query) };
  }
  if (query.by !== undefined) throw invalid('/by', 'goes with view=trend');
  const { status } = query;
  if (status === undefined) return { ask: 'list', filters: filtersOf(query) };
  const statuses = status.filter((one): one is RunStatus => RUN_STATUSES.includes(one as never));
  if (statuses.length < status.length)
    throw invalid('/status', `must be one of ${RUN_STATUSES.join(', ')} where runs are listed`);
  return { ask: 'list', filters: { ...filtersOf(query), status: statuses } };
}

function requireOnly(query: RunQueryInput, asked: Parameter, others: readonly Parameter[]): void {
  const allowed = new Set<string>([asked, 'limit', 'cursor', ...others]);
  const other = Object.keys(query).find((name) => !allowed.has(name));
  if (other === undefined) return;
  const what = asked === 'view' ? `view=${query.view}` : asked;
  throw invalid(`/${other}`, `does not go with ${what}`);
}

function filtersOf(query: RunQueryInput): RunFilters {
  const { commandId, suiteId, planId, branch, commit, environment, agent, externalId, late } =
    query;
  const given = { commandId, suiteId, planId, branch, commit, environment, agent, externalId };
  return Object.fromEntries(
    Object.entries({ ...given, late }).filter(([, value]) => value !== undefined),
  );
}

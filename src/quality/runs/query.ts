// What test runs are asked for by, and which parameters go together.
import { type Static, Type } from '@sinclair/typebox';
import { invalid } from '../../errors.ts';
import { LinkTtl } from '../../evidence/issues/model.ts';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import { closed, Names, oneOf } from '../../model/schemas.ts';
import { RESULT_STATUSES, RUN_STATUSES } from './model.ts';

const anyOf = (description: string) => Type.Optional({ ...Names, description });

export const RunQuery = closed({
  status: Type.Optional(
    Type.Array(oneOf(RESULT_STATUSES), {
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
  view: Type.Optional(oneOf(['flaky', 'trend', 'slowest'], 'What the newest runs say together')),
  by: Type.Optional(
    oneOf(['run', 'day', 'commit'], 'With `view=trend`: what a point is of; a run by default'),
  ),
  linkTtl: LinkTtl,
});
export type RunQuery = Static<typeof RunQuery>;
export type RunView = NonNullable<RunQuery['view']>;
export type TrendStep = NonNullable<RunQuery['by']>;

/** What runs are chosen by. */
export type RunFilters = Omit<
  RunQuery,
  'limit' | 'cursor' | 'id' | 'testKey' | 'view' | 'by' | 'linkTtl'
>;

const PLACE = ['branch', 'commit', 'environment'];
const VIEWED = [...PLACE, 'commandId', 'suiteId', 'planId', 'agent'];

/** What goes with each question, beside `limit` and `cursor`. */
const GOES_WITH: Record<string, readonly string[]> = {
  id: ['status', 'linkTtl'],
  testKey: ['status', ...PLACE],
  'view=flaky': VIEWED,
  'view=slowest': VIEWED,
  'view=trend': [...VIEWED, 'by'],
};

/** @throws Problem `invalid` for parameters that don't go together */
export function requireFitting(query: RunQuery): void {
  const asked = query.id !== undefined ? 'id' : query.testKey !== undefined ? 'testKey' : 'view';
  if (query[asked] === undefined) {
    const other = query.status?.find((one) => !RUN_STATUSES.includes(one as never));
    if (other)
      throw invalid('/status', `must be one of ${RUN_STATUSES.join(', ')} where runs are listed`);
    if (query.by) throw invalid('/by', 'goes with view=trend');
    return;
  }
  const what = asked === 'view' ? `view=${query.view}` : asked;
  const allowed = [asked, 'limit', 'cursor', ...(GOES_WITH[what] ?? [])];
  const other = Object.keys(query).find((name) => !allowed.includes(name));
  if (other) throw invalid(`/${other}`, `does not go with ${what}`);
}

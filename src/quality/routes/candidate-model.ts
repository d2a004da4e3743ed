// What route candidates are asked for by.
import { type Static, Type } from '@sinclair/typebox';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import type { Origin } from './fold.ts';

export const CANDIDATE_ORIGINS = [
  'issue',
  'log',
  'run',
  'scenario',
  'story',
] as const satisfies readonly Origin[];

export const MAX_ROWS = 20_000;
export const MAX_PATHS = 20_000;

export const CandidateQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
  method: Type.Optional(
    Type.Array(Type.String({ maxLength: 20 }), { description: 'Only those of these methods' }),
  ),
  origins: Type.Optional(
    Type.Array(oneOf(CANDIDATE_ORIGINS), { description: 'Only those that were seen there' }),
  ),
  storyIds: Type.Optional(
    Type.Array(Type.String(), { description: 'Only those that belong to one of these stories' }),
  ),
  minConfidence: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Only those that are at least so sure' }),
  ),
});
export type CandidateFilters = Static<typeof CandidateQuery>;

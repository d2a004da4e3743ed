// What callers send of traces and justifications, and by what they read the traceability.
import { type Static, Type } from '@sinclair/typebox';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import { closed, Name, nullable, oneOf, StoryId, Text } from '../../model/schemas.ts';
import { NEEDS } from '../../requirements/projects/settings.ts';
import { COVERAGE_STATUSES, TARGET_KINDS, TRACE_STATES, TRACE_TYPES } from '../coverage/model.ts';

export const MAX_CHANGES = 1000;

const TraceInput = closed(
  {
    storyId: StoryId,
    type: oneOf(TRACE_TYPES),
    target: closed({
      kind: oneOf(TARGET_KINDS),
      id: Type.String({
        minLength: 1,
        maxLength: 1000,
        pattern: '\\S',
        description:
          'A scenario by its key, a command by its id or key, a route as `GET /orders/{id}`, an issue by its id. A test by its ' +
          '`testKey`, or as it is called: by its name, its suites and name (`Checkout > pays once`), or its file before either ' +
          '(`checkout.test.ts > pays once`), as long as one test alone is called so, now or once it is reported. Anything else by its own name',
      }),
    }),
    note: Type.Optional(nullable(Text)),
  },
  { title: 'TraceInput' },
);
export type TraceInput = Static<typeof TraceInput>;

const Reviewed = closed({
  id: Name,
  fingerprint: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Of the story as it was looked at: `409` where it says something else by now',
  }),
});
/** A trace that is reviewed, and where it is said of what text its story was. */
export type Reviewed = Static<typeof Reviewed>;

export const TraceabilityBody = closed(
  {
    add: Type.Optional(Type.Array(TraceInput, { maxItems: MAX_CHANGES })),
    remove: Type.Optional(
      Type.Array(Name, { maxItems: MAX_CHANGES, description: 'Ids of traces to take away' }),
    ),
    review: Type.Optional(
      Type.Array(Type.Union([Name, Reviewed]), {
        maxItems: MAX_CHANGES,
        description: 'Traces that hold for the stories as they are now, by their ids',
      }),
    ),
    justify: Type.Optional(
      Type.Array(
        closed({
          storyId: StoryId,
          need: oneOf(NEEDS),
          reason: nullable(
            Type.String({
              minLength: 1,
              maxLength: 65_536,
              pattern: '\\S',
              description: 'Why the need does not have to be met; null takes it back',
            }),
          ),
        }),
        { maxItems: MAX_CHANGES },
      ),
    ),
  },
  { title: 'TraceabilityInput', description: 'At most 1,000 changes together, all or none' },
);
export type TraceabilityInput = Static<typeof TraceabilityBody>;

export const TRACEABILITY_VIEWS = ['stories', 'matrix', 'gaps', 'traces', 'impact'] as const;
export const TRACEABILITY_FORMATS = ['json', 'csv', 'html', 'lobster'] as const;

export const TraceabilityQuery = closed({
  view: Type.Optional(
    oneOf(
      TRACEABILITY_VIEWS,
      '`stories` by default; `impact` is what a change of the stories named by `storyId` reaches',
    ),
  ),
  format: Type.Optional(
    oneOf(
      TRACEABILITY_FORMATS,
      'Others than `json` hold everything at once: `csv` and `lobster` for stories and traces, `html` for stories',
    ),
  ),
  storyId: Type.Optional(Type.Array(Type.String())),
  status: Type.Optional(Type.Array(oneOf(COVERAGE_STATUSES))),
  kind: Type.Optional(Type.Array(oneOf(['requirement', 'story']))),
  tag: Type.Optional(Type.Array(Type.String())),
  inherited: Type.Optional(
    Type.Boolean({ description: 'Whether the status is that of others, or its own' }),
  ),
  state: Type.Optional(
    Type.Array(oneOf(TRACE_STATES), { description: 'With `view=traces`: those in a state' }),
  ),
  type: Type.Optional(
    Type.Array(oneOf(TRACE_TYPES), { description: 'With `view=traces`: those of a type' }),
  ),
  targetKind: Type.Optional(
    Type.Array(oneOf(TARGET_KINDS), { description: 'With `view=traces`: those to such targets' }),
  ),
  targetId: Type.Optional(
    Type.Array(Type.String(), { description: 'With `view=traces`: those to a target' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
});
export type TraceabilityFilters = Static<typeof TraceabilityQuery>;

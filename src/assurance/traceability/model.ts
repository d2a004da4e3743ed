// What callers send of traces and justifications, by what they read the traceability, and what is answered.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import {
  Actor,
  closed,
  idOf,
  Name,
  nullable,
  oneOf,
  StoryId,
  Text,
  timeOf,
} from '../../model/schemas.ts';
import { NEEDS } from '../../requirements/projects/settings.ts';
import { traces } from '../../store/tables/assurance.ts';
import { HistoryStep, StatusHistory } from '../coverage/history.ts';
import {
  COVERAGE_STATUSES,
  NamedTarget,
  StoryCoverageAnswer,
  StoryHead,
  Summary,
  TARGET_KINDS,
  Target,
  TargetName,
  TRACE_STATES,
  TRACE_TYPES,
} from '../coverage/model.ts';
import { GAP_KINDS } from '../coverage/story-coverage.ts';
import { GateAnswer, gateQuery } from '../gate/model.ts';
import { Impact } from '../impact/impact.ts';
import { Overview } from '../overview/model.ts';

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
          'A scenario by its key, a command by its id or key, a route as `GET /orders/{id}`, an issue by its id; a test by its ' +
          '`testKey`, or by its file (where it has one), suites and name, as `checkout.test.ts > Checkout > pays once`',
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

const Justification = closed({
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
});

function changes<T extends TSchema>(item: T) {
  return Type.Optional(Type.Array(item, { maxItems: MAX_CHANGES }));
}

export const TraceabilityBody = closed(
  {
    add: changes(TraceInput),
    remove: changes(Name),
    review: changes(Type.Union([Name, Reviewed])),
    justify: changes(Justification),
  },
  { title: 'TraceabilityInput', description: 'At most 1,000 changes together, all or none' },
);
export type TraceabilityInput = Static<typeof TraceabilityBody>;

const PageSize = Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE });

function placeOf(what: string) {
  const description = `With \`view=matrix\`: the first ${what} of the window, from 0`;
  return Type.Integer({ minimum: 0, description });
}

export const TraceabilityQuery = closed({
  view: Type.Optional(
    oneOf(
      ['stories', 'matrix', 'gaps', 'traces', 'impact', 'gate', 'overview', 'statuses'],
      '`stories` by default; `gate`: whether what the filters leave may be released; `overview`: that, and what needs a person; ' +
        '`statuses`: how many stories had each',
    ),
  ),
  format: Type.Optional(
    oneOf(
      ['json', 'csv', 'html', 'lobster'],
      'Others than `json` are of `view=stories`, and hold everything at once',
    ),
  ),
  id: Type.Optional(Type.String({ description: 'With `view=traces`: one, bare' })),
  storyId: Type.Optional(Type.Array(Type.String())),
  status: Type.Optional(Type.Array(oneOf(COVERAGE_STATUSES))),
  kind: Type.Optional(Type.Array(StoryHead.kind)),
  tag: Type.Optional(Type.Array(Type.String())),
  root: Type.Optional(Type.String({ description: 'Only what this node contains, and itself' })),
  baseline: Type.Optional(
    Type.String({
      description: 'Against the revision that has this name, without what is laid on it',
    }),
  ),
  inherited: Type.Optional(Type.Boolean()),
  ...gateQuery,
  by: Type.Optional(HistoryStep),
  state: Type.Optional(Type.Array(oneOf(TRACE_STATES), { description: 'With `view=traces`' })),
  type: Type.Optional(Type.Array(oneOf(TRACE_TYPES), { description: 'With `view=traces`' })),
  targetKind: Type.Optional(Type.Array(oneOf(TARGET_KINDS), { description: 'With `view=traces`' })),
  targetId: Type.Optional(Type.Array(Type.String(), { description: 'With `view=traces`' })),
  columns: Type.Optional(
    oneOf(
      ['test', 'suite', 'document'],
      'With `view=matrix`: what verifies stories (by default), the files or suites of that, or the documents that stories are linked with',
    ),
  ),
  rowFrom: Type.Optional(placeOf('row')),
  columnFrom: Type.Optional(placeOf('column')),
  columnLimit: Type.Optional({ ...PageSize, description: 'With `view=matrix`; 200 by default' }),
  summary: Type.Optional(
    Type.Boolean({ description: 'With `view=matrix`: true adds the summary and the documents' }),
  ),
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
});
export type TraceabilityFilters = Static<typeof TraceabilityQuery>;

const Trace = Type.Object(
  {
    id: nullable(Type.String({ description: 'Null for what sources, scenarios or tests declare' })),
    storyId: idOf('story'),
    type: oneOf(TRACE_TYPES),
    target: Target,
    targetName: TargetName,
    origin: oneOf(traces.origin.enumValues, '`tag`: by the name or a tag of a test'),
    state: oneOf(TRACE_STATES, '`broken`: the story or the target is not there'),
    fingerprint: nullable(
      Type.String({ description: 'Of the story when it was made or reviewed' }),
    ),
    note: nullable(Type.String()),
    author: nullable(Actor),
    createdAt: nullable(timeOf('When it was made')),
    reviewedAt: nullable(timeOf('When it was last reviewed')),
    reviewedBy: nullable(Actor),
    version: nullable(Type.Integer({ minimum: 1 })),
  },
  { title: 'Trace', description: 'A link from a story to what verifies or implements it' },
);
export type TraceView = Static<typeof Trace>;

function pageWith<P extends Record<string, TSchema>>(title: string, members: P) {
  const nextCursor = nullable(Type.String({ description: 'The `cursor` of the next page' }));
  return Type.Object({ summary: Summary, ...members, nextCursor }, { title });
}

const Gap = Type.Object({
  gap: oneOf(GAP_KINDS),
  need: nullable(oneOf(NEEDS)),
  traceId: nullable(Type.String()),
  target: nullable(NamedTarget),
});

const Count = Type.Integer({ minimum: 0 });

/** The worst first; those of links between documents last. */
export const OUTCOMES = [
  ...(['failed', 'broken', 'suspect', 'stale', 'unknown', 'skipped', 'notRun'] as const),
  ...(['quarantined', 'passed', 'dangling', 'ok'] as const),
];
export type CellOutcome = (typeof OUTCOMES)[number];

const Counts = Type.Unsafe<Partial<Record<CellOutcome, number>>>(
  Type.Object(Object.fromEntries(OUTCOMES.map((outcome) => [outcome, Type.Optional(Count)])), {
    description: 'By outcome, of all that pass the filters; none is left out',
  }),
);
const Place = Type.Integer({ minimum: 0, description: 'Among all, from 0' });

export const TraceabilityMatrix = Type.Object(
  {
    revision: Type.Integer(),
    summary: Type.Optional(Summary),
    documents: Type.Optional(
      Type.Array(
        Type.Object({
          id: nullable(idOf('document')),
          title: nullable(Type.String()),
          rowFrom: Place,
          rows: Count,
        }),
        {
          description:
            'With `summary=true`: the documents of all rows, in their order; one comes again where others lie within it',
        },
      ),
    ),
    rowFrom: Place,
    columnFrom: Place,
    totals: Type.Object({ rows: Count, columns: Count }),
    rows: Type.Array(
      Type.Object({ ...StoryHead, document: nullable(idOf('document')), counts: Counts }),
    ),
    columns: Type.Array(
      Type.Object({
        kind: oneOf(['test', 'command', 'scenario', 'suite', 'document']),
        id: nullable(Type.String({ description: 'Null for what is in no suite or document' })),
        name: nullable(Type.String({ description: 'Its id where nothing else is known' })),
        command: nullable(
          Type.Object({ id: idOf('command'), key: Type.String(), name: Type.String() }),
          'Of a test the one that ran it last',
        ),
        counts: Counts,
      }),
    ),
    cells: Type.Array(
      Type.Object({
        row: Place,
        column: Place,
        outcome: oneOf(
          OUTCOMES,
          'Of a result; `suspect`: for a link to an earlier text; `stale`: passed for one. With `columns=document` of links',
        ),
        count: Type.Integer({ minimum: 1 }),
      }),
      { description: 'Those that hold something, by row, column and outcome, the worst first' },
    ),
  },
  { title: 'TraceabilityMatrix' },
);

export const TraceabilityPage = Type.Union([
  pageWith('TraceabilityPage', { items: Type.Array(StoryCoverageAnswer) }),
  TraceabilityMatrix,
  pageWith('GapPage', {
    gaps: Type.Object(
      { stories: Count, ...Object.fromEntries(GAP_KINDS.map((kind) => [kind, Count])) },
      { description: 'Of all stories: how many have gaps, and how many gaps of a kind there are' },
    ),
    items: Type.Array(Type.Object({ ...StoryHead, gaps: Type.Array(Gap) })),
  }),
  pageWith('TracePage', { items: Type.Array(Trace) }),
  GateAnswer,
  Overview,
  StatusHistory,
  Trace,
  Type.Object({ storyIds: Type.Array(Type.String()), impact: Impact }, { title: 'StoryImpact' }),
  Type.Object(
    {
      schema: oneOf(['lobster-req-trace']),
      version: Type.Integer(),
      generator: Type.String(),
      data: Type.Array(Type.Object({}, { additionalProperties: true })),
    },
    { title: 'LobsterDocument', description: 'With `format=lobster`' },
  ),
]);

export const TraceabilityWritten = Type.Object(
  {
    added: Type.Array(Trace),
    unchanged: Type.Array(Trace, { description: 'Asked for, and there already' }),
    removed: Type.Array(idOf('trace')),
    reviewed: Type.Array(Trace),
    justified: Type.Array(Justification),
  },
  { title: 'TraceabilityWritten' },
);

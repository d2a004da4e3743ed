// How answers show the traceability.
import { type TSchema, Type } from '@sinclair/typebox';
import { Actor, idOf, Share, timeOf } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { NEEDS } from '../../requirements/projects/settings.ts';
import { GAP_KINDS } from '../coverage/gaps.ts';
import {
  COVERAGE_STATUSES,
  TARGET_KINDS,
  TRACE_ORIGINS,
  TRACE_STATES,
  TRACE_TYPES,
} from '../coverage/model.ts';
import { Impact } from '../impact/model.ts';

const Count = Type.Integer({ minimum: 0 });
const Target = Type.Object({ kind: oneOf(TARGET_KINDS), id: Type.String() });
const TargetName = nullable(
  Type.String({ description: 'What a test, command or scenario is called, where that is known' }),
);
const NamedTarget = Type.Object({
  kind: oneOf(TARGET_KINDS),
  id: Type.String(),
  name: TargetName,
});

export const TraceAnswer = Type.Object(
  {
    id: nullable(
      Type.String({
        description:
          'Null for a link that is not written down: of the sources, a stored scenario, a command or a test',
      }),
    ),
    storyId: idOf('story'),
    type: oneOf(TRACE_TYPES),
    target: Target,
    targetName: TargetName,
    origin: oneOf(
      TRACE_ORIGINS,
      '`declared`: by people, or by the command or scenario itself; `tag`: by the name or a tag of a test; `import`: by the sources',
    ),
    state: oneOf(
      TRACE_STATES,
      '`suspect`: the story says something else than when it was made or last reviewed; `broken`: the story is gone, or the target is not there: a scenario or command that is gone or yet to come, a name that several tests have',
    ),
    fingerprint: nullable(
      Type.String({ description: 'Of the story when the link was made or last reviewed' }),
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

const Statuses = Type.Object(
  Object.fromEntries(COVERAGE_STATUSES.map((status) => [status, Share])),
);

export const SummaryAnswer = Type.Object(
  {
    stories: Type.Object({
      total: Type.Integer({ description: 'Stories and requirements that are counted' }),
      own: Type.Integer({ description: 'Those with a status of their own' }),
      inherited: Type.Integer({ description: 'Those with the worst status of others' }),
      notCounted: Type.Integer({ description: 'Rejected and retired ones' }),
    }),
    statuses: Statuses,
    inherited: Statuses,
    needs: Type.Array(
      Type.Object({
        need: oneOf(NEEDS),
        met: Count,
        justified: Count,
        unmet: Count,
        covered: Share,
      }),
    ),
    covered: Share,
    validated: Share,
    traces: Type.Object(
      { total: Count, valid: Count, suspect: Count, broken: Count },
      {
        description:
          'All links, as `view=traces` lists them: those of rejected, retired and gone stories too',
      },
    ),
  },
  {
    title: 'TraceabilitySummary',
    description:
      'Of the whole project, whatever the filters: `statuses`, `needs` and `covered` of the stories with a status of their own',
  },
);

const StoryFields = {
  storyId: idOf('story'),
  title: Type.String(),
  status: oneOf(COVERAGE_STATUSES, 'The first that holds'),
  inherited: Type.Boolean({
    description: 'The status is the worst of what refines or derives from it',
  }),
};
const Kind = oneOf(['requirement', 'story']);
const Status = oneOf(['passed', 'failed', 'broken', 'skipped', 'unknown']);

export const StoryCoverageAnswer = Type.Object(
  {
    ...StoryFields,
    kind: Kind,
    needs: Type.Array(
      Type.Object({
        need: oneOf(NEEDS),
        state: oneOf(['met', 'unmet', 'justified']),
        reason: nullable(Type.String({ description: 'Its justification' })),
      }),
    ),
    scenarios: Type.Array(Type.String({ description: 'The key of one that verifies it' })),
    tests: Type.Array(
      Type.Object({
        kind: oneOf(['test', 'command']),
        id: Type.String(),
        name: TargetName,
        state: oneOf(TRACE_STATES),
        result: nullable(Status),
        stale: Type.Boolean({
          description: 'It passed, but for an earlier text, or as an earlier command',
        }),
        quarantined: Type.Boolean({
          description: 'Its command is set aside for a time: its results do not judge the story',
        }),
      }),
    ),
    routes: Type.Array(Type.String({ description: 'Such as `GET /orders/{id}`' })),
    issues: Type.Array(
      Type.Object({
        id: idOf('issue'),
        number: nullable(Type.Integer()),
        severity: nullable(Type.String()),
        status: nullable(Type.String()),
      }),
      { description: 'Open ones that name it, and linked ones' },
    ),
    lastResult: nullable(
      Type.Object({
        target: NamedTarget,
        status: Status,
        at: timeOf('When it ran'),
        runId: idOf('run'),
        durationMs: nullable(Type.Integer()),
      }),
    ),
    validation: nullable(
      Type.Object({
        id: idOf('validation'),
        verdict: Type.String(),
        method: Type.String(),
        at: timeOf('When it was judged'),
        standing: oneOf(['valid', 'invalidated', 'suspect'], 'To the story as it is now'),
      }),
    ),
  },
  { title: 'StoryCoverage' },
);

function pageWith(title: string, members: Record<string, TSchema>) {
  const nextCursor = nullable(Type.String({ description: 'The `cursor` of the next page' }));
  return Type.Object({ summary: SummaryAnswer, ...members, nextCursor }, { title });
}

export const CoveragePage = pageWith('TraceabilityPage', {
  items: Type.Array(StoryCoverageAnswer),
});

export const TracePage = pageWith('TracePage', { items: Type.Array(TraceAnswer) });

export const GapPage = pageWith('GapPage', {
  gaps: Type.Object(
    { stories: Count, ...Object.fromEntries(GAP_KINDS.map((kind) => [kind, Count])) },
    { description: 'Of all stories: how many have gaps, and how many gaps of a kind there are' },
  ),
  items: Type.Array(
    Type.Object({
      ...StoryFields,
      kind: Kind,
      gaps: Type.Array(
        Type.Object({
          gap: oneOf(GAP_KINDS),
          need: nullable(oneOf(NEEDS)),
          traceId: nullable(Type.String()),
          target: nullable(NamedTarget),
        }),
      ),
    }),
  ),
});

export const MatrixPage = pageWith('TraceabilityMatrix', {
  rows: Type.Array(Type.Object(StoryFields)),
  columns: Type.Array(NamedTarget),
  cells: Type.Array(
    Type.Object({
      row: Type.Integer({ description: 'Its place among the rows of this page, from 0' }),
      column: Type.Integer({ description: 'The same among the columns' }),
      type: oneOf(TRACE_TYPES),
      state: oneOf(TRACE_STATES),
      result: nullable(Status),
      traceId: nullable(Type.String()),
    }),
  ),
});

export const TraceabilityWritten = Type.Object(
  {
    added: Type.Array(TraceAnswer),
    unchanged: Type.Array(TraceAnswer, { description: 'Asked for, and there already' }),
    removed: Type.Array(idOf('trace')),
    reviewed: Type.Array(TraceAnswer),
    justified: Type.Array(
      Type.Object({
        storyId: idOf('story'),
        need: oneOf(NEEDS),
        reason: nullable(Type.String()),
      }),
    ),
  },
  { title: 'TraceabilityWritten' },
);

export const StoryImpact = Type.Object(
  { storyIds: Type.Array(Type.String()), impact: Impact },
  { title: 'StoryImpact' },
);

export const LobsterDocument = Type.Object(
  {
    schema: oneOf(['lobster-req-trace', 'lobster-act-trace']),
    version: Type.Integer(),
    generator: Type.String(),
    data: Type.Array(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'LobsterDocument', description: 'With `format=lobster`' },
);

// What coverage says of a story and of all of them, as the code has it and as answers show it.
import { type Static, Type } from '@sinclair/typebox';
import { idOf, nullable, oneOf, Share, timeOf } from '../../model/schemas.ts';
import { RESULT_STATUSES } from '../../quality/reports/model.ts';
import { COVERAGE_STATUSES } from '../../requirements/projects/gates.ts';
import { NEEDS, type Settings } from '../../requirements/projects/settings.ts';
import { type TraceRow, traces } from '../../store/tables/assurance.ts';

export { COVERAGE_STATUSES };
export type CoverageStatus = (typeof COVERAGE_STATUSES)[number];

/** By how much they leave to do: a story without links of its own has the first of those that refine it. */
export const WORST_FIRST: readonly CoverageStatus[] = [
  'failing',
  'uncovered',
  'suspect',
  'stale',
  'unexecuted',
  'justified',
  'passing',
  'validated',
];

export const TRACE_TYPES = traces.type.enumValues;
export const TARGET_KINDS = traces.targetKind.enumValues;
export const TRACE_STATES = ['valid', 'suspect', 'broken'] as const;
export type TraceState = (typeof TRACE_STATES)[number];
export type Need = Settings['needs'][number];

const Count = Type.Integer({ minimum: 0 });
export const Target = Type.Object({ kind: oneOf(TARGET_KINDS), id: Type.String() });
export const TargetName = nullable(
  Type.String({ description: 'What a test, command or scenario is called, where that is known' }),
);
export const NamedTarget = Type.Object({ ...Target.properties, name: TargetName });
export const Status = oneOf(RESULT_STATUSES);

export interface StoryTrace extends Pick<TraceRow, 'storyId' | 'type' | 'origin'> {
  /** Null for one that no row holds: of the sources, a stored scenario, a command or a test. */
  id: string | null;
  target: Static<typeof Target>;
  state: TraceState;
  row: TraceRow | undefined;
}

export const StoryHead = {
  storyId: idOf('story'),
  kind: oneOf(['requirement', 'story']),
  title: Type.String(),
  status: oneOf(COVERAGE_STATUSES, 'The first that holds'),
  inherited: Type.Boolean({ description: 'Status and needs are the worst of what refines it' }),
};

const CoveringTest = Type.Object({
  kind: oneOf(['test', 'command']),
  id: Type.String(),
  name: TargetName,
  state: oneOf(TRACE_STATES, 'Of its link'),
  result: nullable(Status),
  stale: Type.Boolean({ description: 'It passed, but for an earlier text or command' }),
  quarantined: Type.Boolean({ description: 'Its results do not judge the story' }),
});
export type CoveringTest = Static<typeof CoveringTest>;

/** A test, command or scenario by whose result a story is judged. */
export interface Judge extends Pick<CoveringTest, 'id' | 'result' | 'stale'> {
  kind: CoveringTest['kind'] | 'scenario';
}

export const LastResult = Type.Object({
  target: NamedTarget,
  status: Status,
  at: timeOf('When it ran'),
  runId: idOf('run'),
  durationMs: nullable(Type.Integer()),
});
export type LastResult = Static<typeof LastResult>;

const LastVerdict = Type.Object({
  id: idOf('validation'),
  verdict: Type.String(),
  method: Type.String(),
  at: timeOf('When it was judged'),
  standing: oneOf(['valid', 'invalidated', 'suspect'], 'To the story as it is now'),
});
export type LastVerdict = Static<typeof LastVerdict>;

const CoveredNeed = Type.Object({
  need: oneOf(NEEDS),
  state: oneOf(['met', 'unmet', 'justified']),
  reason: nullable(Type.String({ description: 'Its justification' })),
});
export type CoveredNeed = Static<typeof CoveredNeed>;

const OpenIssue = Type.Object({
  id: idOf('issue'),
  number: Type.Integer(),
  severity: Type.String(),
  status: Type.String(),
});

export const StoryCoverageAnswer = Type.Object(
  {
    ...StoryHead,
    needs: Type.Array(CoveredNeed),
    scenarios: Type.Array(Type.String({ description: 'The key of one that verifies it' })),
    tests: Type.Array(CoveringTest),
    routes: Type.Array(Type.String({ description: 'Such as `GET /orders/{id}`' })),
    issues: Type.Array(OpenIssue, { description: 'Those that name it or are linked to it' }),
    lastResult: nullable(LastResult),
    validation: nullable(LastVerdict),
  },
  { title: 'StoryCoverage' },
);

export type StoryCoverage = Static<typeof StoryCoverageAnswer> & {
  traces: readonly StoryTrace[];
};

function statusesOf(description: string) {
  return Type.Unsafe<Record<CoverageStatus, Static<typeof Share>>>(
    Type.Object(Object.fromEntries(COVERAGE_STATUSES.map((status) => [status, Share])), {
      description,
    }),
  );
}

export const Summary = Type.Object(
  {
    stories: Type.Object({
      total: Type.Integer({ description: 'Stories and requirements that are counted' }),
      own: Type.Integer({ description: 'Those with a status of their own' }),
      inherited: Type.Integer({ description: 'Those with the worst status of others' }),
      notCounted: Type.Integer({ description: 'Rejected and retired ones' }),
    }),
    statuses: statusesOf('Every story once, under its one status'),
    inherited: statusesOf('Those of them that inherit it'),
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
      { description: 'Those of rejected, retired and gone stories too' },
    ),
  },
  {
    title: 'TraceabilitySummary',
    description: 'Of all stories that `storyId`, `kind`, `tag`, `root` and `baseline` leave',
  },
);
export type CoverageSummary = Static<typeof Summary>;

export interface Coverage {
  /** Makes it all, others going first: what is asked of it then is there. */
  ready(): Promise<void>;
  stories: readonly StoryCoverage[];
  of(storyId: string): StoryCoverage | undefined;
  summary: CoverageSummary;
}

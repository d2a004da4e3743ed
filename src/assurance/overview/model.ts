// The overview of a project: may it be shipped, what needs a person, what has changed, what runs.
import { type Static, Type } from '@sinclair/typebox';
import { IssueCounts } from '../../evidence/issues/counts.ts';
import { idOf, nullable, oneOf, timeOf } from '../../model/schemas.ts';
import { FlakyTest, TestRunSummary } from '../../quality/runs/model.ts';
import { Summary } from '../coverage/model.ts';
import { GateCounts } from '../gate/model.ts';
import { DISPOSITIONS } from '../validation/model.ts';

/** What may need a person, the most urgent first, each with what can be done about it. */
export const ATTENTION = {
  failing: 'read_failures',
  urgent_issues: 'read_issues',
  uncovered: 'cover_or_justify',
  verdicts: 'judge_again',
  renamed: 'carry_verdicts',
  suspect: 'review_links',
  stale: 'plan_runs',
  source_errors: 'read_findings',
  unexecuted: 'plan_runs',
  proposals: 'decide_proposals',
  no_backup: 'make_backup',
} as const;
export type AttentionKind = keyof typeof ATTENTION;

const Count = Type.Integer({ minimum: 0 });
const countsOf = <const N extends string>(...names: readonly N[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Count])) as Record<N, typeof Count>);

const Named = Type.Object({
  id: nullable(Type.String({ description: 'Of a story, an issue, the item of a finding' })),
  title: Type.String({ description: 'Of a finding what it says' }),
  number: Type.Optional(Type.Integer({ description: 'Of an issue' })),
  severity: Type.Optional(Type.String({ description: 'Of an issue' })),
  status: Type.Optional(Type.String({ description: 'Of an issue' })),
  assignee: Type.Optional(nullable(Type.String({ description: 'Of an issue' }))),
  occurrences: Type.Optional(Type.Integer({ description: 'Of an issue' })),
  untrusted: Type.Optional(Type.Boolean({ description: 'Of an issue: its title is anybody’s' })),
  path: Type.Optional(Type.String({ description: 'Of a finding' })),
  line: Type.Optional(Type.Integer({ description: 'Of a finding' })),
});
export type Named = Static<typeof Named>;

const Attention = Type.Object({
  kind: oneOf(Object.keys(ATTENTION) as AttentionKind[]),
  count: Type.Integer({ description: 'As many as the link lists; 1 where there is no backup' }),
  items: Type.Array(Named, { description: 'The first three' }),
  documents: Type.Array(Type.Object({ id: Type.String(), title: Type.String(), count: Count }), {
    description: 'The three documents with most of the stories',
  }),
  link: Type.String({ description: 'What lists them' }),
  action: oneOf([...new Set(Object.values(ATTENTION))]),
});
export type Attention = Static<typeof Attention>;

const { properties: runFields } = TestRunSummary;
const { properties: testFields } = FlakyTest;

export const OverviewRun = Type.Object({
  id: runFields.id,
  name: runFields.name,
  status: runFields.status,
  commit: runFields.commit,
  branch: runFields.branch,
  environment: runFields.environment,
  startedAt: runFields.startedAt,
  finishedAt: runFields.finishedAt,
  durationMs: runFields.durationMs,
  revision: runFields.revision,
  totals: runFields.totals,
  createdAt: runFields.createdAt,
});

const AgentAtWork = Type.Object({
  name: nullable(Type.String({ description: 'As it calls itself' })),
  version: nullable(Type.String()),
  leaseId: idOf('lease'),
  leaseExpiresAt: timeOf('When its lease runs out, unless it is renewed'),
  suiteId: nullable(idOf('suite')),
  total: Type.Integer({ description: 'Runs that it holds' }),
  runs: Type.Array(
    Type.Object({
      runId: idOf('run'),
      commandId: nullable(idOf('test command')),
      name: nullable(Type.String({ description: 'Of the command or the item' })),
      state: oneOf(['queued', 'running']),
      progress: nullable(
        Type.Object({
          done: nullable(Count),
          total: nullable(Count),
          current: nullable(Type.String()),
        }),
      ),
    }),
    { description: 'The first five, those that run before those that wait' },
  ),
});
export type AgentAtWork = Static<typeof AgentAtWork>;

const UnstableTest = Type.Object({
  testKey: testFields.testKey,
  name: testFields.name,
  path: testFields.path,
  file: testFields.file,
  runs: testFields.runs,
  failed: testFields.failed,
});

const Changes = Type.Object(
  {
    from: Type.Integer({ description: 'The revision' }),
    baseline: nullable(Type.String({ description: 'Its name; null for revision 1' })),
    ...countsOf('added', 'removed', 'moved', 'changed').properties,
    link: Type.String({ description: 'What lists them' }),
  },
  { description: 'From the newest baseline, else from revision 1, to the latest revision' },
);
export type Changes = Static<typeof Changes>;

export const Overview = Type.Object(
  {
    revision: Type.Object({
      number: Type.Integer({ minimum: 0 }),
      createdAt: nullable(timeOf('When it was imported')),
      baselines: Type.Array(Type.String(), { description: 'Its names' }),
      overlays: Type.Integer({ description: 'Edits and additions in force on it' }),
    }),
    fit: GateCounts,
    attention: Type.Array(Attention, { description: 'What needs a person, the most urgent first' }),
    summary: Summary,
    issues: IssueCounts,
    findings: countsOf('errors', 'warnings', 'infos'),
    verdicts: countsOf('total', ...DISPOSITIONS),
    runs: Type.Object({
      newest: Type.Array(OverviewRun, { description: 'The newest five that count' }),
      queued: Count,
      running: Count,
    }),
    agents: Type.Object({
      leases: Type.Integer({ description: 'Leases that hold a run' }),
      items: Type.Array(AgentAtWork, { description: 'The first ten' }),
    }),
    unstable: Type.Object({
      total: Count,
      items: Type.Array(UnstableTest, { description: 'The worst three' }),
      groups: Type.Integer({ description: 'Groups of tests that fail together' }),
      groupedTests: Count,
    }),
    changes: nullable(Changes),
    backup: nullable(
      Type.Object({ lastAt: nullable(timeOf('Of the last good one')) }),
      'Null for a token that anybody may hold',
    ),
  },
  { title: 'Overview', description: 'With `view=overview`' },
);
export type Overview = Static<typeof Overview>;

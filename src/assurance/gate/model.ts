// What a gate is asked by and what it answers.
import { type Static, Type } from '@sinclair/typebox';
import { nullable, oneOf } from '../../model/schemas.ts';
import { COVERAGE_STATUSES, gateFields } from '../../requirements/projects/gates.ts';
import { Summary } from '../coverage/model.ts';

const GATE_RULES = [
  'no_stories',
  'no_results',
  ...COVERAGE_STATUSES,
  'min_coverage',
  'new_failures',
  'flaky_tests',
  'blockers',
  'audit_errors',
  'suspect_verdicts',
] as const;

export const gateQuery = Type.Partial(
  Type.Object({
    gate: Type.String({
      description: 'With `view=gate`: one of the settings, `default` unless given',
    }),
    ...gateFields,
  }),
).properties;

const Reason = Type.Object({
  rule: oneOf(GATE_RULES, '`no_stories` and `no_results` hold for every gate'),
  storyId: nullable(Type.String({ description: 'Null for what is of no story' })),
  title: nullable(Type.String({ description: 'Of the story' })),
  why: Type.String(),
  link: Type.String({ description: 'Where to read on' }),
  source: nullable(
    Type.Object({ path: Type.String(), line: Type.Integer() }, { description: 'Of the story' }),
  ),
});
export type Reason = Static<typeof Reason>;

const Verdict = oneOf(['passed', 'failed'], '`passed` where there is no reason');
const Rules = Type.Partial(Type.Object(gateFields), { title: 'GateRules' });

export const GateAnswer = Type.Object(
  {
    verdict: Verdict,
    gate: Type.String(),
    revision: Type.Integer(),
    rules: Rules,
    reasons: Type.Array(Reason),
    counts: Summary,
  },
  { title: 'GateAnswer', description: 'Whether what is asked about may be released' },
);
export type GateAnswer = Static<typeof GateAnswer>;

export const GateCounts = Type.Object({
  verdict: Verdict,
  gate: Type.String(),
  rules: Rules,
  reasons: Type.Array(
    Type.Object({
      rule: oneOf(GATE_RULES),
      count: Type.Integer({ minimum: 1 }),
      link: Type.String({ description: 'What lists them' }),
    }),
  ),
});
export type GateCounts = Static<typeof GateCounts>;

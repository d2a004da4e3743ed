// Gates: the named rules by which a project, or a part of it, may be released.
import { type Static, Type } from '@sinclair/typebox';
import { clearable, closed, nullable, oneOf } from '../../model/schemas.ts';

/** How a story is covered: the first that holds is its status. */
export const COVERAGE_STATUSES = [
  'failing',
  'uncovered',
  'justified',
  'suspect',
  'stale',
  'unexecuted',
  'validated',
  'passing',
] as const;

const FAIL_ON = [...COVERAGE_STATUSES, 'blockers', 'audit_errors', 'suspect_verdicts'] as const;

const Share = Type.Number({ minimum: 0, maximum: 1 });

export const gateFields = {
  failOn: Type.Array(oneOf(FAIL_ON), {
    maxItems: FAIL_ON.length,
    uniqueItems: true,
    description:
      'Statuses of stories that close it; `blockers` that are open and triaged, `audit_errors`, and `suspect_verdicts`, ' +
      'those that no longer hold. Failing, uncovered, suspect, stale, unexecuted and blockers by default',
  }),
  minCoverage: Type.Number({
    ...Share,
    description: 'The least share of stories that are covered',
  }),
  maxFlakyRate: Type.Number({
    ...Share,
    description:
      'How often a test may flake: of its newest runs those in which it passed and failed, or at whose commit it did',
  }),
  newFailuresSince: Type.String({
    minLength: 1,
    maxLength: 300,
    description:
      'A baseline or a commit: tests that failed then already do not close it by this rule',
  }),
};

const Gate = Type.Partial(closed(gateFields), { title: 'Gate' });
export type GateRules = Static<typeof Gate>;

const MAX_GATES = 100;
const NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$';

export const Gates = Type.Record(Type.String({ pattern: NAME }), Gate, {
  additionalProperties: false,
  maxProperties: MAX_GATES,
  description:
    'Rules by their names, of letters, digits, `.`, `_` and `-`; `default` is always there',
});
export type Gates = Static<typeof Gates>;

export const GatesPatch = nullable(
  Type.Record(Type.String({ pattern: NAME }), nullable(closed(clearable(gateFields))), {
    additionalProperties: false,
    maxProperties: MAX_GATES,
  }),
);

export const DEFAULT_GATES = {
  default: { failOn: ['failing', 'uncovered', 'suspect', 'stale', 'unexecuted', 'blockers'] },
} satisfies Gates;

/** All gates of a project, each with what it fails on. */
export function readGates(stored: Gates = {}): Gates {
  const all = Object.entries({ default: {}, ...stored });
  return Object.fromEntries(
    all.map(([name, gate]) => [name, { ...DEFAULT_GATES.default, ...gate }]),
  );
}

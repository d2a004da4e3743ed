// The states of an issue: what any series of moves may come to.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Problem } from '../../src/errors.ts';
import { isEnded } from '../../src/evidence/issues/create.ts';
import { RESOLUTIONS, STATUSES } from '../../src/evidence/issues/model.ts';
import {
  type IssueMove,
  type IssueState,
  MOVES,
  moveIssue,
} from '../../src/evidence/issues/update.ts';

const NEW: IssueState = {
  status: 'open',
  resolution: null,
  duplicateOf: null,
  resolvedAt: null,
  fixedInBuild: null,
};

/** The state after a move, or the code of its refusal. */
function attempt(from: IssueState, move: IssueMove, at = 1): IssueState | string {
  try {
    return moveIssue(from, move, at);
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

const orNothing = <T>(values: readonly T[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined });
const moves: fc.Arbitrary<IssueMove> = fc.record(
  {
    status: orNothing(STATUSES),
    resolution: orNothing([...RESOLUTIONS, null]),
    duplicateOf: orNothing(['iss_1', 'iss_2', null]),
    fixedInBuild: orNothing(['1', null]),
  },
  { requiredKeys: [] },
);

/** What holds for every state, however it was come to. */
function expectSound(state: IssueState): void {
  const ended = isEnded(state.status);
  expect(state.resolution !== null).toBe(ended);
  expect(state.resolvedAt !== null).toBe(ended);
  expect(state.duplicateOf !== null).toBe(state.resolution === 'duplicate');
  if (!ended) expect(state.fixedInBuild).toBeNull();
}

describe('any series of moves [PQRS-56]', () => {
  test('stays sound, goes along the table alone, and a refused one changes nothing', () => {
    fc.assert(
      fc.property(fc.array(moves, { maxLength: 30 }), (series) => {
        let state = NEW;
        for (const [at, move] of series.entries()) {
          const before = JSON.stringify(state);
          const next = attempt(state, move, at + 1);
          expect(JSON.stringify(state)).toBe(before);
          if (typeof next === 'string') {
            expect(['illegal_transition', 'invalid']).toContain(next);
            continue;
          }
          expectSound(next);
          if (next.status !== state.status) expect(MOVES[state.status]).toContain(next.status);
          if (isEnded(state.status) && isEnded(next.status))
            expect(next.resolvedAt).toBe(state.resolvedAt);
          state = next;
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a resolution [PQRS-56]', () => {
  test('is fixed where resolving names none, and is asked for where closing names none', () => {
    expect(attempt(NEW, { status: 'resolved' })).toMatchObject({
      status: 'resolved',
      resolution: 'fixed',
      resolvedAt: 1,
    });
    expect(attempt(NEW, { status: 'closed' })).toBe('invalid');
    expect(attempt(NEW, { status: 'resolved', resolution: null })).toBe('invalid');
  });

  test('of a duplicate needs its original, and no other has one', () => {
    expect(attempt(NEW, { status: 'closed', resolution: 'duplicate' })).toBe('invalid');
    expect(attempt(NEW, { status: 'closed', resolution: 'fixed', duplicateOf: 'iss_1' })).toBe(
      'invalid',
    );
    const closed = attempt(NEW, {
      status: 'closed',
      resolution: 'duplicate',
      duplicateOf: 'iss_1',
    });
    expect(closed).toMatchObject({ duplicateOf: 'iss_1' });
    expect(attempt(closed as IssueState, { resolution: 'wont_fix' })).toMatchObject({
      duplicateOf: null,
      resolution: 'wont_fix',
    });
    expect(attempt(closed as IssueState, { duplicateOf: null })).toBe('invalid');
  });
});

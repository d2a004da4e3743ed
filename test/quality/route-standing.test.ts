// How routes stand by what is known of runs.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { timestamp } from '../../src/clock.ts';
import { type Exercise, standingOf } from '../../src/quality/routes/catalog.ts';

const at = (time: number, status: Exercise['status'], over: Partial<Exercise> = {}): Exercise => ({
  ...{ status, at: time, passes: true, fails: true },
  ...over,
});

test.each<[string, Exercise[], string, number | null]>([
  ['nothing', [], 'untested', null],
  ['a pass', [at(1, 'passed')], 'covered', 1],
  ['a failure', [at(1, 'failed')], 'failing', 1],
  ['a run that broke', [at(1, 'broken')], 'failing', 1],
  ['skipped', [at(1, 'skipped'), at(2, 'unknown')], 'untested', null],
  ['a failure beside', [at(3, 'passed'), at(1, 'failed')], 'failing', 3],
  ['a failure in quarantine', [at(1, 'failed', { fails: false })], 'untested', 1],
  ['a pass in quarantine', [at(1, 'passed', { fails: false })], 'covered', 1],
  ['a changed command', [at(1, 'passed', { passes: false, fails: false })], 'untested', 1],
])('%s', (_name, exercises, status, lastAt) => {
  const lastExercisedAt = lastAt === null ? null : timestamp(lastAt);
  expect(standingOf(exercises)).toEqual({ status: status as 'covered', lastExercisedAt });
});

test('one failure is enough, in any order', () => {
  const exercise: fc.Arbitrary<Exercise> = fc.record({
    status: fc.constantFrom('passed', 'failed', 'broken', 'skipped', 'unknown'),
    at: fc.nat(100),
    passes: fc.boolean(),
    fails: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(exercise, { maxLength: 6 }), (all) => {
      const found = standingOf(all);
      expect(standingOf(all.toReversed())).toEqual(found);
      const fails = all.some(
        ({ status, fails }) => fails && (status === 'failed' || status === 'broken'),
      );
      expect(found.status === 'failing').toBe(fails);
    }),
  );
});

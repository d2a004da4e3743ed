// How routes stand by what is known of runs.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Exercise, standingOf } from '../../src/quality/routes/standing.ts';

const at = (time: number, status: Exercise['status'], over: Partial<Exercise> = {}): Exercise => ({
  ...{ status, at: time, passes: true, fails: true },
  ...over,
});

function standing(commands: Record<string, Exercise>, scenarios: Record<string, Exercise> = {}) {
  return standingOf(
    { commandIds: [...Object.keys(commands), 'never'], scenarioIds: Object.keys(scenarios) },
    { ofCommand: (id) => commands[id], ofScenario: (id) => scenarios[id] },
  );
}

test.each<[string, ReturnType<typeof standing>, string, number | null]>([
  ['nothing', standing({}), 'untested', null],
  ['a pass', standing({ a: at(1, 'passed') }), 'covered', 1],
  ['a failure', standing({ a: at(1, 'failed') }), 'failing', 1],
  ['a run that broke', standing({ a: at(1, 'broken') }), 'failing', 1],
  ['skipped', standing({ a: at(1, 'skipped'), b: at(2, 'unknown') }), 'untested', null],
  ['a failure beside', standing({ a: at(3, 'passed'), b: at(1, 'failed') }), 'failing', 3],
  ['a scenario', standing({}, { s: at(5, 'passed') }), 'covered', 5],
  ['a failing scenario', standing({ a: at(9, 'passed') }, { s: at(5, 'failed') }), 'failing', 9],
  ['a failure in quarantine', standing({ a: at(1, 'failed', { fails: false }) }), 'untested', 1],
  ['a pass in quarantine', standing({ a: at(1, 'passed', { fails: false }) }), 'covered', 1],
  [
    'a command that has changed since',
    standing({ a: at(1, 'passed', { passes: false, fails: false }) }),
    ...(['untested', 1] as const),
  ],
])('%s', (_name, found, status, lastExercisedAt) => {
  expect(found).toEqual({ status: status as 'covered', lastExercisedAt });
});

test('the order of commands tells nothing, and one failure is enough', () => {
  const exercise: fc.Arbitrary<Exercise> = fc.record({
    status: fc.constantFrom('passed', 'failed', 'broken', 'skipped', 'unknown'),
    at: fc.nat(100),
    passes: fc.boolean(),
    fails: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(exercise, { maxLength: 6 }), (all) => {
      const look = (some: readonly Exercise[]) =>
        standing(Object.fromEntries(some.map((one, place) => [`c${place}`, one])));
      const found = look(all);
      expect(look(all.toReversed())).toEqual(found);
      const fails = all.some(
        ({ status, fails: counts }) => counts && (status === 'failed' || status === 'broken'),
      );
      expect(found.status === 'failing').toBe(fails);
      if (found.status === 'covered')
        expect(all.some(({ status, passes }) => status === 'passed' && passes)).toBe(true);
      expect(found.lastExercisedAt === null).toBe(
        all.every(({ status }) => status === 'skipped' || status === 'unknown'),
      );
    }),
  );
});

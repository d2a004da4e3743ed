// When additions were in force, by the moves on record.
import { expect, test } from 'bun:test';
import { type AdditionMove, periodsOf } from '../../src/assurance/overlay/addition-periods.ts';

const move = (at: number, fromState: string | null, toState: string): AdditionMove => ({
  ...{ storyId: 'A', fromState, toState, at },
});
const of = (...moves: AdditionMove[]) => periodsOf(moves).get('A');

test('an addition was in force until it was absorbed or deleted, whatever came after [PQRS-34]', () => {
  const [made, absorbed] = [move(2, null, 'active'), move(5, 'active', 'absorbed')];
  expect(of(made)).toEqual([{ from: 2, until: Infinity }]);
  expect(of(made, absorbed)).toEqual([{ from: 2, until: 5 }]);
  expect(of(made, absorbed, move(9, null, 'active'), move(11, 'active', 'deleted'))).toEqual([
    ...[
      { from: 2, until: 5 },
      { from: 9, until: 11 },
    ],
  ]);
});

test('periods lie behind each other where the clocks of requests do not [PQRS-34]', () => {
  const moves = [move(5, null, 'active'), move(4, 'active', 'deleted'), move(3, null, 'active')];
  expect(of(...moves)).toEqual([
    ...[
      { from: 5, until: 5 },
      { from: 5, until: Infinity },
    ],
  ]);
});

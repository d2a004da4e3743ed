// Work in steps.
import { expect, test } from 'bun:test';
import { runAtOnce, runInSlices, type Steps } from '../../src/quality/scheduler.ts';

function* counted(to: number): Steps<number> {
  let sum = 0;
  for (let at = 1; at <= to; at++) {
    sum += at;
    const until = performance.now() + 1;
    while (performance.now() < until);
    yield;
  }
  return sum;
}

test('gives the same at once and in turns, and in turns others run meanwhile', async () => {
  let turns = 0;
  let ended = false;
  const other = () => {
    turns += 1;
    if (!ended) setImmediate(other);
  };
  setImmediate(other);
  expect(runAtOnce(counted(30))).toBe(465);
  expect(turns).toBe(0);
  expect(await runInSlices(counted(30))).toBe(465);
  ended = true;
  expect(turns).toBeGreaterThan(2);
});

test('ends with the error of a step', async () => {
  function* failing(): Steps<number> {
    yield;
    throw new Error('broken');
  }
  expect(() => runAtOnce(failing())).toThrow('broken');
  expect(runInSlices(failing())).rejects.toThrow('broken');
});

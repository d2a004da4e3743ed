// Work in steps.
import { expect, test } from 'bun:test';
import { foldRoutes, foldSteps, type Observation } from '../../src/quality/routes/fold.ts';
import { compileMatcher } from '../../src/quality/routes/match.ts';
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

test('a fold of many paths lets others run', async () => {
  const seen: Observation[] = Array.from({ length: 20_000 }, (_, at) => ({
    ...{ method: 'GET', url: `/a/${at % 50}/w${at}x/${at}`, at, origin: 'log' },
  }));
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  const folded = await runInSlices(foldSteps(seen, compileMatcher([])));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
  expect(folded).toEqual(foldRoutes(seen, []));
});

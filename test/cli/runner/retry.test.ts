// How requests are sent again: what passes is tried again, within bounds; what does not is told at once.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type ApiAnswer,
  describeRefusal,
  readRetryAfter,
  Unreachable,
} from '../../../src/cli/runner/api-client.ts';
import { backoffMs, isTransient, persist } from '../../../src/cli/runner/retry.ts';

function answer(status: number, retryAfterMs?: number): ApiAnswer {
  return { status, body: { code: 'x', detail: 'y' }, retryAfterMs };
}

/** Plays answers in turn under a clock that only waits move. */
function play(outcomes: (ApiAnswer | Error)[], untilMs: number) {
  let now = 0;
  const waits: number[] = [];
  const told: string[] = [];
  let calls = 0;
  const result = persist(
    async () => {
      const outcome = outcomes[Math.min(calls, outcomes.length - 1)];
      calls += 1;
      if (outcome instanceof Error) throw outcome;
      if (outcome === undefined) throw new Error('nothing to play');
      return outcome;
    },
    {
      until: () => untilMs,
      now: () => now,
      random: () => 1,
      onWait: (_, why) => told.push(why),
      wait: async (ms) => {
        waits.push(ms);
        now += ms;
      },
    },
  );
  return { result, waits, told, calls: () => calls };
}

describe('persist', () => {
  test('gives the first answer that does not pass', async () => {
    const played = play(
      [answer(503), new Unreachable('gone', true), answer(429), answer(201)],
      60_000,
    );
    expect((await played.result).status).toBe(201);
    expect(played.waits).toEqual([250, 500, 1000]);
    expect(played.told).toEqual(['503 x: y', 'gone', '429 x: y']);
  });

  test.each([400, 401, 403, 404, 409, 413, 422, 500])(
    'tries once where it is %d',
    async (status) => {
      const played = play([answer(status)], 60_000);
      expect((await played.result).status).toBe(status);
      expect(played.calls()).toBe(1);
    },
  );

  test('waits as long as the server asks, but not past the end', async () => {
    const patient = play([answer(503, 5000), answer(200)], 60_000);
    await patient.result;
    expect(patient.waits).toEqual([5000]);
    const hasty = play([answer(503, 5000), answer(200)], 4000);
    expect((await hasty.result).status).toBe(503);
    expect(hasty.waits).toEqual([]);
  });

  test('takes a conflict with Retry-After for the same request under way', async () => {
    const played = play([answer(409, 1000), answer(201)], 60_000);
    expect((await played.result).status).toBe(201);
  });

  test('throws what no wait changes, and the last failure when the time is up', async () => {
    await expect(
      play([new Unreachable('a bad certificate', false)], 60_000).result,
    ).rejects.toThrow('a bad certificate');
    const away = play([new Unreachable('away', true)], 3000);
    await expect(away.result).rejects.toThrow('away');
    expect(away.waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(3000);
  });
});

test('waits grow, vary by half, and are bounded', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.option(fc.nat(1_000_000), { nil: undefined }),
      (failures, random, asked) => {
        const ms = backoffMs(failures, random, asked);
        const full = Math.min(15_000, 250 * 2 ** Math.min(failures - 1, 20));
        expect(ms).toBeGreaterThanOrEqual(
          Math.max(Math.floor(full / 2), Math.min(asked ?? 0, 120_000)),
        );
        expect(ms).toBeLessThanOrEqual(Math.max(full, 120_000));
      },
    ),
  );
});

test.each([
  [null, undefined],
  ['5', 5000],
  ['0', 0],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 9000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
])('Retry-After %p is %p ms', (value, ms) => {
  expect(readRetryAfter(value, 1000)).toBe(ms as number);
});

test('a refusal is a line that says what is wrong', () => {
  const body = {
    code: 'invalid',
    detail: 'The body is not valid.',
    errors: [{ pointer: '/name', detail: 'is required' }],
  };
  expect(describeRefusal({ status: 422, body, retryAfterMs: undefined })).toBe(
    '422 invalid: The body is not valid.; /name is required',
  );
  expect(describeRefusal({ status: 502, body: undefined, retryAfterMs: undefined })).toBe('502');
  expect(isTransient(answer(502))).toBe(true);
});

// What requests share: the times in them, and the problem that an error becomes.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseTime } from '../../src/clock.ts';
import { PROBLEMS } from '../../src/errors.ts';
import { problemDocument, toProblem } from '../../src/http/api/problem.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { PROBLEM_STATUS } from '../support/invariants.ts';

describe('a time', () => {
  test('is read to the millisecond', () => {
    expect(parseTime('/at', '2026-01-31T12:00:00.5Z')).toBe(Date.UTC(2026, 0, 31, 12, 0, 0, 500));
    expect(parseTime('/at', '2026-01-31t23:00:00-01:30')).toBe(Date.UTC(2026, 1, 1, 0, 30));
  });

  test('of any day that exists is read, of any other refused', () => {
    const two = (n: number) => String(n).padStart(2, '0');
    fc.assert(
      fc.property(
        fc.integer({ min: 1970, max: 2400 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 31 }),
        (year, month, day) => {
          const exists = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
          const read = () => parseTime('/at', `${year}-${two(month)}-${two(day)}T00:00:00Z`);
          if (exists) expect(read()).toBe(Date.UTC(year, month - 1, day));
          else expect(read).toThrow('/at');
        },
      ),
    );
  });
});

describe('problems [PQRS-75]', () => {
  test('have the codes and statuses that the interface promises', () => {
    expect(
      Object.fromEntries(PROBLEMS.map(({ code, status }) => [code as string, status])),
    ).toEqual(PROBLEM_STATUS);
    expect(new Set(PROBLEMS.map(({ title }) => title)).size).toBe(PROBLEMS.length);
  });

  test('of any error tell nothing of it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12 }), (secret) => {
        for (const error of [
          new Error(secret),
          new StoreUnavailable(secret),
          new TypeError('x', { cause: secret }),
          secret,
          { secret },
        ]) {
          const problem = toProblem(error);
          expect([500, 503]).toContain(problem.status);
          expect(JSON.stringify(problemDocument(problem, 'id'))).not.toContain(
            JSON.stringify(secret).slice(1, -1),
          );
        }
      }),
    );
  });
});

// Small things that every request goes through: its id, the times in it, the gate, the notices.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { PROBLEMS, Problem } from '../../src/errors.ts';
import { problemDocument, toProblem } from '../../src/http/api/problem.ts';
import { requestIdOf } from '../../src/http/api/request.ts';
import { createNotices, type Notice } from '../../src/model/notices.ts';
import { parseTime } from '../../src/model/time.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { PROBLEM_STATUS } from '../support/invariants.ts';

describe('the id of a request [PQRS-75]', () => {
  const idOf = (given?: string) =>
    requestIdOf(
      new Request('http://a/', { headers: given === undefined ? {} : { 'x-request-id': given } }),
    );

  test("is the client's own where it is safe, else one that no other request has", () => {
    for (const id of ['a', 'A.b_c~d:e@f+g/h=i-9', 'x'.repeat(128)]) expect(idOf(id)).toBe(id);
    const made = [undefined, '', 'x'.repeat(129), 'a b', '"', '<a>', 'a,b'].map(idOf);
    expect(new Set(made).size).toBe(made.length);
    for (const id of made) expect(id).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
  });
});

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

describe('notices [PQRS-65]', () => {
  const notice: Notice = { projectId: 'p', level: 'warn', message: 'm', fields: {} };

  test('come once a minute for each key', () => {
    let now = 0;
    const written: Notice[] = [];
    const notices = createNotices(
      () => now,
      () => {},
    );
    notices.subscribe(async (one) => void written.push(one));
    for (now = 0; now < 120_000; now += 1000) {
      notices.note('a', notice);
      if (now < 5000) notices.note('b', notice);
    }
    expect(written).toHaveLength(3);
  });

  test('that cannot be written trouble nobody but the log', async () => {
    const failures: unknown[] = [];
    const notices = createNotices(
      () => 0,
      (error) => failures.push(error),
    );
    notices.note('before anyone listens', notice);
    notices.subscribe(() => Promise.reject(new Error('full')));
    notices.note('a', notice);
    await Bun.sleep(1);
    expect(failures).toHaveLength(1);
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

  test('that are problems already stay as they are', () => {
    const problem = new Problem('conflict', 'It is taken.', {
      errors: [{ pointer: '/a', detail: 'is taken' }],
    });
    expect(toProblem(problem)).toBe(problem);
    expect(problemDocument(problem, 'the-id')).toEqual({
      type: '/problems/conflict',
      title: expect.any(String),
      status: 409,
      detail: 'It is taken.',
      code: 'conflict',
      requestId: 'the-id',
      errors: [{ pointer: '/a', detail: 'is taken' }],
    });
  });
});

// How clients call a server: where it is, how requests are sent again, and the forms that carry reports.
import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { wholeNumber } from '../../../src/cli/command.ts';
import {
  type ApiAnswer,
  backoffMs,
  baseUrl,
  describeRefusal,
  persist,
  readConnection,
  readRetryAfter,
  Unreachable,
} from '../../../src/cli/runner/api.ts';
import { durationText, totalsText } from '../../../src/cli/runner/output.ts';
import { readSelection } from '../../../src/cli/runner/plan.ts';
import { createForm, type FormPart } from '../../../src/cli/runner/submission.ts';
import { MULTIPART_LIMITS, readMultipart } from '../../../src/http/files/multipart.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function callOf(values: Record<string, string>) {
  return { text: (name: string) => values[name] };
}

describe('the connection', () => {
  test('comes from flags, then from the environment', async () => {
    const file = join(temporaryFolder('token'), 'token');
    writeFileSync(file, 'from-file\n');
    const url = 'http://127.0.0.1:4870';
    const environment = { PQRS_URL: 'http://other', PQRS_TOKEN: 'from-environment' };
    const given = callOf({ url, 'token-file': file });
    expect(await readConnection(given, environment)).toEqual({ url, token: 'from-file' });
    const own = { url: 'http://other', token: 'from-environment' };
    expect(await readConnection(callOf({}), environment)).toEqual(own);
    const both = { ...environment, PQRS_TOKEN_FILE: file };
    expect((await readConnection(callOf({}), both)).token).toBe('from-file');
  });

  test.each([
    [{}, {}, '--url or PQRS_URL is required'],
    [{ url: 'nowhere' }, { PQRS_TOKEN: 'a' }, 'not the address of a server'],
    [{ url: 'ftp://a' }, { PQRS_TOKEN: 'a' }, 'not the address of a server'],
    [{ url: 'http://u:p@a' }, { PQRS_TOKEN: 'a' }, 'no user'],
    [{ url: 'http://a' }, {}, '--token-file, PQRS_TOKEN_FILE or PQRS_TOKEN is required'],
    [{ url: 'http://a', 'token-file': '/none/of/it' }, {}, 'cannot be read'],
    [{ url: 'http://a' }, { PQRS_TOKEN: 'a b' }, 'PQRS_TOKEN'],
  ])('%j with %j is refused', async (flags, environment, why) => {
    await expect(readConnection(callOf(flags), environment)).rejects.toThrow(why);
  });

  test.each([
    ['http://a', 'http://a'],
    ['https://a/pqrs/', 'https://a/pqrs'],
    ['https://a/api/v1/', 'https://a'],
    ['https://a/pqrs/api', 'https://a/pqrs'],
  ])('to %s goes to %s', (text, url) => {
    expect(baseUrl(text)).toBe(url);
  });
});

describe('options', () => {
  const none = { plan: undefined, commands: undefined, strategy: undefined };
  const strategies = ['risk', 'full'];

  test('numbers are whole and in range', () => {
    const number = (n: string) => wholeNumber(callOf({ n }), 'n', { min: 1, max: 10, fallback: 0 });
    expect(number('10')).toBe(10);
    expect(wholeNumber(callOf({}), 'n', { fallback: 7 })).toBe(7);
    for (const text of ['0', '11', '1.5', '-1', '', 'many', '99999999999999999'])
      expect(() => number(text)).toThrow('--n must be a whole number from 1 to 10');
  });

  test('work is a plan, commands, or a plan by a strategy', () => {
    const risk = { type: 'strategy', strategy: 'risk' } as const;
    expect(readSelection(none, strategies)).toEqual(risk);
    const plan = { type: 'plan', planId: 'pln_1' } as const;
    expect(readSelection({ ...none, plan: 'pln_1' }, strategies)).toEqual(plan);
    const commands = { type: 'commands', commands: ['a', 'b'] } as const;
    expect(readSelection({ ...none, commands: 'a, b,a' }, strategies)).toEqual(commands as never);
    expect(() => readSelection({ ...none, commands: 'a,,b' }, strategies)).toThrow('a name');
    expect(() => readSelection({ ...none, strategy: 'luck' }, strategies)).toThrow('risk, full');
  });

  test('figures are written for people', () => {
    expect([12, 12_345, 245_900].map(durationText)).toEqual(['12 ms', '12.3 s', '4 min 5 s']);
    const totals = { tests: 3, passed: 1, failed: 2, broken: 0, skipped: 0, unknown: 0, flaky: 1 };
    expect(totalsText(totals)).toBe('3 tests: 1 passed, 2 failed, 1 flaky');
    expect(totalsText({ ...totals, tests: 1, failed: 0, flaky: 0 })).toBe('1 test: 1 passed');
  });
});

describe('a request', () => {
  const answer = (status: number, retryAfterMs?: number): ApiAnswer => {
    return { status, body: { code: 'x', detail: 'y' }, retryAfterMs };
  };

  /** Sends a request that has these outcomes in turn, the last again and again. */
  async function play(outcomes: (ApiAnswer | Error)[], forMs = 60_000) {
    const until = Date.now() + forMs;
    const whys: string[] = [];
    let calls = 0;
    const result = await persist(
      async () => {
        const outcome = outcomes[Math.min(calls, outcomes.length - 1)]!;
        calls += 1;
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      { method: 'GET', path: '/' },
      { until: () => until, onWait: (_, why) => whys.push(why) },
    ).catch((error: Error) => error);
    return { result, whys, calls };
  }

  test('is sent again while its failure is one that passes', async () => {
    const outcomes = [answer(503), new Unreachable('gone', true), answer(409, 0), answer(201)];
    const { result, whys } = await play(outcomes);
    expect(result).toEqual(answer(201));
    expect(whys).toEqual(['503 x: y', 'gone', '409 x: y']);
  });

  test.each([400, 401, 403, 404, 409, 413, 422, 500])('is sent once where it is %d', async (is) => {
    expect(await play([answer(is)])).toMatchObject({ result: { status: is }, calls: 1 });
  });

  test('is not sent again past the end, nor where no wait changes anything', async () => {
    const hasty = await play([answer(503, 5000), answer(200)], 4000);
    expect(hasty).toMatchObject({ result: { status: 503 }, calls: 1 });
    expect((await play([new Unreachable('away', true)], 300)).result).toBeInstanceOf(Unreachable);
    expect(await play([new Unreachable('a bad certificate', false)])).toMatchObject({ calls: 1 });
  });

  test('waits grow, vary by half, and are bounded', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), random, fc.nat(1e6), (failures, is, asked) => {
        const full = Math.min(15_000, 250 * 2 ** Math.min(failures - 1, 20));
        const ms = backoffMs(failures, is, asked);
        expect(ms).toBeGreaterThanOrEqual(Math.max(full / 2, Math.min(asked, 120_000)) - 1);
        expect(ms).toBeLessThanOrEqual(Math.max(full, 120_000));
      }),
    );
  });

  test.each([
    [null, undefined],
    ['5', 5000],
    ['Thu, 01 Jan 1970 00:00:10 GMT', 9000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
  ])('Retry-After %p is %p ms', (value, ms) => {
    expect(readRetryAfter(value, 1000)).toBe(ms as number);
  });

  test('a refusal is a line', () => {
    const errors = [{ pointer: '/name', detail: 'is required' }];
    const body = { code: 'invalid', detail: 'The body is not valid.', errors };
    expect(describeRefusal({ status: 422, body, retryAfterMs: undefined })).toBe(
      '422 invalid: The body is not valid.; /name is required',
    );
    expect(describeRefusal({ status: 502, body: undefined, retryAfterMs: undefined })).toBe('502');
  });
});

describe('a form', () => {
  async function readBack(parts: FormPart[]) {
    const { bytes, mediaType } = createForm('request', parts)!;
    // A second try sends the same bytes.
    expect(createForm('request', parts)).toEqual({ bytes, mediaType });
    async function* source() {
      yield bytes;
    }
    const found: { name: string; fileName?: string | undefined; text: string }[] = [];
    const limits = { ...MULTIPART_LIMITS, totalBytes: 1e8 };
    for await (const part of readMultipart(source(), mediaType, limits)) {
      if (part.kind === 'field') found.push({ name: part.name, text: part.value });
      else {
        const { name, fileName } = part;
        const chunks = await Array.fromAsync(part.chunks, (chunk) => chunk.slice());
        found.push({ name, fileName, text: Buffer.concat(chunks).toString('utf8') });
      }
    }
    return found;
  }
  test('has values and files, under whatever names', async () => {
    expect(
      await readBack([
        { name: 'run', content: '{"name":"nächtlich"}' },
        { name: 'report', fileName: 'r.xml', mediaType: 'application/xml', content: '<a/>' },
        { name: 'file', fileName: 'empty', mediaType: 'text/plain', content: new Uint8Array() },
      ]),
    ).toEqual([
      { name: 'run', text: '{"name":"nächtlich"}' },
      { name: 'report', fileName: 'r.xml', text: '<a/>' },
      { name: 'file', fileName: 'empty', text: '' },
    ]);
    const names = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((name) => !/\p{Cc}|%22/u.test(name));
    await fc.assert(
      fc.asyncProperty(names, async (fileName) => {
        const part = { name: 'file', fileName, mediaType: 'text/plain', content: 'x' };
        expect((await readBack([part]))[0]?.fileName).toBe(fileName);
      }),
      { examples: [['a\u2028b'], ['\u2029']] },
    );
  });
});

// Damaged and hostile reports: each is a run whose results are all there, or is refused and leaves
// nothing.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { FIXTURES, fixture } from '../quality/reports/read-all.ts';
import { type Instance, openInstance } from '../support/instance.ts';

const LIMIT_BYTES = 4 * 1024 * 1024;

let instance: Instance;
let token: string;

beforeAll(async () => {
  instance = await openInstance({ 'report-bytes': String(LIMIT_BYTES) });
  ({ token } = await instance.makeProject('default'));
});
afterAll(() => instance.close());

interface Run {
  id: string;
  status: string;
  totals: { tests: number };
  harnessErrors: { code: string }[];
  code?: string;
}

let cuts = 0;

async function post(type: string, body: string | Uint8Array<ArrayBuffer>, externalId?: string) {
  const query = externalId === undefined ? '' : `?externalId=${externalId}`;
  const answer = await instance.fetch(`/api/test-runs${query}`, {
    method: 'POST',
    token,
    body,
    headers: { 'content-type': type },
  });
  return { status: answer.status, run: (await answer.json()) as Run };
}

/** Rows that belong to no run. */
async function rows() {
  const { read } = instance.evidence.database;
  const one = async (query: string) => Number((await read.values(sql.raw(query)))[0]?.[0]);
  return {
    batches: await one('select count(*) from run_batches'),
    runless: await one(
      'select count(*) from test_results where seq / 131072 not in (select batch from test_runs)',
    ),
    testless: await one(
      'select count(*) from tests where seq not in (select test_seq from test_results)',
    ),
  };
}

async function resultsOf(id: string): Promise<{ name: string; storyIds: string[] }[]> {
  const items: { name: string; storyIds: string[] }[] = [];
  let cursor = '';
  do {
    const path = `/api/test-runs?id=${id}&limit=200${cursor && `&cursor=${cursor}`}`;
    const { results } = (await (await instance.fetch(path, { token })).json()) as {
      results: { items: typeof items; nextCursor: string | null };
    };
    items.push(...results.items);
    cursor = results.nextCursor ?? '';
  } while (cursor !== '');
  return items;
}

/** Holds that an answer is one of the contract, and a run whole. */
async function expectSound({ status, run }: Awaited<ReturnType<typeof post>>): Promise<void> {
  expect([201, 400, 422]).toContain(status);
  if (status !== 201) {
    expect(run.code).toMatch(/^(?:invalid|malformed_body)$/);
    return;
  }
  expect(await resultsOf(run.id)).toHaveLength(run.totals.tests);
  expect(run.status === 'broken').toBe(run.harnessErrors.length > 0);
}

const typeOf = (name: string) =>
  name.endsWith('.xml')
    ? 'application/xml'
    : name.endsWith('.tap')
      ? 'text/tap'
      : 'application/json';

describe('a report that was damaged [PQRS-42]', () => {
  test('cut off anywhere is broken, or refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FIXTURES),
        fc.double({ min: 0, max: 0.97, noNaN: true }),
        async (name, share) => {
          const bytes = fixture(name);
          const cut = bytes.slice(0, Math.floor(bytes.length * share)) as Uint8Array<ArrayBuffer>;
          cuts += 1;
          // Of a report that names itself, each piece would be another one of that name.
          const answer = await post(typeOf(name), cut, `cut-${cuts}`);
          await expectSound(answer);
          // TAP that ends at the end of a line behind its plan is whole.
          if (answer.status === 201 && !name.endsWith('.tap'))
            expect(answer.run.status).toBe('broken');
        },
      ),
      { numRuns: 15 },
    );
  });

  test('with bytes changed anywhere is sound', async () => {
    const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FIXTURES),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        async (name, changes) => {
          const bytes = Uint8Array.from(fixture(name));
          for (const [place, byte] of changes) bytes[Math.floor(place * (bytes.length - 1))] = byte;
          await expectSound(await post(typeOf(name), bytes));
        },
      ),
      { numRuns: 15 },
    );
  });

  test('of any bytes under any type is sound', async () => {
    const types = [
      'application/xml',
      'text/xml',
      'application/json',
      'text/tap',
      'application/vnd.ctrf+json',
    ];
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map((text) => Buffer.from(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...types), bytes, async (type, body) => {
        await expectSound(await post(type, Uint8Array.from(body)));
      }),
      { numRuns: 25 },
    );
  });
});

describe('a report that means harm [PQRS-42]', () => {
  test('nested without end', async () => {
    const xml = '<testsuite name="a">'.repeat(20_000);
    const json = `{"results":${'['.repeat(50_000)}`;
    const parameters = `{"results":[{"name":"a","status":"passed","parameters":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}]}`;
    for (const [type, body] of [
      ['application/xml', xml],
      ['application/json', json],
      ['application/json', parameters],
    ] as const) {
      await expectSound(await post(type, body));
    }
  });

  test('with names that objects have', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''];
    const results = names.map((name) => ({
      name: name || 'x',
      status: 'passed',
      path: [name || 'x'],
      storyIds: [name || 'x'],
      parameters: JSON.parse(`{"${name}": "a"}`),
    }));
    const body = `{"results": ${JSON.stringify(results).replace('"storyIds":["x"]', '"storyIds":["__proto__"]')}}`;
    const { status, run } = await post('application/json', body);
    expect(status).toBe(201);
    const found = await resultsOf(run.id);
    expect(found.map(({ name }) => name)).toEqual(names.map((name) => name || 'x'));
    expect(found[1]!.storyIds).toEqual(['constructor']);
  });

  test('with NUL, lone surrogates and bytes that are no text', async () => {
    const tap = Buffer.concat([
      Buffer.from('1..2\nok 1 - a\0b\nok 2 - '),
      Buffer.from([0xff, 0xfe, 0x0a]),
    ]);
    await expectSound(await post('text/tap', Uint8Array.from(tap)));
    const json =
      '{"results":[{"name":"a\\u0000b","status":"passed"},{"name":"\\ud800","status":"passed"}]}';
    await expectSound(await post('application/json', json));
  });

  test('with a text of megabytes keeps a part of it', async () => {
    const text = 'x'.repeat(3 * 1024 * 1024);
    const { status, run } = await post(
      'application/xml',
      `<testsuite tests="2"><testcase name="big"><failure message="m">${text}</failure></testcase><testcase name="next"/></testsuite>`,
    );
    expect(status).toBe(201);
    expect((await resultsOf(run.id)).map(({ name }) => name)).toEqual(['big', 'next']);
  });

  test('that is larger than reports may be is refused before its end', async () => {
    const head = '<testsuite name="a"><testcase name="b"/>';
    const { status, run } = await post('application/xml', head.padEnd(LIMIT_BYTES + 1));
    expect([status, run.code]).toEqual([413, 'too_large']);
    const form = `--b\r\nContent-Disposition: form-data; name="report"\r\n\r\n${head.padEnd(LIMIT_BYTES + 1)}\r\n--b--\r\n`;
    expect((await post('multipart/form-data; boundary=b', form)).status).toBe(413);
  });

  test('with the same test many times tells each from the others', async () => {
    const results = Array.from({ length: 2_000 }, () => ({
      name: 'repeated',
      status: 'passed',
    }));
    const { status, run } = await post('application/json', JSON.stringify({ results }));
    expect([status, run.totals.tests]).toEqual([201, 2_000]);
    const keys = await instance.evidence.database.read.values<[number]>(
      sql`select count(*) from tests where name = 'repeated'`,
    );
    expect(keys[0]![0]).toBe(2_000);
  });
});

test('nothing is left of what was refused', async () => {
  expect(await rows()).toEqual({ batches: 0, runless: 0, testless: 0 });
});

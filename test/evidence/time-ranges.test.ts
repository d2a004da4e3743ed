// Ranges of times, which clients set as they like, find the same as a look at every row.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Instance, openInstance } from '../support/instance.ts';

const HOUR = 3_600_000;
const COUNT = 3000;
const ofRow = (at: number) => Date.UTC(2026, 0, 1) + at * HOUR;
/** Mostly in order, some clocks far off. */
const times = fc
  .sample(
    fc.oneof(
      { arbitrary: fc.constant(0), weight: 300 },
      { arbitrary: fc.integer({ min: -COUNT, max: COUNT }), weight: 1 },
    ),
    { numRuns: COUNT, seed: 1 },
  )
  .map((off, at) => ofRow(at + off));

let instance: Instance;
let token: string;

beforeAll(async () => {
  instance = await openInstance();
  const project = await instance.makeProject('default');
  token = project.token;
  const entries = times.map((at, row) => ({
    at: new Date(at).toISOString(),
    message: `${row}`,
    source: 'app',
  }));
  const response = await instance.fetch('/api/system-logs', {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(entries),
  });
  expect(response.status).toBe(201);
});

afterAll(() => instance.close());

/** The rows of a range, page by page. */
async function rowsIn(range: Record<string, string>): Promise<number[]> {
  const rows: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const search = new URLSearchParams({
      ...range,
      source: 'app',
      limit: '200',
      ...(cursor && { cursor }),
    });
    const response = await instance.fetch(`/api/system-logs?${search}`, { token });
    const page = (await response.json()) as {
      items: { message: string }[];
      nextCursor: string | null;
    };
    rows.push(...page.items.map(({ message }) => Number(message)));
    cursor = page.nextCursor;
  }
  return rows;
}

test.each(['before', 'after'])(
  'finds what is in a range, %s it is indexed [PQRS-58]',
  async (when) => {
    if (when === 'after') await instance.evidence.logsIndex.upToDate();
    const bound = fc.option(fc.integer({ min: -COUNT / 2, max: 1.5 * COUNT }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(bound, bound, async (since, until) => {
        const text = (at: number) => new Date(ofRow(at)).toISOString();
        const range = {
          ...(since !== undefined && { since: text(since) }),
          ...(until !== undefined && { until: text(until) }),
        };
        const wanted = times.flatMap((at, row) =>
          (since === undefined || at >= ofRow(since)) && (until === undefined || at < ofRow(until))
            ? row
            : [],
        );
        expect(await rowsIn(range)).toEqual(wanted.reverse());
      }),
      { numRuns: 15 },
    );
  },
);

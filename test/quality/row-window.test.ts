// The newest rows, taken in by parts.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ROWS_MOST } from '../../src/quality/routes/candidate-model.ts';
import { createSightings } from '../../src/quality/routes/observations.ts';
import { moveWindow, type RowPart, type RowSource } from '../../src/quality/runs/row-window.ts';

/** Rows in memory: keys that rise, each with a path. */
function tableOf(
  rows: Map<number, string>,
  reads: { from: number }[] = [],
  partRows = 3,
): RowSource {
  const keys = () => [...rows.keys()].sort((a, b) => a - b);
  return {
    partRows,
    async bounds() {
      const all = keys();
      const [first, last] = [all[0], all.at(-1)];
      return first === undefined || last === undefined ? undefined : { first, last };
    },
    behindNewest: async (count) => keys().toReversed()[count] ?? 0,
    async read(from, to, most) {
      reads.push({ from });
      const some = keys()
        .filter((key) => key > from && key <= to)
        .slice(0, most);
      const [first, last] = [some[0], some.at(-1)];
      if (first === undefined || last === undefined) return undefined;
      const sightings = createSightings();
      for (const key of some)
        sightings.add('log', { method: 'GET', path: rows.get(key) ?? '', at: key });
      return { from, to: last, first, rows: some.length, seen: sightings.list() };
    },
  };
}

/** What a window has seen, by paths. */
function told(parts: readonly RowPart[]): Record<string, number> {
  const sightings = createSightings();
  for (const { seen } of parts) sightings.addAll(seen);
  return Object.fromEntries(
    sightings
      .list()
      .map(({ url, count = 1 }) => [url, count] as const)
      .sort(),
  );
}

function counted(rows: Map<number, string>): Record<string, number> {
  const groups = Map.groupBy(rows.values(), (path) => path);
  return Object.fromEntries([...groups].map(([path, all]) => [path, all.length] as const).sort());
}

const never = () => false;

describe('a window', () => {
  test('that nothing has changed is the same', async () => {
    const rows = new Map([1, 2, 3, 4].map((key) => [key, '/a']));
    const reads: { from: number }[] = [];
    const table = tableOf(rows, reads);
    const first = await moveWindow([], table, never);
    expect(reads.length).toBe(2);
    expect(await moveWindow(first, table, never)).toBe(first);
    expect(reads.length).toBe(2);
    rows.set(9, '/b');
    const second = await moveWindow(first, table, never);
    expect(second[0]).toBe(first[0]!);
    expect(reads.length).toBe(3);
    expect(told(second)).toEqual({ '/a': 4, '/b': 1 });
  });

  test('of nothing is empty, and is so again when all is gone', async () => {
    const rows = new Map<number, string>();
    const none: RowPart[] = [];
    expect(await moveWindow(none, tableOf(rows), never)).toBe(none);
    rows.set(1, '/a');
    const some = await moveWindow(none, tableOf(rows), never);
    rows.clear();
    expect(await moveWindow(some, tableOf(rows), never)).toEqual([]);
  });

  test('begins with the newest rows, and lets go of the oldest', async () => {
    const rows = new Map(Array.from({ length: ROWS_MOST + 5000 }, (_, at) => [at + 1, '/a']));
    const table = tableOf(rows, [], 1000);
    let parts = await moveWindow([], table, never);
    expect(told(parts)).toEqual({ '/a': ROWS_MOST });
    for (let at = 0; at < 3000; at++) rows.set(30_000 + at, '/b');
    parts = await moveWindow(parts, table, never);
    const { '/a': a, '/b': b } = told(parts);
    expect(b).toBe(3000);
    expect(a).toBeGreaterThanOrEqual(ROWS_MOST - 3000);
    expect(a).toBeLessThanOrEqual(ROWS_MOST - 2000);
  });

  test('follows whatever becomes of the rows', async () => {
    const move = fc.oneof(
      fc.record({ add: fc.array(fc.constantFrom('/a', '/b', '/c'), { maxLength: 7 }) }),
      fc.record({ remove: fc.nat(4) }),
      fc.record({ change: fc.nat(20), to: fc.constantFrom('/x', '/y') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 12 }), async (moves) => {
        const rows = new Map<number, string>();
        let [next, parts]: [number, readonly RowPart[]] = [1, []];
        for (const one of moves) {
          let stale = -1;
          if ('add' in one) {
            for (const path of one.add) {
              next += 2;
              rows.set(next, path);
            }
          } else if ('remove' in one)
            for (const key of [...rows.keys()].slice(0, one.remove)) rows.delete(key);
          else if (rows.size > 0) {
            stale = [...rows.keys()][one.change % rows.size] ?? -1;
            rows.set(stale, one.to);
          }
          const isStale = ({ from, to }: RowPart) => stale > from && stale <= to;
          parts = await moveWindow(parts, tableOf(rows), isStale);
          expect(told(parts)).toEqual(counted(rows));
        }
      }),
      { numRuns: 200 },
    );
  });
});

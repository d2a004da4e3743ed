// The matrix: what its windows hold together, and what its cells and columns say.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readMatrix } from '../../src/assurance/traceability/matrix.ts';
import { anyCoverage, wholeOf } from './any-coverage.ts';
import { type MadeCoverage, makeCovered } from './made-coverage.ts';

const COLUMNS = ['test', 'suite', 'document'] as const;

describe('windows of the matrix [PQRS-29]', () => {
  test('hold together what the whole holds, whose figures add up', async () => {
    const size = fc.integer({ min: 1, max: 3 });
    const property = fc.asyncProperty(
      anyCoverage,
      size,
      size,
      async (parts, limit, columnLimit) => {
        const state = makeCovered(wholeOf(parts));
        for (const columns of COLUMNS) {
          const whole = await readMatrix(state, { columns });
          const { totals } = whole;
          expect([whole.rows.length, whole.columns.length]).toEqual([totals.rows, totals.columns]);
          const cells: typeof whole.cells = [];
          for (let rowFrom = 0; rowFrom < totals.rows; rowFrom += limit)
            for (let columnFrom = 0; columnFrom < totals.columns; columnFrom += columnLimit) {
              const at = { columns, rowFrom, columnFrom, limit, columnLimit };
              const { cells: some, ...window } = await readMatrix(state, at);
              expect(window.rows).toEqual(whole.rows.slice(rowFrom, rowFrom + limit));
              expect(window.columns).toEqual(
                whole.columns.slice(columnFrom, columnFrom + columnLimit),
              );
              cells.push(...some);
            }
          const byPlace = cells.sort((a, b) => a.row - b.row || a.column - b.column);
          expect(byPlace).toEqual(whole.cells);
          for (const line of ['row', 'column'] as const)
            for (const [place, { counts }] of whole[`${line}s`].entries()) {
              const own = whole.cells.filter((cell) => cell[line] === place);
              const sum = own.reduce((all, { count }) => all + count, 0);
              expect(Object.values(counts).reduce((all, one) => all + one, 0)).toBe(sum);
            }
        }
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  const base: MadeCoverage = { nodes: ['S'] };
  const ran = (status: 'passed' | 'failed', more: object = {}): MadeCoverage => ({
    ...base,
    tests: [{ key: 't', storyIds: ['S'], result: { status, ...more } }],
  });
  const command = { id: 'cmd_1', state: 'quarantined' } as const;
  const cases: [string, MadeCoverage][] = [
    ['passed', ran('passed')],
    ['failed', ran('failed')],
    ['stale', ran('passed', { old: true })],
    ['quarantined', { ...ran('failed', { commandId: 'cmd_1' }), commands: [command] }],
    ['notRun', { ...base, traces: [{ storyId: 'S', to: 'test t' }] }],
    ['suspect', { ...base, traces: [{ storyId: 'S', to: 'test t', old: true }] }],
  ];
  for (const [outcome, made] of cases) {
    test(`show a test that is ${outcome}`, async () => {
      const { cells, columns } = await readMatrix(makeCovered(made), {});
      expect(cells as object[]).toEqual([{ row: 0, column: 0, outcome, count: 1 }]);
      expect(columns).toMatchObject([{ kind: 'test', id: 't', counts: { [outcome]: 1 } }]);
    });
  }
});

// The matrix of stories by what shows that they hold, and by documents.
import { describe, expect } from 'bun:test';
import type { Static } from '@sinclair/typebox';
import type { TraceabilityMatrix } from '../../src/assurance/traceability/model.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import type { RequirementProject } from '../support/requirement-project.ts';
import { begin, link, PATH } from '../support/traceability-project.ts';

const OWN = { ownBecause: 'it makes a project' };
type Matrix = Static<typeof TraceabilityMatrix>;

const read = ({ get }: RequirementProject, query: object = {}) =>
  get<Matrix>(PATH, { view: 'matrix', ...query });

async function report(api: Client, { as }: RequirementProject) {
  const command = { key: 'unit', name: 'Unit tests', argv: ['true'] };
  const { id: commandId } = (await api.post('/test-commands', command, as)).must(201);
  const results = [
    { name: 'a', file: 'a.test.ts', status: 'passed', storyIds: ['US-2', 'US-4'] },
    { name: 'b', file: 'a.test.ts', status: 'failed', storyIds: ['US-4'] },
    { name: 'c', path: ['Outer', 'inner'], status: 'passed', storyIds: ['US-4'] },
  ];
  (await api.post('/test-runs', { commandId, results }, as)).must(201);
}

describe('view=matrix [PQRS-29]', () => {
  flow('names both sides, and the command of a test', OWN, async (api) => {
    const project = await begin(api);
    await link(api, project, 'US-2', 'never ran');
    await report(api, project);
    const { rows, columns, cells, totals, summary } = await read(project);
    expect(totals).toEqual({ rows: 3, columns: 5 });
    expect(summary).toBeUndefined();
    expect(rows).toMatchObject([
      { storyId: 'US-1', status: 'failing', inherited: true, document: 'stories.md', counts: {} },
      { storyId: 'US-2', counts: { passed: 1, notRun: 2 } },
      { storyId: 'US-4', counts: { passed: 2, failed: 1 } },
    ]);
    const command = { key: 'unit', name: 'Unit tests' };
    expect(columns).toMatchObject([
      { kind: 'scenario', name: 'A receipt is sent', command: null, counts: { notRun: 1 } },
      { kind: 'test', name: 'a', command, counts: { passed: 2 } },
      { kind: 'test', id: 'never ran', name: 'never ran', command: null, counts: { notRun: 1 } },
      { kind: 'test', name: 'b', command, counts: { failed: 1 } },
      { kind: 'test', name: 'Outer > inner > c', counts: { passed: 1 } },
    ]);
    expect(cells[0]).toEqual({ row: 1, column: 0, outcome: 'notRun', count: 1 });
    expect(cells.filter(({ row }) => row === 2).map(({ column }) => column)).toEqual([1, 3, 4]);
  });

  flow('has suites or documents as columns', OWN, async (api) => {
    const project = await begin(api);
    await report(api, project);
    const suites = await read(project, { columns: 'suite', status: 'failing', inherited: false });
    expect(suites.columns.map(({ id, counts }) => [id, counts])).toEqual([
      ['a.test.ts', { passed: 1, failed: 1 }],
      ['Outer', { passed: 1 }],
    ]);
    const cells = suites.cells.map(({ outcome, count }) => `${outcome} ${count}`);
    expect(cells).toEqual(['failed 1', 'passed 1', 'passed 1']);
    await project.bring(
      { 'more.md': '# More\n\n## US-9: New\n\nNew.\n\nRefines: US-4, US-77\n' },
      {
        mode: 'merge',
      },
    );
    const { rows, columns, documents } = await read(project, {
      columns: 'document',
      summary: true,
    });
    expect(documents?.map(({ id, rowFrom, rows: own }) => [id, rowFrom, own])).toEqual([
      ['more.md', 0, 1],
      ['stories.md', 1, 3],
    ]);
    expect(rows.map(({ storyId, counts }) => [storyId, counts])).toEqual([
      ['US-9', { ok: 1, dangling: 1 }],
      ['US-1', { ok: 2 }],
      ['US-2', { ok: 1 }],
      ['US-4', { ok: 2 }],
    ]);
    expect(columns.map(({ id, name, counts }) => [id, name, counts])).toEqual([
      ['stories.md', 'Checkout', { ok: 5 }],
      [null, null, { dangling: 1 }],
      ['more.md', 'More', { ok: 1 }],
    ]);
  });

  flow('is read in windows, with the summary where it is asked for', OWN, async (api) => {
    const project = await begin(api);
    await report(api, project);
    const query = { rowFrom: 2, columnFrom: 2, limit: 1, columnLimit: 1, summary: true };
    const { rows, columns, cells, summary, documents } = await read(project, query);
    expect(rows.map(({ storyId }) => storyId)).toEqual(['US-4']);
    expect(documents).toEqual([{ id: 'stories.md', title: 'Checkout', rowFrom: 0, rows: 3 }]);
    expect(columns.map(({ name }) => name)).toEqual(['b']);
    expect(cells).toEqual([{ row: 2, column: 2, outcome: 'failed', count: 1 }]);
    expect(summary?.stories.total).toBe(3);
    const beyond = await read(project, { rowFrom: 9, columnFrom: 9 });
    expect(beyond).toMatchObject({
      totals: { rows: 3, columns: 4 },
      rows: [],
      columns: [],
      cells: [],
    });
    const ask = (more: object) =>
      api.get(PATH, { ...project.as, query: { view: 'matrix', ...more } });
    const etag = (await ask({})).must(200).header('etag') ?? '';
    const headers = { ...project.as.headers, 'if-none-match': etag };
    (await api.get(PATH, { headers, query: { view: 'matrix' } })).must(304);
    (await ask({ root: 'none' })).mustBe(404, 'not_found');
    for (const more of [{ cursor: 'x' }, { limit: 201 }, { columnLimit: 0 }, { rowFrom: -1 }])
      (await ask(more)).mustBe(422, 'invalid');
    const stories = { ...project.as, query: { rowFrom: 1 } };
    (await api.get(PATH, stories)).mustBe(422, 'invalid', '/rowFrom');
  });
});

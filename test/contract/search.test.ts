// One search over what a project has.
import { describe, expect } from 'bun:test';
import type { SearchHit } from '../../src/requirements/projects/model.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import { begin } from '../support/traceability-project.ts';

const OWN = { ownBecause: 'it makes a project' };
const PATH = '/projects';

async function find({ get }: RequirementProject, search: string) {
  const { items } = await get<{ items: SearchHit[] }>(PATH, { search });
  return items;
}

async function fill(api: Client, { as }: RequirementProject) {
  const command = { key: 'receipts', name: 'Receipt tests', argv: ['true'] };
  (await api.post('/test-commands', command, as)).must(201);
  const results = [
    { name: 'prints 100%', path: ['Receipt'], file: 'a.test.ts', status: 'failed' },
    { name: 'a receipt_x', file: 'b.test.ts', status: 'passed' },
  ];
  const run = { name: 'Receipt nightly', commit: 'abcdef0123', results };
  (await api.post('/test-runs', run, as)).must(201);
  for (const title of ['A receipt is lost', 'Other'])
    (await api.post('/issues', { title, description: 'of a réceipt' }, as)).must(201);
}

describe('GET /projects?search [PQRS-1] [PQRS-68]', () => {
  flow('finds all kinds, the best first', OWN, async (api) => {
    const project = await begin(api);
    await fill(api, project);
    const found = await find(project, 'receipt');
    expect(found.map(({ type, title }) => `${type}: ${title}`)).toEqual([
      ...['command: Receipt tests', 'run: Receipt nightly', 'story: A receipt'],
      ...['issue: A receipt is lost', 'test: a receipt_x', 'issue: Other'],
    ]);
    const cases: [string, Partial<SearchHit>][] = [
      ['us-2', { type: 'story', id: 'US-2', title: 'A receipt', status: 'uncovered' }],
      ['RECÉIPT a', { type: 'story', id: 'US-2' }],
      ['stories.md', { type: 'document', id: 'stories.md', detail: 'stories.md' }],
      ['#2', { type: 'issue', title: 'Other', detail: '#2', status: 'open', untrusted: false }],
      ['2', { type: 'issue', title: 'Other' }],
      ['ABCD', { type: 'run', title: 'Receipt nightly', detail: 'abcdef0123', status: 'failed' }],
      ['receipts', { type: 'command', detail: 'receipts', status: 'active' }],
      ['100%', { type: 'test', title: 'Receipt > prints 100%', detail: 'a.test.ts' }],
      ['receipt_x', { type: 'test', title: 'a receipt_x', status: 'passed' }],
    ];
    for (const [search, first] of cases)
      expect((await find(project, search))[0]).toMatchObject(first);
    for (const { type, id } of found) {
      const [itself] = await find(project, id);
      expect(itself).toMatchObject({ type, id });
    }
    for (const search of ['%', 'r_ceipt', '#99', ' ', '"', 'abcg'])
      expect((await find(project, search)).filter(({ title }) => !title.includes(search))).toEqual(
        [],
      );
  });

  flow('answers 20 at most, of no other project, with a tag', OWN, async (api) => {
    const other = await begin(api);
    const project = await makeRequirementProject(api, {}, '-many');
    const story = (at: number) => `## ST-${at}: A receipt ${at}\n\nText.\n\n`;
    await project.bring({
      'a.md': `# A\n\n${Array.from({ length: 40 }, (_, at) => story(at)).join('')}`,
    });
    await fill(api, project);
    const found = await find(project, 'receipt');
    const types = Map.groupBy(found, ({ type }) => type);
    expect([found.length, types.get('issue')?.length, types.get('test')?.length]).toEqual([
      20, 2, 1,
    ]);
    expect((await find(other, 'nightly')).concat(await find(other, 'receipt_x'))).toEqual([]);
    const query = { search: 'receipt' };
    const etag = (await api.get(PATH, { ...project.as, query })).must(200).header('etag') ?? '';
    const headers = { ...project.as.headers, 'if-none-match': etag };
    (await api.get(PATH, { headers, query })).must(304);
    const refused: [object, string][] = [
      [{ search: '' }, '/search'],
      [{ search: 'a', include: 'caller' }, '/include'],
    ];
    for (const [more, pointer] of refused)
      (await api.get(PATH, { ...project.as, query: { ...more } })).mustBe(422, 'invalid', pointer);
  });
});

// Documents in the order of reading: which there are, and what stands in one.
import { describe, expect } from 'bun:test';
import type { Static } from '@sinclair/typebox';
import type { DocumentItem, DocumentPage, DocumentTree } from '../../src/assurance/graph/model.ts';
import type { Overlay } from '../../src/requirements/overlay/model.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import type { Page } from '../support/shapes.ts';
import { begin, link } from '../support/traceability-project.ts';
import { walkPages } from '../support/walk-pages.ts';

const OWN = { ownBecause: 'it makes a project' };
const PATH = '/srs-graph';
const VIEW = { view: 'document' };

const treeOf = async ({ get }: RequirementProject) =>
  (await get<DocumentTree>(PATH, VIEW)).documents;
const read = ({ get }: RequirementProject, root: string, query: object = {}) =>
  get<Page<DocumentItem>>(PATH, { ...VIEW, root, ...query });
const idsOf = ({ items }: Page<DocumentItem>) => items.map(({ node }) => node.id);

const requirement = (id: string) => `[REQUIREMENT]\nUID: ${id}\nSTATEMENT: It does ${id}.\n\n`;
const NESTED = {
  'all.sdoc': `[DOCUMENT]\nTITLE: All\n\n[DOCUMENT_FROM_FILE]\nFILE: one.sdoc\n\n${requirement('R-9')}`,
  'one.sdoc': `[DOCUMENT]\nTITLE: One\n\n[[SECTION]]\nTITLE: Part\n\n${requirement('R-1')}[[/SECTION]]\n`,
};

async function report(api: Client, { as }: RequirementProject, ...statuses: string[]) {
  const results = statuses.map((status, at) => ({
    ...{ name: `test ${at}`, status, storyIds: ['US-2'] },
  }));
  (await api.post('/test-runs', { name: 'unit', results }, as)).must(201);
}

describe('view=document [PQRS-17]', () => {
  flow('lists documents with the figures of what is nearest to them', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    await project.bring(NESTED);
    (await api.post('/story-additions', { storyId: 'NEW-1', title: 'New' }, project.as)).must(201);
    expect(await treeOf(project)).toEqual([
      {
        ...{ id: 'all.sdoc', title: 'All', path: 'all.sdoc', parentId: null },
        ...{ items: 1, requirements: 1, statuses: { uncovered: 1 } },
      },
      {
        ...{ id: 'one.sdoc', title: 'One', path: 'one.sdoc', parentId: 'all.sdoc' },
        ...{ items: 2, requirements: 1, statuses: { uncovered: 1 } },
      },
      {
        ...{ id: null, title: null, path: null, parentId: null },
        ...{ items: 1, requirements: 1, statuses: { uncovered: 1 } },
      },
    ]);
    expect(idsOf(await read(project, 'all.sdoc'))).toEqual(['all.sdoc', 'R-9']);
    expect(idsOf(await read(project, ''))).toEqual(['NEW-1']);
    const { items } = await read(project, 'one.sdoc');
    expect(items.map(({ node, depth }) => `${node.kind} ${depth}`)).toEqual([
      ...['document 0', 'section 1', 'requirement 2'],
    ]);
    expect(items[2]?.parentId).toBe(items[1]?.node.id ?? '');
  });

  flow('says of each item where it stands and what lies on it', OWN, async (api) => {
    const project = await begin(api);
    const { as } = project;
    await link(api, project, 'US-2');
    await report(api, project, 'passed', 'failed');
    (await api.post('/issues', { title: 'Lost', storyIds: ['US-2'] }, as)).must(201);
    const edit = { storyId: 'US-2', set: { title: 'A bill' }, reason: 'the law' };
    (await api.post('/story-edits', edit, as)).must(201);
    const { items } = await read(project, 'stories.md');
    const [document, first, second, rejected] = items;
    expect(document).toMatchObject({ status: null, inherited: false, depth: 0, parentId: null });
    expect(first).toMatchObject({ status: 'failing', inherited: true, up: [], down: 2 });
    expect(second).toMatchObject({
      ...{ node: { id: 'US-2', title: 'A bill' }, status: 'failing', inherited: false },
      tests: { passed: 1, failed: 1, broken: 0, skipped: 0, unknown: 0, notRun: 1 },
      issues: [{ number: 1, status: 'open' }],
      up: [{ type: 'refines', id: 'US-1', title: 'Paying once', status: 'ok' }],
      overlays: [{ overlay: 'edit', state: 'accepted', reason: 'the law', set: edit.set }],
    });
    expect(second?.findings.map(({ code }) => code)).toContain('no_acceptance_criteria');
    expect(rejected).toMatchObject({ node: { id: 'US-3' }, status: null });
    const overlay = second?.overlays[0] as Static<typeof Overlay>;
    expect(overlay).toEqual(await project.get(PATH, { view: 'overlays', id: overlay.id }));
  });

  flow('is read page by page in the order of its revision', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    const story = (id: string) => `## ${id}: Title\n\nText.\n\n`;
    const bring = (...ids: string[]) =>
      project.bring({ 'a.md': `# A\n\n${ids.map(story).join('')}` });
    await bring('US-1', 'US-2', 'US-3');
    const query = { ...VIEW, root: 'a.md', limit: 2 };
    const nameOf = ({ node }: DocumentItem) => node.id;
    const writes = [() => bring('US-4', 'US-3', 'US-1')];
    const pages = await walkPages(project, PATH, query, nameOf, writes);
    expect(pages).toEqual([['a.md', 'US-1'], ['US-3']]);
    expect(idsOf(await read(project, 'a.md'))).toEqual(['a.md', 'US-4', 'US-3', 'US-1']);
  });

  flow('begins half a page before a node of it', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    const stories = [1, 2, 3, 4, 5, 6].map((at) => `## US-${at}: Title\n\nText.\n\n`);
    await project.bring({ 'a.md': `# A\n\n${stories.join('')}`, ...NESTED });
    const around = (at: string, limit: number, query: object = {}) =>
      project.get<DocumentPage>(PATH, { ...VIEW, at, limit, ...query });
    const page = await around('US-4', 4);
    expect(page).toMatchObject({ document: 'a.md', before: 2 });
    expect(idsOf(page)).toEqual(['US-2', 'US-3', 'US-4', 'US-5']);
    const next = await around('US-4', 4, { cursor: page.nextCursor });
    expect([next.before, idsOf(next), next.nextCursor]).toEqual([6, ['US-6'], null]);
    expect(await around('US-1', 4)).toMatchObject({ before: 0, items: { length: 4 } });
    expect(await around('R-1', 9)).toMatchObject({ document: 'one.sdoc', before: 0 });
  });

  flow('has an entity tag and refuses what is no document', OWN, async (api) => {
    const project = await begin(api);
    for (const query of [VIEW, { ...VIEW, root: 'stories.md' }]) {
      const etag = (await api.get(PATH, { ...project.as, query })).must(200).header('etag') ?? '';
      const headers = { ...project.as.headers, 'if-none-match': etag };
      (await api.get(PATH, { headers, query })).must(304);
    }
    const refused: [object, number, string][] = [
      [{ root: 'US-1' }, 422, '/root'],
      [{ root: 'none.md' }, 404, '/root'],
      [{ at: 'none' }, 404, '/at'],
      [{ root: 'stories.md', at: 'US-1' }, 422, '/at'],
      [{ limit: 1 }, 422, '/limit'],
      [{ root: 'stories.md', depth: 1 }, 422, '/depth'],
      [{ root: 'stories.md', cursor: 'x' }, 422, '/cursor'],
    ];
    for (const [more, status, pointer] of refused) {
      const query = { ...VIEW, ...more };
      const answer = (await api.get(PATH, { ...project.as, query })).must(status);
      expect(answer.json<object>()).toMatchObject({ errors: [{ pointer }] });
    }
  });
});

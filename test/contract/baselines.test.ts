// Baselines: revisions by the names that they were given.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';
import type { Audit, Graph } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project' };

interface Named {
  baselines: { name: string; revision: number; note: string | null }[];
}

async function makeProject(api: Client) {
  const project = await makeRequirementProject(api, {}, 'baselines');
  const { slug, as } = project;
  const text = (statement: string) => ({ 'a.md': `# US-1: Paying\n\n${statement}\n` });
  await project.bring(text('Once.'));
  await project.bring(text('Twice.'));
  return {
    ...project,
    text,
    named: async (baseline: object) => api.post('/projects', { slug, baseline }, as),
    list: async () => {
      const answer = await api.get('/projects', { ...as, query: { include: 'baselines' } });
      return answer.must(200).json<{ items: [Named] }>().items[0].baselines;
    },
  };
}

describe('baselines [PQRS-7]', () => {
  flow('name a revision for good, and stand where a revision does', OWN, async (api) => {
    const project = await makeProject(api);
    (await project.named({ name: '1.0', revision: 1, note: 'As shipped' })).must(200);
    (await project.named({ name: '2.0' })).must(200);
    (await project.named({ name: '2.0', revision: 2 })).must(200);
    expect(await project.list()).toMatchObject([
      { name: '2.0', revision: 2, note: null },
      { name: '1.0', revision: 1, note: 'As shipped' },
    ]);
    const query = { baseline: '1.0' };
    const graph = await project.get<Graph>('/srs-graph', query);
    expect(graph).toEqual(await project.get<Graph>('/srs-graph', { revision: 1 }));
    expect(graph).toMatchObject({ revision: 1 });
    expect(await project.get<Audit>('/srs-source-audit', query)).toMatchObject({ revision: 1 });
  });

  flow('name the revision that comes with them', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring(project.text('Thrice.'), { baseline: { name: 'third' } });
    expect(await project.list()).toMatchObject([{ name: 'third', revision: 3 }]);
  });

  flow('are refused where they name nothing, or something else', OWN, async (api) => {
    const project = await makeProject(api);
    (await project.named({ name: 'first', revision: 1 })).must(200);
    const refused: [object, number, string, string][] = [
      [{ name: 'first', revision: 2 }, 409, 'conflict', '/baseline/name'],
      [{ name: 'later', revision: 3 }, 404, 'not_found', '/baseline/revision'],
      [{ name: '17' }, 422, 'invalid', '/baseline/name'],
      [{ name: ' a' }, 422, 'invalid', '/baseline/name'],
      [{ revision: 1 }, 422, 'invalid', '/baseline/name'],
    ];
    for (const [baseline, status, code, pointer] of refused) {
      const answer = (await project.named(baseline)).mustBe(status, code);
      expect(answer.json<object>()).toMatchObject({ errors: [{ pointer }] });
    }
    expect(await project.list()).toHaveLength(1);
    for (const path of ['/srs-graph', '/srs-source-audit']) {
      const ask = (query: object) => api.get(path, { ...project.as, query: { ...query } });
      (await ask({ baseline: 'absent' })).mustBe(404, 'not_found');
      (await ask({ baseline: 'first', revision: 1 })).mustBe(422, 'invalid');
    }
  });
});

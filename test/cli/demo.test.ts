// `--demo`: the project `demo` has the requirements of pqrs itself, those of the executable that runs.
import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDemo } from '../../src/cli/demo.ts';
import { importRevision } from '../../src/cli/import-revision.ts';
import { DEMO_SOURCES } from '../../src/demo/sources.ts';
import { readSettings } from '../../src/requirements/settings.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { openWorkplace } from '../support/running-executable.ts';

const opened: Instance[] = [];

async function open(settings: object = { demo: true }) {
  const instance = await openInstance({ demo: true });
  opened.push(instance);
  const { id, token } = await instance.makeProject('demo', settings);
  async function read<T>(path: string): Promise<T> {
    const answer = await instance.fetch(`/api${path}`, { token });
    expect(answer.status).toBe(200);
    return (await answer.json()) as T;
  }
  return {
    instance,
    async put(author: string, text: string) {
      await importRevision(instance.evidence, {
        projectId: id,
        files: [{ path: '1-goals.md', bytes: Buffer.from(text), format: null }],
        mode: 'replace',
        baseRevision: undefined,
        normative: readSettings('{}').normative,
        actor: { tokenId: author, label: null },
        now: Date.now(),
      });
    },
    load: () => loadDemo(instance.evidence),
    async project() {
      const { items } = await read<{
        items: { revision: number; sources: { path: string; status: string }[] }[];
      }>('/projects');
      return items[0]!;
    },
  };
}

afterAll(async () => {
  for (const instance of opened) await instance.close();
});

describe('the demo project [PQRS-70]', () => {
  test('is read by its token as soon as the server says that it is ready', async () => {
    const place = await openWorkplace('demo-content');
    const served = await place.serve(['--demo']);
    const token = readFileSync(join(place.folder, 'pqrs-data', 'demo.token'), 'utf8').trim();
    const read = async (path: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${served.address}/api${path}`, { headers });
      expect(answer.status).toBe(200);
      return answer.json() as Promise<Record<string, never>>;
    };
    const graph = await read('/srs-graph?kind=story');
    const ids = (graph.nodes as unknown as { id: string }[]).map(({ id }) => id);
    expect(ids).toContain('PQRS-1');
    expect(await read('/srs-source-audit')).toMatchObject({
      revision: 1,
      summary: { errors: 0, warnings: 0 },
    });
    await served.stop();
    const again = await place.serve(['--demo']);
    const answer = await fetch(`${again.address}/api/projects`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await answer.json()).toMatchObject({ items: [{ slug: 'demo', revision: 1 }] });
    await again.stop();
  });

  test('is there with its content after init too', async () => {
    const place = await openWorkplace('demo-init');
    expect(await place.run(['init'], { PQRS_DEMO: 'true' })).toMatchObject({ code: 0, err: '' });
    const list = JSON.parse((await place.run(['project', 'list', '--json'])).out);
    expect(list).toEqual(
      expect.arrayContaining([expect.objectContaining({ slug: 'demo', revision: 1 })]),
    );
  });

  test('gets every source once, however often it is loaded', async () => {
    const { load, project } = await open();
    await load();
    await load();
    const { revision, sources } = await project();
    expect(revision).toBe(1);
    expect(sources.map(({ path }) => path)).toEqual(DEMO_SOURCES.map(({ path }) => path).sort());
    expect(new Set(sources.map(({ status }) => status))).toEqual(new Set(['parsed']));
  });

  test('gets those of a newer executable as its next revision', async () => {
    const { load, project, put } = await open();
    await put('demo', '# Goals\n\n## GOAL-1: An older goal\n\nIt shall be older.\n');
    await load();
    const { revision, sources } = await project();
    expect(revision).toBe(2);
    expect(sources).toHaveLength(DEMO_SOURCES.length);
  });

  test('keeps what somebody else has imported', async () => {
    const { load, project, put } = await open();
    await load();
    await put('tok_somebody', '# Mine\n\n## US-1: Mine\n\nIt shall stay.\n');
    await load();
    expect(await project()).toMatchObject({ revision: 2, sources: [{ path: '1-goals.md' }] });
  });

  test('is none where the project of that name is no demo', async () => {
    const { load, project } = await open({});
    await load();
    expect(await project()).toMatchObject({ revision: 0, sources: [] });
  });

  test('that cannot get its sources is told of, and ends nothing', async () => {
    const { instance, project } = await open();
    const broken = { ...instance.evidence, clock: () => Number.NaN };
    await loadDemo(broken);
    expect(instance.logged()).toContain('the demo project did not get its sources');
    expect(await project()).toMatchObject({ revision: 0 });
  });
});

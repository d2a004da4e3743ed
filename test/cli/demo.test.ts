// `--demo`: the project `demo` has the requirements of pqrs itself, those of the executable that runs.
import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCommand } from '../../src/agents/commands/commands.ts';
import { draftCommand } from '../../src/agents/commands/model.ts';
import { importRevision } from '../../src/cli/administration/administration.ts';
import { loadDemo } from '../../src/cli/administration/demo.ts';
import { DEMO_SOURCES, demoCommands } from '../../src/demo/content.ts';
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
        confirm: true,
        projectId: id,
        files: [{ path: '1-goals.md', bytes: Buffer.from(text), format: null }],
        mode: 'replace',
        baseRevision: undefined,
        actor: { tokenId: author, label: null },
        now: Date.now(),
      });
    },
    id,
    read,
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
  test('is made by init, and read by its token while the server runs with --demo', async () => {
    const place = await openWorkplace('demo-content');
    expect(await place.run(['init'], { PQRS_DEMO: 'true' })).toMatchObject({ code: 0, err: '' });
    const token = readFileSync(join(place.folder, 'pqrs-data', 'demo.token'), 'utf8').trim();
    const get = (address: string, path: string) =>
      fetch(`${address}/api${path}`, { headers: { authorization: `Bearer ${token}` } });
    const served = await place.serve(['--demo']);
    const projects = await get(served.address, '/projects');
    expect(await projects.json()).toMatchObject({ items: [{ slug: 'demo', revision: 1 }] });
    const audit = await get(served.address, '/srs-source-audit');
    expect(await audit.json()).toMatchObject({
      revision: 1,
      summary: { errors: 0, warnings: 0 },
    });
    await served.stop();
    const plain = await place.serve();
    expect((await get(plain.address, '/projects')).status).toBe(403);
    await plain.stop();
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

  test('gets every command, but beside none that is there', async () => {
    const { load, read } = await open();
    await load();
    const { items } = await read<{ items: object[] }>('/test-commands?limit=200');
    expect(items).toHaveLength(Math.min(200, demoCommands().length));
    const other = await open();
    await other.instance.evidence.database.write((db) =>
      createCommand(db, {
        ...{ projectId: other.id, columns: draftCommand({ key: 'k', kind: 'manual' }, 0) },
        ...{ secrets: undefined, now: 0, actor: { tokenId: 'tok_somebody', label: null } },
      }),
    );
    await other.load();
    expect((await other.read<{ items: object[] }>('/test-commands')).items).toHaveLength(1);
  });

  test('keeps what somebody else has imported', async () => {
    const { load, project, put } = await open();
    await load();
    await put('tok_somebody', '# Mine\n\n## US-1: Mine\n\nIt shall stay.\n');
    await load();
    expect(await project()).toMatchObject({ revision: 2, sources: [{ path: '1-goals.md' }] });
  });
});

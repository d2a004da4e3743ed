// `--demo`: the project `demo` has the requirements of pqrs itself, those of the executable that runs.
import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCommand } from '../../src/agents/commands/commands.ts';
import type { CommandInput } from '../../src/agents/commands/model.ts';
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

  test('has its commands as those of a newer executable are, in the states they were put in', async () => {
    const { instance, id, load, read } = await open();
    const [first, second, third] = demoCommands();
    const command = async (key: string) => {
      const page = await read<{ items: { storyIds: string[]; state: string; version: number }[] }>(
        `/test-commands?key=${key}`,
      );
      return page.items[0];
    };
    const columns = (input: Partial<CommandInput>) =>
      draftCommand({ key: 'k', kind: 'manual', ...input }, 0);
    const add = (input: Partial<CommandInput>, tokenId: string) =>
      instance.evidence.database.write((db) =>
        createCommand(db, {
          ...{ projectId: id, columns: columns(input), secrets: undefined, now: 0 },
          actor: { tokenId, label: null },
        }),
      );
    await add({ ...first!, storyIds: ['PQRS-1000'], state: 'disabled' }, 'demo');
    await add({ ...second!, storyIds: ['PQRS-1000'] }, 'tok_somebody');
    await add({ key: 'test/gone.test.ts' }, 'demo');
    await load();
    expect(await command(first!.key)).toMatchObject({
      ...{ storyIds: first!.storyIds, state: 'disabled', version: 2 },
    });
    expect(await command(second!.key)).toMatchObject({ storyIds: ['PQRS-1000'], version: 1 });
    expect(await command(third!.key)).toMatchObject({ storyIds: third!.storyIds, version: 1 });
    expect(await command('test/gone.test.ts')).toMatchObject({ state: 'archived' });
  });

  test('keeps what somebody else has imported', async () => {
    const { load, project, put } = await open();
    await load();
    await put('tok_somebody', '# Mine\n\n## US-1: Mine\n\nIt shall stay.\n');
    await load();
    expect(await project()).toMatchObject({ revision: 2, sources: [{ path: '1-goals.md' }] });
  });
});

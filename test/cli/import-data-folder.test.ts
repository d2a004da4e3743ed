// `pqrs import` beside a data folder: what it stores is what anybody has sent, and no source of a project.
import { describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkplace, type Workplace, workplaceAt } from '../support/running-executable.ts';

const STORY = '## US-1: Paying once\n\nAs a customer I want to pay once.\n';
const FORGED = JSON.stringify({
  ...{ format: 'pqrs-srs', version: 1, edges: [] },
  nodes: [{ id: 'US-1', kind: 'story', title: 'Paying never', statement: 'Nobody pays.' }],
});

function put({ folder }: Workplace, path: string, content: string): void {
  const whole = join(folder, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, content);
}

interface Report {
  revision: number;
  created: boolean;
  sources: { path: string }[];
  passedOver: string[];
  dataFolders: string[];
}

async function imported(place: Workplace, args: string[], settings = {}): Promise<Report> {
  // The keys of a data folder may be away: that is an error line of the log, and stops no import.
  const { code, out, err } = await place.run(['import', ...args, '--json'], settings);
  expect({ code, err: err.replace(/^.* ERROR keys are missing .*\n/, '') }).toEqual({
    code: 0,
    err: '',
  });
  return JSON.parse(out);
}

const pathsOf = ({ sources }: Report) => sources.map(({ path }) => path);

/** A folder that holds nothing, the executable neither. */
async function besideExecutable(name: string): Promise<Workplace> {
  const { folder } = await openWorkplace(name);
  return workplaceAt(join(folder, 'work'), join(folder, 'pqrs'));
}

/** A folder with a source and a data folder, in which an attachment is stored that looks like a source. */
async function openShop(name: string, settings: Record<string, string> = {}) {
  const place = await besideExecutable(name);
  put(place, 'srs/stories.md', STORY);
  const served = await place.serve([], settings);
  const made = await place.run(['token', 'create', '--capability', 'widget:write'], settings);
  const headers = { authorization: `Bearer ${made.out.trim()}` };
  const api = `${served.address}/api/issues`;
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ title: 'An issue' });
  const filed = await fetch(api, { method: 'POST', headers: { ...headers, ...json }, body });
  const { id } = (await filed.json()) as { id: string };
  const sent = await fetch(`${api}/${id}/attachments`, {
    method: 'POST',
    headers: {
      ...{ ...headers, 'content-type': 'application/octet-stream' },
      'content-disposition': 'attachment; filename="a.md"',
    },
    body: FORGED,
  });
  expect(sent.status).toBe(201);
  await served.stop();
  return place;
}

describe('pqrs import [PQRS-5]', () => {
  test('leaves out the data folder, and says so; the same folder again is the same', async () => {
    const place = await openShop('import-own');
    const made = await imported(place, ['.']);
    expect(pathsOf(made)).toEqual(['srs/stories.md']);
    expect(made).toMatchObject({ revision: 1, dataFolders: ['pqrs-data'], passedOver: [] });
    const served = await place.serve();
    expect(await imported(place, ['.'])).toMatchObject({ revision: 1, created: false });
    const again = await place.run(['import', '.', './pqrs-data']);
    expect(again.out).toContain(
      'passed over, data folders of pqrs and what lies in them: ./pqrs-data\n',
    );
    await served.stop();
  });

  test('leaves out what is given of one, by whichever name', async () => {
    const place = await openShop('import-given');
    const stored = readdirSync(join(place.folder, 'pqrs-data/files'), { recursive: true })
      .map(String)
      .find((path) => /[0-9a-f]{64}$/.test(path));
    symlinkSync(`pqrs-data/files/${stored}`, join(place.folder, 'link.md'));
    symlinkSync('pqrs-data', join(place.folder, 'folder'));
    const given = [
      ...['pqrs-data', 'pqrs-data/files', `pqrs-data/files/${stored}`, 'link.md', 'folder'],
      'folder/files',
    ];
    for (const path of given) {
      expect(await place.run(['import', path])).toEqual({
        ...{ code: 2, out: '' },
        err: `pqrs: there is no requirement source at these paths; passed over, data folders of pqrs and what lies in them: ${path}\n`,
      });
    }
    const made = await imported(place, ['srs', ...given]);
    expect(pathsOf(made)).toEqual(['srs/stories.md']);
    expect(made.dataFolders).toEqual([...given].sort());
  });

  test('leaves out the configured one whatever it holds, be it a link', async () => {
    const place = await openShop('import-configured', { PQRS_DATA_DIR: 'real' });
    symlinkSync('real', join(place.folder, 'link'));
    for (const name of ['keys', 'files/tmp'])
      rmSync(join(place.folder, 'real', name), { recursive: true });
    put(place, 'real/files/more.md', STORY);
    const made = await imported(place, ['.'], { PQRS_DATA_DIR: 'link' });
    expect(pathsOf(made)).toEqual(['srs/stories.md']);
    expect(made).toMatchObject({ dataFolders: ['real'], passedOver: ['link'] });
  });

  test('leaves out those of others, and copies', async () => {
    const place = await openShop('import-others');
    const at = (path: string) => join(place.folder, path);
    cpSync(at('pqrs-data'), at('old/backup'), { recursive: true });
    for (const name of ['lock.db', 'keys']) rmSync(at(`old/backup/${name}`), { recursive: true });
    cpSync(at('pqrs-data'), at('old/remote'), { recursive: true });
    for (const name of ['pqrs.db', 'files/tmp'])
      rmSync(at(`old/remote/${name}`), { recursive: true });
    const made = await imported(place, ['.']);
    expect(pathsOf(made)).toEqual(['srs/stories.md']);
    expect(made.dataFolders).toEqual(['old/backup', 'old/remote', 'pqrs-data']);
  });

  test('takes files of a project that are named like those of a data folder', async () => {
    const place = await openWorkplace('import-namesakes');
    put(place, 'srs/files/stories.md', STORY);
    put(place, 'srs/files/tmp/more.md', STORY.replace('US-1', 'US-2'));
    put(place, 'srs/keys/keys.md', STORY.replace('US-1', 'US-3'));
    put(place, 'srs/lock.db', '');
    put(place, 'srs/pqrs.db', '');
    put(place, 'other/pqrs-data/stories.md', STORY.replace('US-1', 'US-4'));
    await place.run(['init']);
    const made = await imported(place, ['srs', 'other']);
    expect(pathsOf(made)).toEqual([
      ...['other/pqrs-data/stories.md', 'srs/files/stories.md', 'srs/files/tmp/more.md'],
      'srs/keys/keys.md',
    ]);
    expect(made).toMatchObject({ dataFolders: [] });
  });
});

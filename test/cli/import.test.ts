// `pqrs import`: folders of requirement files become revisions, beside a running server and without.
import { describe, expect, test } from 'bun:test';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { openWorkplace, type Workplace, workplaceAt } from '../support/running-executable.ts';

const STORY = '## US-1: Paying once\n\nAs a customer I want to pay once.\n';
const story = (id: string | number) => STORY.replace('US-1', `US-${id}`);

/** An instance without a server, in a folder that holds nothing else. */
async function openShop(name: string): Promise<Workplace> {
  const { folder } = await openWorkplace(name);
  const place = workplaceAt(join(folder, 'work'), join(folder, 'pqrs'));
  await place.run(['init']);
  return place;
}

function put({ folder }: Workplace, path: string, content: string): void {
  const whole = join(folder, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, content);
}

interface Report {
  revision: number;
  created: boolean;
  sources: { path: string; status: string; items: number }[];
  passedOver: string[];
}

async function imported(place: Workplace, args: string[], settings = {}): Promise<Report> {
  const { code, out, err } = await place.run(['import', ...args, '--json'], settings);
  // The keys of a data folder may be away: that is an error line of the log, and stops no import.
  expect([code, err.replace(/^.* ERROR keys are missing .*\n/, '')]).toEqual([0, '']);
  return JSON.parse(out);
}

const pathsOf = ({ sources }: Report) => sources.map(({ path }) => path);

/** What a command shows on a terminal; `<clear>` where it clears the line. */
async function onTerminal({ folder }: Workplace, args: string[]): Promise<string> {
  const decoder = new TextDecoder();
  let shown = '';
  const terminal = new Bun.Terminal({
    cols: 100,
    rows: 30,
    data(_terminal, bytes) {
      shown += decoder.decode(bytes, { stream: true });
    },
  });
  const child = Bun.spawn([join(folder, '../pqrs'), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm' },
    terminal,
  });
  await child.exited;
  // What was written last may still be on its way.
  for (let before = -1; before < shown.length; await Bun.sleep(50)) before = shown.length;
  terminal.close();
  return shown.replaceAll('\r\u001b[2K', '<clear>');
}

describe('pqrs import [PQRS-5]', () => {
  test('takes what a reader knows below a folder, and leaves the rest', async () => {
    const place = await openShop('import');
    put(place, 'srs/stories.md', STORY);
    put(place, 'srs/login.feature', '@US-1\nFeature: Login\n  Scenario: one\n    Given a\n');
    put(place, 'srs/node_modules/x/readme.md', story(9));
    put(place, 'srs/tests/fixtures/sample.md', story(7));
    put(place, 'srs/.git/config', '');
    put(place, 'srs/logo.png', '\u0089PNG');
    put(place, 'srs/large.bin', '');
    truncateSync(join(place.folder, 'srs/large.bin'), 64 * 2 ** 20 + 1);
    put(place, 'more.md', story(2));
    symlinkSync('../more.md', join(place.folder, 'srs/link.md'));
    symlinkSync('srs', join(place.folder, 'link'));
    for (const name of ['srs/pipe.md', 'alone.md'])
      Bun.spawnSync(['mkfifo', join(place.folder, name)]);
    const report = await imported(place, ['srs', 'alone.md']);
    expect(report).toMatchObject({ project: 'default', revision: 1, created: true });
    expect(pathsOf(report)).toEqual(['srs/login.feature', 'srs/stories.md']);
    expect(report.passedOver).toEqual([
      ...['alone.md', 'srs/.git', 'srs/large.bin', 'srs/link.md', 'srs/logo.png'],
      ...['srs/node_modules', 'srs/pipe.md', 'srs/tests'],
    ]);
    const again = await place.run(['import', 'srs', 'alone.md']);
    expect(again.out).toContain('nothing has changed since revision 1');
    expect(again.out).toContain('srs/logo.png and 3 more\n');
    // What is given is taken: a folder of tests, and through a link.
    const named = await imported(place, ['srs', 'srs/tests/fixtures', 'srs/link.md']);
    expect(pathsOf(named)).toEqual([
      ...['link.md', 'login.feature', 'stories.md', 'tests/fixtures/sample.md'],
    ]);
    const linked = await imported(place, ['link', '--yes']);
    expect(pathsOf(linked)).toEqual(['login.feature', 'stories.md']);
  });

  test('knows files of one name in several folders apart, each once under its own name', async () => {
    const place = await openShop('import-several');
    put(place, 'in/p1/x.md', STORY);
    put(place, 'in/p2/x.md', story(2));
    put(place, 'in/d/.doorstop.yml', 'settings: {digits: 3, prefix: REQ}\n');
    put(place, 'in/d/REQ001.yml', 'level: 1.0\ntext: |\n  It shall be.\n');
    const paths = ['in/p1', 'in/p2', 'in/d'];
    const first = await imported(place, paths);
    const names = ['d/.doorstop.yml', 'd/REQ001.yml', 'p1/x.md', 'p2/x.md'];
    expect(pathsOf(first)).toEqual(names);
    const again = await imported(place, [...paths.toReversed(), 'in/p1/x.md', './in//p1']);
    expect(again).toMatchObject({ revision: 1, created: false, passedOver: [] });
    expect(pathsOf(await imported(place, ['in/p1', '--yes']))).toEqual(['x.md']);
    const below = await imported(place, ['in/p1', 'in/p1/x.md']);
    expect(below).toMatchObject({ revision: 2, created: false });
  });

  test('reads large sets in a worker of a running server [PQRS-16]', async () => {
    const place = await openShop('import-running');
    const many = Array.from(
      { length: 3000 },
      (_, at) => `## REQ-${at}: Number ${at}\n\nThe system shall do ${at}.\n`,
    );
    put(place, 'srs/many.md', many.join('\n'));
    const served = await place.serve();
    expect((await place.run(['import', 'srs'])).out).toMatch(/revision 1: 3001 nodes/);
    await served.stop();
  });

  test('shows its progress on a terminal, beside a running server and without, and not with --json', async () => {
    const place = await openShop('import-terminal');
    const served = await place.serve();
    put(place, 'srs/stories.md', STORY);
    expect(await onTerminal(place, ['import', 'srs'])).toMatch(
      /<clear>storing \d+ %.*<clear>STATUS/s,
    );
    await served.stop();
    put(place, 'srs/more.md', story(2));
    const json = await onTerminal(place, ['import', 'srs', '--json']);
    expect(json).toStartWith('{');
    expect(json).not.toContain('<clear>');
    put(place, 'srs/more.md', story(3));
    expect(await onTerminal(place, ['import', 'srs'])).toMatch(
      /storing \d+ %.*<clear>STATUS.*revision 3/s,
    );
  });

  test('says why nothing was imported', async () => {
    const place = await openShop('import-why');
    put(place, 'a.md', STORY);
    put(place, 'in/b.json', '{"versions":');
    put(place, 'in/c.reqif', '<REQ-IF');
    mkdirSync(join(place.folder, 'empty'));
    for (const [args, code, text] of [
      [[], 2, 'takes PATH'],
      [['nowhere'], 2, 'nothing at nowhere'],
      [['empty'], 2, 'no requirement source'],
      [['a.md', '--project', 'other'], 1, 'no project "other"'],
    ] as const) {
      const ended = await place.run(['import', ...args]);
      expect(ended.code).toBe(code);
      expect(ended.err).toContain(text);
    }
    const served = await place.serve();
    const unread = await place.run(['import', 'in', '--json']);
    expect(unread).toMatchObject({ code: 1, out: '' });
    expect(unread.err).toMatch(/^pqrs: .*\n {2}b\.json:1: .*\n {2}c\.reqif:1: .*\n$/);
    await served.stop();
  });
});

describe('a data folder among what is imported [PQRS-5]', () => {
  const FORGED = JSON.stringify({
    ...{ format: 'pqrs-srs', version: 1, edges: [] },
    nodes: [{ id: 'US-1', kind: 'story', title: 'Paying never', statement: 'Nobody pays.' }],
  });

  /** A source and a data folder, in which a file is stored that looks like a source. */
  async function openStored(name: string): Promise<Workplace & { stored: string }> {
    const place = await openShop(name);
    put(place, 'srs/stories.md', STORY);
    const stored = `pqrs-data/files/ab/cd/${'a'.repeat(64)}`;
    put(place, stored, FORGED);
    return { ...place, stored };
  }

  test('is left out, whichever name it or its content is given by', async () => {
    const place = await openStored('import-given');
    const made = await imported(place, ['.']);
    expect(pathsOf(made)).toEqual(['srs/stories.md']);
    expect(made).toMatchObject({ revision: 1, passedOver: ['pqrs-data'] });
    symlinkSync(place.stored, join(place.folder, 'link.md'));
    symlinkSync('pqrs-data', join(place.folder, 'folder'));
    const given = ['pqrs-data', 'pqrs-data/files', place.stored, 'link.md', 'folder/files'];
    for (const path of given) {
      const ended = await place.run(['import', path]);
      expect(ended).toMatchObject({ code: 2, out: '' });
      expect(ended.err).toContain(path);
    }
    const all = await imported(place, ['srs', ...given]);
    expect(pathsOf(all)).toEqual(['srs/stories.md']);
    expect(all.passedOver).toEqual([...given].sort());
  });

  test('is left out as configured whatever it holds, be it a link, and so are those of others', async () => {
    const place = await openStored('import-configured');
    const at = (path: string) => join(place.folder, path);
    cpSync(at('pqrs-data'), at('old/backup'), { recursive: true });
    for (const name of ['lock.db', 'keys']) rmSync(at(`old/backup/${name}`), { recursive: true });
    cpSync(at('pqrs-data'), at('old/remote'), { recursive: true });
    rmSync(at('old/remote/pqrs.db'));
    symlinkSync('pqrs-data', at('link'));
    rmSync(at('pqrs-data/keys'), { recursive: true });
    for (const name of readdirSync(at('pqrs-data/files')))
      if (name !== 'folder.id') rmSync(at(`pqrs-data/files/${name}`), { recursive: true });
    put(place, 'pqrs-data/files/more.md', STORY);
    const made = await imported(place, ['.'], { PQRS_DATA_DIR: 'link' });
    expect(pathsOf(made)).toEqual(['srs/stories.md']);
    expect(made.passedOver).toEqual(['link', 'old/backup', 'old/remote', 'pqrs-data']);
  });
});

describe('pqrs import --url [PQRS-5]', () => {
  test("sends sources with an editor's token, and says before what they would change", async () => {
    const place = await openShop('import-url');
    put(place, 'srs/a.md', `${STORY}\n${story(2)}\nDepends on: US-9\n`);
    const made = await place.run(['token', 'create', '--capability', 'srs:edit', '--json']);
    put(place, 'editor.token', JSON.parse(made.out).token);
    const served = await place.serve();
    const at = ['--url', served.address, '--token-file', 'editor.token'];
    const run = (...args: string[]) => place.run(['import', 'srs', ...at, ...args]);
    const first = await run('--fail-on', 'error');
    expect([first.code, first.err]).toEqual([1, 'pqrs: 1 findings are error or worse\n']);
    expect(first.out).toMatch(/^srs\/a\.md:\d+: error: dangling_reference: /);
    expect(first.out).toContain('\nrevision 1: ');
    put(place, 'srs/a.md', `${STORY.replace('once.', 'exactly once.')}\n${story(3)}`);
    const dry = await run('--dry-run', '--format', 'github', '--fail-on', 'error');
    expect([dry.code, dry.err]).toEqual([0, '']);
    const lines = dry.out.trimEnd().split('\n');
    expect(lines.filter((line) => /^[-+~]/.test(line)).map((line) => line.slice(0, 6))).toEqual([
      ...['+ US-3', '- US-2', '~ US-1'],
    ]);
    expect(
      lines
        .filter((line) => line.startsWith('::'))
        .every((line) => /^::(warning|notice) file=srs\/a\.md,line=\d+,title=[a-z_]+::/.test(line)),
    ).toBe(true);
    const { revision, change } = JSON.parse((await run('--dry-run', '--json')).out);
    expect([revision, change.to.revision, change.added.length]).toEqual([1, 2, 1]);
    expect(JSON.parse((await run('--json')).out)).toMatchObject({ revision: 2, created: true });
    expect(JSON.parse((await run('--json')).out)).toMatchObject({ revision: 2, created: false });
    const wrong: [string[], number, RegExp][] = [
      [['--project', 'other'], 2, /project default, and not of other/],
      [['--fail-on', 'all'], 2, /--fail-on/],
      [['--format', 'xml'], 2, /--format/],
    ];
    for (const [args, code, text] of wrong) {
      const ended = await run(...args);
      expect([ended.code, ended.out]).toEqual([code, '']);
      expect(ended.err).toMatch(text);
    }
    const local = await place.run(['import', 'srs', '--dry-run']);
    expect([local.code, local.err]).toEqual([2, 'pqrs: --dry-run goes with --url\n']);
    await served.stop();
    expect((await run()).code).toBe(2);
  }, 60_000);
});

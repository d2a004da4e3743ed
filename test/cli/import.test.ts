// `pqrs import`: folders of requirement files become revisions, beside a running server and without.
import { describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { administer } from '../../src/cli/administration/administration.ts';
import { openInstance } from '../support/instance.ts';
import { definition, object, reqifText, value } from '../support/reqif-documents.ts';
import { openWorkplace, type Workplace } from '../support/running-executable.ts';

const STORY = '## US-1: Paying once\n\nAs a customer I want to pay once.\n';

function put(place: Workplace, path: string, content: string): void {
  const whole = join(place.folder, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, content);
}

interface Source {
  path: string;
  status: string;
}

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
  const child = Bun.spawn([join(folder, 'pqrs'), ...args], {
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
  test('leaves out what is too large where that is no text: the executable itself', async () => {
    const place = await openWorkplace('import-large');
    put(place, 'stories.md', STORY);
    await place.run(['init']);
    const made = await place.run(['import', '.', '--json']);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(made.out)).toMatchObject({
      sources: [{ path: 'stories.md' }],
      passedOver: ['pqrs'],
    });
    put(place, 'large.md', 'a'.repeat(64 * 2 ** 20 + 1));
    expect(await place.run(['import', '.'])).toMatchObject({
      code: 2,
      err: 'pqrs: large.md is larger than 67108864 bytes\n',
    });
  });

  test('takes what a reader knows below a folder, and leaves the rest', async () => {
    const place = await openWorkplace('import');
    put(place, 'srs/stories.md', STORY);
    put(place, 'srs/login.feature', '@US-1\nFeature: Login\n  Scenario: one\n    Given a\n');
    put(place, 'srs/node_modules/x/readme.md', '## US-9: not ours\n');
    put(place, 'srs/tests/fixtures/sample.md', '## US-7: a sample\n');
    put(place, 'srs/.git/config', '');
    put(place, 'srs/logo.png', '\u0089PNG');
    put(place, 'secret.md', '## US-8: outside\n');
    symlinkSync(join(place.folder, 'secret.md'), join(place.folder, 'srs/link.md'));
    await place.run(['init']);
    const made = await place.run(['import', 'srs', '--json']);
    expect(made).toMatchObject({ code: 0, err: '' });
    const report = JSON.parse(made.out);
    expect(report).toMatchObject({ project: 'default', revision: 1, created: true });
    expect(report.sources.map(({ path }: { path: string }) => path)).toEqual([
      'login.feature',
      'stories.md',
    ]);
    expect(report.passedOver).toEqual([
      'srs/.git',
      'srs/link.md',
      'srs/logo.png',
      'srs/node_modules',
      'srs/tests',
    ]);
    const again = await place.run(['import', 'srs']);
    expect(again.out).toContain('nothing has changed since revision 1');
    expect(again.out).toContain(
      'passed over, links, folders of tools and tests, and what no reader takes: ' +
        'srs/.git, srs/link.md, srs/logo.png, srs/node_modules, srs/tests\n',
    );
    for (const at of [1, 2, 3, 4, 5, 6]) put(place, `srs/notes-${at}.docx`, 'PK');
    expect((await place.run(['import', 'srs'])).out).toContain(
      'srs/.git, srs/link.md, srs/logo.png, srs/node_modules, srs/notes-1.docx and 6 more\n',
    );
    const both = await place.run(['import', 'srs', 'srs/node_modules', '--json']);
    expect(JSON.parse(both.out).passedOver).not.toContain('srs/node_modules');
    const named = JSON.parse(
      (await place.run(['import', 'srs/tests/fixtures', '--yes', '--json'])).out,
    );
    expect(named.sources.map(({ path }: { path: string }) => path)).toEqual(['sample.md']);
    expect((await place.run(['import', 'srs/stories.md', 'srs/login.feature'])).out).not.toContain(
      'passed over',
    );
  });

  test('takes the files that an API document refers to, of whatever they are, and no others', async () => {
    const place = await openWorkplace('import-parts');
    put(place, 'api/openapi.yaml', 'openapi: 3.0.3\npaths:\n  /a: {$ref: paths/a.yaml}\n');
    const answers = 'responses: {200: {content: {a/b: {schema: {$ref: ../s.json#/S}}}}}';
    put(place, 'api/paths/a.yaml', `get:\n  operationId: getA\n  ${answers}\n`);
    put(place, 'api/s.json', '{"S": {"type": "object"}}');
    put(place, 'api/other.yaml', 'get: {}\n');
    await place.run(['init']);
    const made = await place.run(['import', 'api', '--json']);
    expect(made).toMatchObject({ code: 0, err: '' });
    const { sources, passedOver } = JSON.parse(made.out);
    expect(
      sources.map(({ path, status, items }: Source & { items: number }) => [path, status, items]),
    ).toEqual([
      ['openapi.yaml', 'parsed', 0],
      ['paths/a.yaml', 'parsed', 1],
      ['s.json', 'ignored', 0],
    ]);
    expect(passedOver).toEqual(['api/other.yaml']);
  });

  test('goes through a running server, which reads large sets in a worker [PQRS-16]', async () => {
    const place = await openWorkplace('import-running');
    const many = Array.from(
      { length: 3000 },
      (_, at) => `## REQ-${at}: Number ${at}\n\nThe system shall do ${at}.\n`,
    );
    put(place, 'srs/many.md', many.join('\n'));
    const served = await place.serve();
    const made = await place.run(['import', 'srs']);
    expect(made.out).toMatch(/revision 1: 3001 nodes/);
    const owner = await Bun.file(join(place.folder, 'pqrs-data/owner.token')).text();
    const headers = { authorization: `Bearer ${owner.trim()}` };
    const graph = (await (await fetch(`${served.address}/api/srs-graph`, { headers })).json()) as {
      nodes: unknown[];
    };
    expect(graph.nodes).toHaveLength(3001);
    await served.stop();
  });

  test('draws a bar on a terminal, beside a running server and without, and not with --json', async () => {
    const place = await openWorkplace('import-terminal');
    const served = await place.serve();
    put(place, 'srs/stories.md', STORY);
    expect(await onTerminal(place, ['import', 'srs'])).toMatch(
      /<clear>\[[#-]+\] +\d+ % {2}parsing.*<clear>STATUS/s,
    );
    await served.stop();
    put(place, 'srs/more.md', STORY.replace('US-1', 'US-2'));
    const json = await onTerminal(place, ['import', 'srs', '--json']);
    expect(json).toStartWith('{');
    expect(json).not.toContain('<clear>');
    put(place, 'srs/more.md', STORY.replace('US-1', 'US-3'));
    expect(await onTerminal(place, ['import', 'srs'])).toMatch(
      /% {2}storing.*<clear>STATUS.*revision 3/s,
    );
  });

  test('names the attribute that is the text with --text-attribute', async () => {
    const place = await openWorkplace('import-text');
    const types = `<SPEC-OBJECT-TYPE IDENTIFIER="T"><SPEC-ATTRIBUTES>${definition('XHTML', 'a', 'A=B')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>`;
    put(
      place,
      'in/x/a.reqif',
      reqifText({ types, objects: object('R', value('XHTML', 'a', 't')) }),
    );
    await place.run(['init']);
    const imported = await place.run(['import', 'in', '--text-attribute', '*.reqif=A=B', '--json']);
    expect(JSON.parse(imported.out).sources).toMatchObject([{ textAttribute: 'A=B' }]);
    for (const wrong of ['*.reqif', '*.sdoc=A'])
      expect((await place.run(['import', 'in', '--text-attribute', wrong])).code).toBe(2);
  });

  test('joins the latest revision with --merge', async () => {
    const place = await openWorkplace('import-merge');
    put(place, 'a/one.md', STORY);
    put(place, 'b/two.md', STORY.replace('US-1', 'US-2'));
    await place.run(['init']);
    await place.run(['import', 'a']);
    const report = JSON.parse((await place.run(['import', 'b', '--merge', '--json'])).out);
    expect(report.sources.map(({ path }: { path: string }) => path)).toEqual(['one.md', 'two.md']);
  });

  test('asks for --yes where more than half of the stories would go, beside a server and without', async () => {
    const place = await openWorkplace('import-drops');
    const stories = (...ids: number[]) => ids.map((id) => STORY.replace('US-1', `US-${id}`));
    put(place, 'srs/a.md', stories(1, 2, 3).join('\n'));
    await place.run(['init']);
    expect((await place.run(['import', 'srs'])).code).toBe(0);
    put(place, 'srs/a.md', stories(1).join('\n'));
    const refused = { code: 1, out: '', err: expect.stringMatching(/drop 2 of 3 stories; --yes/) };
    expect(await place.run(['import', 'srs'])).toMatchObject(refused);
    const served = await place.serve();
    expect(await place.run(['import', 'srs'])).toMatchObject(refused);
    expect((await place.run(['import', 'srs', '--yes'])).out).toContain('revision 2: ');
    await served.stop();
  });

  test('tells files of one name in several folders apart, beside a running server and without', async () => {
    const place = await openWorkplace('import-several');
    const item = (text: string) => `level: 1.0\ntext: |\n  ${text}\n`;
    put(place, 'in/p1/x.md', STORY);
    put(place, 'in/p2/x.md', STORY.replace('US-1', 'US-2'));
    put(place, 'in/d1/.doorstop.yml', 'settings: {prefix: SYS}\n');
    put(place, 'in/d1/SYS001.yml', item('It shall be.'));
    put(place, 'in/d2/.doorstop.yml', 'settings: {prefix: SRS, parent: SYS}\n');
    put(place, 'in/d2/SRS001.yml', `${item('It shall be so.')}links: [SYS001]\n`);
    symlinkSync('p1/x.md', join(place.folder, 'in/link.md'));
    const paths = ['in/p1', 'in/p2', 'in/d1', 'in/d2'];
    const names = [
      ...['d1/.doorstop.yml', 'd1/SYS001.yml', 'd2/.doorstop.yml', 'd2/SRS001.yml'],
      ...['p1/x.md', 'p2/x.md'],
    ];
    await place.run(['init']);
    const made = await place.run(['import', ...paths, '--json']);
    const report = JSON.parse(made.out);
    expect(report).toMatchObject({ revision: 1, created: true });
    const namesOf = ({ sources }: typeof report) => sources.map(({ path }: Source) => path);
    expect(namesOf(report)).toEqual(names);
    const served = await place.serve();
    const twice = [...paths, 'in/p1/x.md', './in//p1', 'in/link.md'];
    const again = JSON.parse((await place.run(['import', ...twice, '--json'])).out);
    expect(again).toMatchObject({ revision: 1, created: false, passedOver: [] });
    const one = JSON.parse((await place.run(['import', 'in/p1', '--yes', '--json'])).out);
    expect(namesOf(one)).toEqual(['x.md']);
    const below = await place.run(['import', 'in/p1', 'in/p1/x.md', '--json']);
    expect(JSON.parse(below.out)).toMatchObject({ revision: 2, created: false });
    await served.stop();
  });

  test('follows a link that it is given, and none below', async () => {
    const place = await openWorkplace('import-link');
    put(place, 'srs/stories.md', STORY);
    put(place, 'more.md', STORY.replace('US-1', 'US-2'));
    symlinkSync('srs', join(place.folder, 'link'));
    symlinkSync('../more.md', join(place.folder, 'srs/below.md'));
    await place.run(['init']);
    const made = JSON.parse((await place.run(['import', 'link', '--json'])).out);
    expect(made).toMatchObject({
      sources: [{ path: 'stories.md' }],
      passedOver: ['link/below.md'],
    });
    const again = await place.run(['import', 'srs', '--json']);
    expect(JSON.parse(again.out)).toMatchObject({ revision: 1, created: false });
    const named = JSON.parse((await place.run(['import', 'srs', 'srs/below.md', '--json'])).out);
    expect(named.sources.map(({ path }: Source) => path)).toEqual(['below.md', 'stories.md']);
    expect(named.passedOver).toEqual([]);
  });

  test('takes a file by its own name, whichever link to it is given first', async () => {
    const place = await openWorkplace('import-link-first');
    put(place, 'd/.doorstop.yml', 'settings: {digits: 3, prefix: REQ}\n');
    put(place, 'd/REQ001.yml', 'level: 1.0\ntext: |\n  It shall be.\n');
    symlinkSync('d/REQ001.yml', join(place.folder, 'x.yml'));
    await place.run(['init']);
    const reports = [];
    for (const paths of [
      ['x.yml', 'd'],
      ['d', 'x.yml'],
    ]) {
      reports.push(JSON.parse((await place.run(['import', ...paths, '--json'])).out));
    }
    for (const { sources, passedOver, revision } of reports) {
      expect(sources.map(({ path }: Source) => path)).toEqual(['d/.doorstop.yml', 'd/REQ001.yml']);
      expect({ passedOver, revision }).toEqual({ passedOver: [], revision: 1 });
    }
  });

  test('passes over what has a name that no source can have, and says why', async () => {
    const place = await openWorkplace('import-names');
    const kept = ['a/b.md', 'a:b*?.md', 'C:x.md', 'Caf\u00e9.md', 'odd\uFFFD.md'];
    for (const [at, name] of kept.entries()) {
      put(place, `in/${name}`, STORY.replace('US-1', `US-${at}`));
    }
    for (const name of ['a\\b.md', 't\tab.md', 'l\nine.md', 'e\u001bsc.md', 'Cafe\u0301.md']) {
      put(place, `in/${name}`, STORY);
    }
    const folder = Buffer.from(join(place.folder, 'in/'));
    const nameOf = (...bytes: number[]) => Buffer.concat([folder, Buffer.from(bytes)]);
    writeFileSync(nameOf(0x62, 0xff, 0x2e, 0x6d, 0x64), STORY);
    mkdirSync(nameOf(0x64, 0xfe));
    await place.run(['init']);
    const { out, code } = await place.run(['import', 'in', '--json']);
    const report = JSON.parse(out);
    expect(code).toBe(0);
    expect(report.sources.map(({ path }: Source) => path)).toEqual([...kept].sort());
    expect(report.passedOver).toEqual([]);
    const whys = new Map(
      report.misnamed.map(({ path, why }: Record<string, string>) => [path, why]),
    );
    expect([...whys.keys()].sort()).toEqual(
      [
        ...['in/Caf\u00e9.md', 'in/a\\b.md', 'in/b\uFFFD.md', 'in/d\uFFFD', 'in/e\u001bsc.md'],
        ...['in/l\nine.md', 'in/t\tab.md'],
      ].sort(),
    );
    expect(whys.get('in/a\\b.md')).toContain('backslash');
    expect(whys.get('in/t\tab.md')).toContain('control character');
    expect(whys.get('in/b\uFFFD.md')).toContain('UTF-8');
    const shown = (await place.run(['import', 'in'])).out;
    expect(shown).toContain('\npassed over, for their names: ');
    expect(shown).toContain('in/e\\x1bsc.md (its name holds a control character)');
    expect(shown).not.toContain('\u001b');
    const alone = await place.run(['import', 'in/t\tab.md']);
    expect(alone.code).toBe(2);
    expect(alone.err).toContain('in/t\\x09ab.md (its name holds a control character)');
  });

  test('does not wait for what is no file, and names it [PQRS-16]', async () => {
    const place = await openWorkplace('import-pipes');
    put(place, 'in/a.md', STORY);
    for (const name of ['in/pipe.md', 'alone.md'])
      Bun.spawnSync(['mkfifo', join(place.folder, name)]);
    await place.run(['init']);
    const report = JSON.parse((await place.run(['import', 'in', 'alone.md', '--json'])).out);
    expect(report.sources.map(({ path }: Source) => path)).toEqual(['in/a.md']);
    expect(report.passedOver).toEqual(['alone.md', 'in/pipe.md']);
    const alone = await place.run(['import', 'alone.md']);
    expect(alone.code).toBe(2);
    expect(alone.err).toContain('there is no requirement source at these paths');
  });

  test('takes what would be a source if it were whole, and no settings of tools', async () => {
    const place = await openWorkplace('import-damaged');
    put(place, 'in/r/.doorstop.yml', 'settings:\n  digits: 3\n  prefix: REQ\n');
    put(place, 'in/r/REQ001.yml', 'level: 1.0\ntext: |\n  It shall be.\n');
    put(place, 'in/r/REQ010.yml', 'active: true\nderived: false\nheader: ""\nlev');
    put(place, 'in/broken.json', 'no json');
    put(place, 'in/package.json', '{"name": "x"}');
    put(place, 'in/tsconfig.json', '{\n  // "a" /*\n  "u": "http://x/*", /* b */ "c": [1,],\n}\n');
    put(place, 'in/.github/workflows/ci.yml', 'on: push\n');
    put(place, 'in/r/docker-compose.yml', 'services: {}\n');
    await place.run(['init']);
    const report = JSON.parse((await place.run(['import', 'in', '--json'])).out);
    expect(report.sources.map(({ path, status }: Source) => [path, status])).toEqual([
      ['broken.json', 'failed'],
      ['r/.doorstop.yml', 'parsed'],
      ['r/REQ001.yml', 'parsed'],
      ['r/REQ010.yml', 'failed'],
    ]);
    expect(report.passedOver).toEqual([
      ...['in/.github/workflows/ci.yml', 'in/package.json', 'in/r/docker-compose.yml'],
      'in/tsconfig.json',
    ]);
  });

  test('says why nothing could be read, beside a running server and without', async () => {
    const place = await openWorkplace('import-why');
    put(place, 'in/b.json', '{"versions":');
    put(place, 'in/c.reqif', '<REQ-IF');
    const why =
      /^pqrs: None of the sources could be read\.\n {2}b\.json:1: .*\n {2}c\.reqif:1: .*\n$/;
    const served = await place.serve();
    for (const args of [
      ['import', 'in'],
      ['import', 'in', '--json'],
    ]) {
      expect(await place.run(args)).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(why),
      });
    }
    await served.stop();
    expect((await place.run(['import', 'in'])).err).toMatch(why);
  });

  test('is refused with two files of one path', async () => {
    const instance = await openInstance();
    await instance.makeProject('twice');
    const files = ['a.md', './a.md'].map((path) => ({ path, contentBase64: '' }));
    const wish = { project: 'twice', files, mode: 'replace' } as const;
    await expect(administer(instance.evidence).import(wish)).rejects.toThrow(
      '/files/1/path: a.md is given twice',
    );
    await instance.close();
  });

  test.each([
    [['import'], 2, 'takes PATH'],
    [['import', 'nowhere'], 2, 'nothing at nowhere'],
    [['import', 'empty'], 2, 'no requirement source'],
    [['import', 'bad.reqif'], 1, 'None of the sources could be read'],
    [['import', 'a.md', '--project', 'other'], 1, 'no project "other"'],
  ])('%j ends with %d and says why', async (args, code, text) => {
    const place = await openWorkplace('import-wrong');
    mkdirSync(join(place.folder, 'empty'));
    put(place, 'bad.reqif', '<REQ-IF');
    put(place, 'a.md', STORY);
    await place.run(['init']);
    const ended = await place.run(args as string[]);
    expect(ended.code).toBe(code as number);
    expect(ended.err).toContain(text as string);
  });
});

// `pqrs import`: folders of requirement files become revisions, beside a running server and without.
import { describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkplace, type Workplace } from '../support/running-executable.ts';

const STORY = '## US-1: Paying once\n\nAs a customer I want to pay once.\n';

function put(place: Workplace, path: string, content: string): void {
  const whole = join(place.folder, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, content);
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
  test('takes what a reader knows below a folder, and leaves the rest', async () => {
    const place = await openWorkplace('import');
    put(place, 'srs/stories.md', STORY);
    put(place, 'srs/login.feature', '@US-1\nFeature: Login\n  Scenario: one\n    Given a\n');
    put(place, 'srs/node_modules/x/readme.md', '## US-9: not ours\n');
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
    expect(report.passedOver).toEqual(['srs/link.md', 'srs/logo.png']);
    const again = await place.run(['import', 'srs']);
    expect(again.out).toContain('nothing has changed since revision 1');
    expect(again.out).toContain(
      'passed over, links and what no reader takes: srs/link.md, srs/logo.png\n',
    );
    for (const at of [1, 2, 3, 4, 5, 6]) put(place, `srs/notes-${at}.docx`, 'PK');
    expect((await place.run(['import', 'srs'])).out).toContain(
      'srs/link.md, srs/logo.png, srs/notes-1.docx, srs/notes-2.docx, srs/notes-3.docx and 3 more\n',
    );
    expect((await place.run(['import', 'srs/stories.md', 'srs/login.feature'])).out).not.toContain(
      'passed over',
    );
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

  test('joins the latest revision with --merge', async () => {
    const place = await openWorkplace('import-merge');
    put(place, 'a/one.md', STORY);
    put(place, 'b/two.md', STORY.replace('US-1', 'US-2'));
    await place.run(['init']);
    await place.run(['import', 'a']);
    const report = JSON.parse((await place.run(['import', 'b', '--merge', '--json'])).out);
    expect(report.sources.map(({ path }: { path: string }) => path)).toEqual(['one.md', 'two.md']);
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

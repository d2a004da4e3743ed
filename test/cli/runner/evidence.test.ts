// What goes with a run beside its report: files that the report names, and files that it should name.
import { describe, expect, test } from 'bun:test';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { basesOf, findEvidence, namesInText } from '../../../src/cli/runner/evidence.ts';
import { expectedFiles, namedOnLine } from '../../../src/cli/runner/expected-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function* chunksOf(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

describe('evidence', () => {
  test('is named in the output of JUnit cases, in whatever chunks', async () => {
    const names = ['a.png', 'test-results/b c/trace.zip', 'x&amp;y.png'];
    const text = names.map((name) => `<system-out>\n[[ATTACHMENT|${name}]]\n`).join('filler ');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 50 }), async (size) => {
        const found = await namesInText(chunksOf(text, size));
        expect([...found]).toEqual(['a.png', 'test-results/b c/trace.zip', 'x&y.png']);
      }),
    );
  });

  function project() {
    const all = realpathSync(temporaryFolder('evidence'));
    const work = join(all, 'work');
    mkdirSync(join(work, 'web/out'), { recursive: true });
    writeFileSync(join(all, 'secret'), 'x');
    writeFileSync(join(work, 'web/out/shot.png'), 'png');
    writeFileSync(join(work, 'web/trace.zip'), 'zip!');
    symlinkSync(join(all, 'secret'), join(work, 'web/link'));
    return { all, work, cwd: join(work, 'web') };
  }

  test('is taken from where the report or the command was, and from the work folder alone', async () => {
    const { all, work, cwd } = project();
    const report = join(cwd, 'out/junit.xml');
    const named = ['shot.png', 'trace.zip', '../shot.png', 'link', '../../../secret', '.', 'none'];
    named.push(join(all, 'secret'), join(cwd, 'trace.zip'), 'a\0b');
    writeFileSync(report, named.map((name) => `[[ATTACHMENT|${name}]]`).join('\n'));
    const bases = basesOf(report, cwd);
    const found = await findEvidence({ path: report, format: 'junit' }, { bases, within: work });
    expect(found.map(({ path, bytes }) => [path, bytes])).toEqual([
      [join(cwd, 'out/shot.png'), 3],
      [join(cwd, 'trace.zip'), 4],
    ]);
    const few = { files: 1, bytes: 100 };
    const small = { files: 9, bytes: 3 };
    for (const limits of [few, small]) {
      const where = { bases, within: work };
      expect(await findEvidence({ path: report, format: 'junit' }, where, limits)).toHaveLength(1);
    }
  });

  test('is named by the attachments of CTRF', async () => {
    const { work, cwd } = project();
    const report = join(cwd, 'ctrf.json');
    const attachments = [{ name: 'shot', contentType: 'image/png', path: 'out/shot.png' }, null];
    writeFileSync(report, JSON.stringify({ results: { tests: [{ name: 'a', attachments }] } }));
    const where = { bases: basesOf(report, cwd), within: work };
    const found = await findEvidence({ path: report, format: 'ctrf' }, where);
    expect(found.map(({ name }) => name)).toEqual(['shot.png']);
    writeFileSync(report, '{"results": [');
    expect(await findEvidence({ path: report, format: 'ctrf' }, where)).toEqual([]);
    expect(await findEvidence({ path: report, format: 'tap' }, where)).toEqual([]);
  });
});

describe('expected files', () => {
  const cwd = temporaryFolder('expected');
  mkdirSync(join(cwd, 'src'));
  for (const name of ['src/a.test.ts', 'src/b_spec.js', 'src/plain.ts']) {
    writeFileSync(join(cwd, name), '');
  }

  test.each([
    [['bun', 'test', 'src/a.test.ts'], ['src/a.test.ts']],
    [
      ['/usr/bin/bun', 'test', './src/a.test.ts', 'src/b_spec.js'],
      ['src/a.test.ts', 'src/b_spec.js'],
    ],
    [
      ['bun', 'test', '--reporter', 'junit', '--reporter-outfile=r.xml', 'src/a.test.ts'],
      ['src/a.test.ts'],
    ],
    [['bun', 'test'], null],
    [['bun', 'test', 'src'], null],
    [['bun', 'test', 'a.test'], null],
    [['bun', 'test', 'src/plain.ts'], null],
    [['bun', 'test', '-t', 'x', 'src/a.test.ts'], null],
    [['bun', 'test', '--shard=1/2', 'src/a.test.ts'], null],
    [['bun', 'test', 'src/a.test.ts', '--bail'], null],
    [['sh', '-c', 'bun test src/a.test.ts'], null],
  ])('of %j are %j', async (argv, files) => {
    expect(await expectedFiles({ kind: 'bun-test', argv }, cwd)).toEqual(files);
  });

  test('are those of bun test alone', async () => {
    const argv = ['bun', 'test', 'src/a.test.ts'];
    expect(await expectedFiles({ kind: 'shell', argv }, cwd)).toBeNull();
    expect(namedOnLine(['bun', 'run', 'test', 'a'])).toBeNull();
    expect(namedOnLine(['bun', '--silent', 'test', 'a'])).toEqual(['a']);
  });
});

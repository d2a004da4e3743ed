// What goes with a run beside its report: files that the report names.
import { describe, expect, test } from 'bun:test';
import { mkdirSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { findEvidence, namesInJunit } from '../../../src/cli/runner/report-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const named = (name: string) => `[[ATTACHMENT|${name}]]`;
const suite = (inside: string) =>
  `<testsuites><testsuite><testcase name="a">${inside}</testcase></testsuite></testsuites>`;
const output = (...lines: string[]) => suite(`<system-out>${lines.join('\n')}</system-out>`);

describe('the names of attachments in a JUnit report', () => {
  const names = (report: string, size = 1 << 20) => namesInJunit(chunksOf(report, size));

  test('are lines of the output and properties, in whatever chunks', async () => {
    const report = suite(
      `<properties><property name="attachment" value="by-value.png"/>
       <property name="attachment"> by-text.png </property></properties>
       <system-out>before\n${named('a.png')}\r\n  ${named('test-results/b c/x&amp;y.zip')} \nafter</system-out>
       <system-err><![CDATA[\n${named('c.png')}\n]]>${named('d.png')}</system-err>
       <failure>no<system-out>${named('e.png|{"name": "[E]"}')}</system-out></failure>`,
    );
    const found = ['by-value.png', 'by-text.png', 'a.png', 'test-results/b c/x&y.zip'];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 50 }), async (size) => {
        expect(await names(report, size)).toEqual([...found, 'c.png', 'd.png', 'e.png']);
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    ['the message of a failure', suite(`<failure message="${named('.env')}"/>`)],
    ['the text of a failure', suite(`<failure>\n${named('.env')}\n</failure>`)],
    ['the title of a test', `<testsuite><testcase name="${named('.env')}"/></testsuite>`],
    ['the title of a suite', `<testsuite name="${named('.env')}"><testcase/></testsuite>`],
    ['a line beside other words', output(`the title is ${named('.env')}`, `${named('.env')}.`)],
    ['two on a line', output(named('a') + named('b'))],
    ['another property', suite(`<property name="title" value="${named('.env')}"/>`)],
    ['text beside the output', suite(`\n${named('.env')}\n<system-out/>\n${named('.env')}\n`)],
  ])('are not in %s', async (_, report) => {
    expect(await names(report)).toEqual([]);
  });
});

describe('evidence', () => {
  function project() {
    const all = realpathSync(temporaryFolder('evidence'));
    const cwd = join(all, 'web');
    for (const folder of ['out', '.auth', 'data/keys', 'data/files/ab'])
      mkdirSync(join(cwd, folder), { recursive: true });
    const file = (name: string) => writeFileSync(join(all, name), name.slice(0, 3));
    for (const name of ['secret', 'web/out/shot.png', 'web/trace.zip', 'web/.env', 'web/a.token'])
      file(name);
    for (const name of ['web/.auth/state.json', 'web/data/pqrs.db', 'web/data/note', 'web/ca.pem'])
      file(name);
    for (const name of ['web/old.png', 'web/data/keys/sign-1.key']) file(name);
    utimesSync(join(cwd, 'old.png'), new Date(), new Date(Date.now() - 60_000));
    symlinkSync(join(all, 'secret'), join(cwd, 'link'));
    symlinkSync(join(cwd, '.env'), join(cwd, 'plain.txt'));
    const place = { base: join(cwd, 'out'), cwd, since: Date.now() - 30_000 };
    return { all, cwd, place: { ...place, protectedFiles: [join(cwd, 'ca.pem')] } };
  }

  test('is what lies in the folder of the command, was written since, and is no secret', async () => {
    const { all, cwd, place } = project();
    const report = { path: join(cwd, 'out/junit.xml'), format: 'junit' };
    const names = ['shot.png', '../trace.zip', join(cwd, 'trace.zip'), 'trace.zip', '.', 'none'];
    names.push('../link', '../../secret', join(all, 'secret'), '../.env', '../plain.txt');
    names.push('../.auth/state.json', '../a.token', '../ca.pem', '../old.png', '../data/note');
    names.push('../data/pqrs.db', '../data/keys/sign-1.key', '/proc/self/environ', '/etc/passwd');
    writeFileSync(report.path, output(...names.map(named)));
    const found = await findEvidence(report, place);
    expect(found).toEqual([join(cwd, 'out/shot.png'), join(cwd, 'trace.zip')]);
    for (const limits of [
      { files: 1, bytes: 100 },
      { files: 9, bytes: 3 },
    ])
      expect(await findEvidence(report, place, limits)).toHaveLength(1);
  });
});

// `pqrs gate` as a CI job calls it: what it prints of any text, and how it ends.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Reason } from '../../src/assurance/gate/model.ts';
import { GATE_FORMATS, type GateReport } from '../../src/cli/commands/gate-formats.ts';
import { type AgentProject, openAgentProject } from '../support/agent-project.ts';
import { allNamed, xmlTree } from '../support/xml-tree.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom('a\n::set-output::b', '%0A', '<![CDATA[]]>', '|a](x', 'a:b,c', '\u001b[2J', '`'),
);
const anyReason: fc.Arbitrary<Reason> = fc.record({
  rule: fc.constantFrom('failing', 'blockers', 'no_results'),
  storyId: fc.option(text),
  title: fc.option(text),
  why: text,
  link: fc.constantFrom('/api/srs-workflow/US-1', '/api/test-runs'),
  source: fc.option(fc.record({ path: text, line: fc.nat() })),
});
const shares = { failing: { count: 1, total: 2, share: 0.5 } };

function reportOf(reasons: Reason[]): GateReport {
  const counts = { stories: { total: 2 }, statuses: shares };
  const answer = { gate: 'default', verdict: 'failed', reasons, counts } as never;
  return { answer, stories: [{ storyId: 'US-1', title: 'One' }], url: 'http://a' };
}

test('what a gate prints holds any text as text [PQRS-29]', () => {
  fc.assert(
    fc.property(fc.array(anyReason, { maxLength: 4 }), (reasons) => {
      const report = reportOf(reasons);
      const linesOf = (format: 'text' | 'github' | 'markdown') => {
        const printed = GATE_FORMATS[format](report);
        expect(printed).toEndWith('\n');
        return printed.slice(0, -1).split('\n');
      };
      const lines = linesOf('text');
      expect(lines).toHaveLength(1 + reasons.length);
      expect(lines.join('')).not.toMatch(/\p{Cc}/u);
      const commands = linesOf('github');
      expect(commands).toHaveLength(reasons.length + 1);
      for (const [at, { why, source }] of reasons.entries()) {
        const [, file, message = ''] =
          /^::error (?:file=([^:,]*),line=\d+,)?title=\w+::(.*)$/s.exec(commands[at] ?? '') ?? [];
        expect(decodeURIComponent(message)).toContain(why);
        expect(file === undefined ? undefined : decodeURIComponent(file)).toBe(source?.path);
      }
      const issues = JSON.parse(GATE_FORMATS.gitlab(report)) as { description: string }[];
      expect(
        issues.map(({ description }, at) => description.includes(reasons[at]?.why ?? '')),
      ).toEqual(reasons.map(() => true));
      for (const row of linesOf('markdown').slice(4)) {
        expect(row.match(/(?<!\\)(?:\\\\)*\|/g)).toHaveLength(4);
        expect(row).not.toMatch(/<|[^\\]`/);
      }
      const suite = xmlTree(GATE_FORMATS.junit(report));
      const own = new Set(reasons.map(({ storyId, rule }) => storyId ?? rule));
      expect(allNamed(suite, 'testcase')).toHaveLength(own.size + 1);
      expect(allNamed(suite, 'failure')).toHaveLength(own.size);
    }),
  );
});

describe('pqrs gate [PQRS-29]', () => {
  let project: AgentProject;
  let where: string[];

  beforeAll(async () => {
    project = await openAgentProject('gate');
    const content = '## US-1: One\n\nIt is.\n\nTags: lab\n\n## US-2: Two\n\nIt is, too.\n';
    const sources = [{ path: 'stories.md', content }];
    await project.call('POST', '/projects', { slug: 'default', sources });
    const flags = ['--capability', 'srs:edit', '--read-only', '--json'];
    const { token } = JSON.parse((await project.cli(['token', 'create', ...flags])).out);
    writeFileSync(join(project.folder, 'gate.token'), token);
    where = ['--url', project.server.url, '--token-file', 'gate.token'];
  });

  afterAll(() => project.kill());

  const ask = (args: readonly string[]) => project.cli(['gate', ...where, ...args]);

  test('is closed without runs, then for what fails, then open', async () => {
    expect(await ask([])).toMatchObject({
      code: 1,
      err: 'pqrs: the gate default is closed for 3 reasons\n',
    });
    const run = (status: string) =>
      project.call('POST', '/test-runs', { results: [{ name: 'one [US-1]', status }] });
    await run('failed');
    const red = await ask(['--tag', 'lab']);
    expect(red).toMatchObject({ code: 1 });
    expect(red.out.split('\n')[1]).toMatch(
      /^failing +US-1 One: .*one.* http\S+\/api\/srs-workflow\/US-1$/,
    );
    const { out } = await ask(['--tag', 'lab', '--format', 'github']);
    expect(out).toStartWith('::error file=stories.md,line=1,title=failing::US-1 One: ');
    expect((await ask(['--fail-on', 'stale,suspect', '--min-coverage', '.5'])).code).toBe(0);
    await run('passed');
    expect(await ask(['--tag', 'lab'])).toMatchObject({ code: 0, err: '' });
    expect(
      JSON.parse((await ask(['--story', 'US-1', '--project', 'default', '--json'])).out),
    ).toMatchObject({
      verdict: 'passed',
      reasons: [],
    });
    const junit = await ask(['--format', 'junit']);
    expect(junit).toMatchObject({ code: 1 });
    expect(junit.out.match(/<testcase/g)).toHaveLength(2);
    expect(junit.out.match(/<failure/g)).toHaveLength(1);
  });

  test.each([
    [['--tag', 'none'], '--tag: '],
    [['--tag', ''], '--tag: '],
    [['--kind', 'requirement'], '--kind: '],
    [['--root', 'none'], '--root: '],
    [['--story', 'US-99'], '--story: '],
    [['--baseline', 'none'], '--baseline: '],
    [['none'], 'NAME: '],
    [[''], 'gate'],
    [['--project', 'other'], '--project: '],
    [['--fail-on', 'fine'], '--fail-on: '],
    [['--min-coverage', '90'], '--min-coverage '],
    [['--new-failures-since', 'none'], '--new-failures-since: '],
    [['--format', 'xml'], '--format '],
    [['--url', 'http://127.0.0.1:1'], 'http://127.0.0.1:1 cannot be reached'],
    [['--token-file', 'none'], 'none'],
    [['--token-file', 'stories.token'], '401'],
  ])('%j has no answer, which is 2 and one line', async (args, why) => {
    writeFileSync(join(project.folder, 'stories.token'), 'pqrs_none');
    const ended = await ask(args);
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toContain(why);
    expect(ended.err.trim()).not.toContain('\n');
  });

  test('says no yes to what is no pqrs', async () => {
    const other = Bun.serve({ port: 0, fetch: () => new Response('<html>Sign in</html>') });
    for (const more of [[], ['--project', 'default']])
      expect(await ask(['--url', other.url.origin, ...more])).toMatchObject({ code: 2, out: '' });
    other.stop(true);
  });
});

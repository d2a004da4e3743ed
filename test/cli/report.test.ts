// `pqrs report` as a CI job calls it, against a server of the same executable.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAll } from '../quality/reports/read-all.ts';
import { type AgentProject, openAgentProject, type ProjectRun } from '../support/agent-project.ts';
import { until } from '../support/running-agent.ts';

const SHA = 'a'.repeat(40);
const PASSED = '<testsuite tests="1"><testcase name="a" file="a.test.ts"/></testsuite>';
const FAILED = '<testsuite><testcase name="a"><failure message="no"/></testcase></testsuite>';

let project: AgentProject;
let where: string[];

beforeAll(async () => {
  project = await openAgentProject('report');
  where = ['--url', project.server.url, '--token-file', project.tokenFile];
  file('ok.xml', PASSED);
  file('bad.xml', FAILED);
  file('cut.xml', `${PASSED.slice(0, -12)}<testcase name="b`);
  symlinkSync('ok.xml', join(project.folder, 'linked.xml'));
  file('results/TEST-1.xml', PASSED);
  file('results/deep/TEST-2.xml', PASSED);
  file('results/notes.txt', 'no report');
  file('results/page.html', '<html><body>502</body></html>');
  file('results/package.json', '{"name": "shop"}');
  file('results/empty', '');
  file('ok.tap', 'TAP version 14\n1..1\nok 1 - a\n');
  file('ok.json', JSON.stringify({ results: [{ name: 'a', status: 'passed' }] }));
});

afterAll(() => project.kill());

function file(name: string, text: string): void {
  mkdirSync(join(project.folder, name, '..'), { recursive: true });
  writeFileSync(join(project.folder, name), text);
}

function report(args: string[], environment: Record<string, string> = {}) {
  return project.cli(['report', ...args], '', environment);
}

async function newest(): Promise<ProjectRun> {
  const [run] = await project.runs();
  return run as ProjectRun;
}

describe('the exit code of a report [PQRS-46]', () => {
  test.each([
    ['ok.xml', 0, 'passed', ''],
    ['ok.tap', 0, 'passed', ''],
    ['ok.json', 0, 'passed', ''],
    ['bad.xml', 1, 'failed', 'pqrs: the run is failed\n'],
    ['cut.xml', 1, 'broken', 'pqrs: the run is broken\n'],
  ])('%s gives %i', async (name, code, status, err) => {
    const ended = await report([name, ...where]);
    expect(ended).toMatchObject({ code, err });
    expect(ended.out).toStartWith(
      `${status}  ${name}  1 test: 1 ${code === 0 || status === 'broken' ? 'passed' : 'failed'}  run_`,
    );
    if (status === 'broken') expect(ended.out).toContain('cut_off: ');
    expect(await newest()).toMatchObject({ status, counts: true });
  });

  test.each([
    [[], 'this command takes FILE_OR_PATTERN…'],
    [['none.xml'], 'there is no file none.xml'],
    [['results'], 'results is not a file'],
    [['linked.xml'], 'linked.xml is a link, which is not followed'],
    [['results/*.none'], 'no file matches results/*.none'],
    ...['notes.txt', 'page.html', 'package.json', 'empty'].map((name) => [
      [`results/${name}`],
      'this is no test report that I know (JUnit XML, CTRF, TAP, pqrs JSON)',
    ]),
    [['ok.xml', '--format', 'html'], '--format takes text, github, gitlab'],
    [['ok.xml', '--format', 'github', '--json'], '--json and --format'],
    [['ok.xml', '--attach', 'shots/*.none'], '--attach: no file matches shots/*.none'],
    [['ok.xml', 'ok.tap', '--external-id', 'x'], '--external-id goes with one FILE'],
    [['ok.xml', '--execution', 'bad.xml'], '--execution: bad.xml is not a JSON object'],
    [['ok.xml', '--attach', 'none.png'], '--attach: there is no file none.png'],
    [['ok.xml', '--retry-ms', 'long'], '--retry-ms must be a whole number'],
    [['ok.xml', '--token', 'x'], `Unknown option '--token'`],
  ])('%j is a wrong call, and nothing is sent', async (args, why) => {
    const before = (await project.runs()).length;
    const ended = await report([...(args as string[]), ...where]);
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toContain(why as string);
    expect(await project.runs()).toHaveLength(before);
  });

  test('is 1 where the server refuses, with the reason', async () => {
    file('wrong.token', 'pqrs_wrong_token\n');
    const url = ['--url', project.server.url];
    const unknown = await report(['ok.xml', ...url, '--token-file', 'wrong.token']);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toStartWith('pqrs: the report was refused: 401 unauthorized');
    const command = await report(['ok.xml', ...where, '--command', 'none']);
    expect(command.code).toBe(1);
    expect(command.err).toContain('422 invalid: ');
  });
});

/** A JUnit report of tests by their names, which failed where a message is given; attempts too. */
function suite(tests: Record<string, string>, over = ''): string {
  const cases = Object.entries(tests).map(([name, inside]) => {
    return `<testcase name="${name}" file="t/${name}.test.ts" line="7">${inside}</testcase>`;
  });
  return `<testsuite name="shop" ${over}>${cases.join('')}</testsuite>`;
}
const NO = '<failure message="expected 1 | 2&#10;Expected: 1">at t</failure>';
const FLAKY = '<flakyFailure message="not yet"/>';

describe('what is said of a run', () => {
  const ofBranch = (branch: string) => [...where, '--branch', branch, '--commit', SHA];

  test('failing tests, of which some are new on the branch, and flaky ones', async () => {
    file('one.xml', suite({ a: '', b: NO, c: '' }));
    file('two.xml', suite({ a: NO, b: NO, c: FLAKY, d: NO }));
    const first = await report(['one.xml', ...ofBranch('says')]);
    expect(first.out).toContain('        fails  t/b.test.ts:7  shop > b  expected 1 | 2\n');
    const second = await report(['two.xml', ...ofBranch('says')]);
    const { id } = await newest();
    expect(second.out.split('\n').slice(1, -1)).toEqual([
      `        ${project.server.url}/api/test-runs?id=${id}`,
      '        new    t/a.test.ts:7  shop > a  expected 1 | 2',
      '        fails  t/b.test.ts:7  shop > b  expected 1 | 2',
      '        new    t/d.test.ts:7  shop > d  expected 1 | 2',
      '        flaky  t/c.test.ts:7  shop > c  not yet',
    ]);
  });

  test('as annotations and a summary of GitHub', async () => {
    file('odd.xml', suite({ 'a, b: 5%': NO, c: FLAKY }));
    file('summary.md', 'before\n');
    const summary = join(project.folder, 'summary.md');
    const github = { GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: join(project.folder, '..') };
    const ended = await report(['odd.xml', '--format', 'github', ...ofBranch('github')], github);
    const folder = project.folder.split('/').at(-1);
    expect(ended.out.split('\n').slice(2, -1)).toEqual([
      `::error file=${folder}/t/a%2C b%3A 5%25.test.ts,line=7,title=fails%3A shop > a%2C b%3A 5%25::expected 1 | 2%0AExpected: 1`,
      `::warning file=${folder}/t/c.test.ts,line=7,title=flaky%3A shop > c::shop > c`,
    ]);
    const text = readFileSync(summary, 'utf8');
    expect(text).toStartWith('before\n### failed: odd.xml\n');
    expect(text).toContain(
      '| fails | t/a, b: 5%.test.ts:7 | shop \\> a, b: 5% | expected 1 \\| 2 |\n',
    );
    expect(text).toContain(`](${project.server.url}/api/test-runs?id=run_`);
  });

  test('as a JUnit report of all tests, for GitLab', async () => {
    file('three.tap', 'TAP version 14\n1..3\nok 1 - a\nnot ok 2 - b <x>\nok 3 - c # SKIP later\n');
    const ended = await report(['three.tap', 'ok.xml', '--format', 'gitlab', ...where]);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain('pqrs: failed  three.tap  3 tests');
    const { results, codes } = await readAll(ended.out);
    expect(codes).toEqual([]);
    expect(results.map(({ name, status }) => `${name} ${status}`)).toEqual([
      ...['a passed', 'b <x> failed', 'c skipped', 'a passed'],
    ]);
    expect(ended.out).toMatch(/<system-out>http:[^<]*run_/);
  });
});

describe('the files of a run', () => {
  const namesOf = async () => (await newest()).attachments.map(({ name }) => name).sort();
  const named = (...names: string[]) =>
    `${NO}<system-out>${names.map((name) => `\n[[ATTACHMENT|${name}]]\n`).join('')}</system-out>`;

  test('are those of patterns and folders', async () => {
    for (const name of ['a.png', 'b.png', 'c.txt', 'deep/d.png', '.hidden', '.dot/e.png'])
      file(`shots/${name}`, name);
    const attach = ['--attach', 'shots/*.png', '--attach', 'shots', '--attach', 'ok.tap'];
    await report(['ok.xml', ...attach, ...where]);
    expect(await namesOf()).toEqual(['a.png', 'b.png', 'c.txt', 'd.png', 'ok.tap']);
    for (let at = 0; at < 25; at += 1) file(`many/${at}`, `${at}`);
    const many = await report(['ok.xml', '--attach', 'many', ...where]);
    expect(many).toMatchObject({ code: 0, err: expect.stringContaining('5 of --attach') });
    expect(await namesOf()).toHaveLength(20);
  });

  test('are those that its report names, if it failed, and never what was there before', async () => {
    file('old.png', 'old');
    utimesSync(join(project.folder, 'old.png'), new Date(), new Date(Date.now() - 60_000));
    const { token } = project.server;
    for (const name of ['.env', 'log.txt', 'out/shot.png', 'own.key'])
      file(name, `${name} ${token}`);
    writeFileSync(join(project.folder, '..', 'beside.txt'), 'beside');
    const names = ['shot.png', '../log.txt', '../.env', '../old.png', '../agent.token'];
    const more = ['../../beside.txt', '../own.key', '/etc/passwd'];
    file('out/named.xml', suite({ a: named(...names, ...more) }));
    await report(['out/named.xml', ...where], { DEPLOY_KEY: 'own.key' });
    expect(await namesOf()).toEqual(['log.txt', 'shot.png']);
    expect(await project.text(await newest(), 'log.txt')).toBe('log.txt ***');
    file('out/passed.xml', suite({ a: named('shot.png').replace(NO, '') }));
    await report(['out/passed.xml', ...where]);
    expect(await namesOf()).toEqual([]);
    file(
      'out/message.xml',
      suite({ a: '<failure message="x">\n[[ATTACHMENT|shot.png]]\n</failure>' }),
    );
    await report(['out/message.xml', ...where]);
    expect(await namesOf()).toEqual([]);
  });
});

describe('a report', () => {
  test('that a job of a CI system sends again is the same run, and a shard is another', async () => {
    const job = { GITHUB_RUN_ID: '7', GITHUB_RUN_ATTEMPT: '1', GITHUB_JOB: 'unit' };
    const send = async (name: string, over: object = {}) => {
      const variables = { ...job, ...over } as Record<string, string>;
      return JSON.parse((await report([name, '--json', ...where], variables)).out).id;
    };
    const first = await send('ok.xml');
    expect(await send('ok.xml')).toBe(first);
    const others = [
      await send('ok.xml', { GITHUB_RUN_ATTEMPT: '2' }),
      await send('ok.xml', { RUNNER_NAME: 'two' }),
      await send('results/TEST-1.xml'),
    ];
    file('ok.xml', PASSED.replace('"a"', '"other"'));
    others.push(await send('ok.xml'));
    expect(new Set([first, ...others]).size).toBe(5);
    file('ok.xml', PASSED);
    const externalIds = (await project.runs()).map((run) => run.externalId);
    expect(externalIds).toContainEqual(
      expect.stringMatching(/^github\/7\/1\/unit\/ok\.xml\/\w{12}$/),
    );
  });

  test('says the commit and branch of its CI job, unless they are given', async () => {
    const variables = { GITHUB_SHA: SHA, GITHUB_REF: 'refs/heads/main' };
    expect((await report(['ok.xml', ...where], variables)).code).toBe(0);
    expect(await newest()).toMatchObject({ commit: SHA, branch: 'main' });
    const given = ['--commit', 'b'.repeat(40), '--branch', 'own', '--environment', 'lab'];
    await report(['ok.xml', ...where, ...given], variables);
    const own = { commit: 'b'.repeat(40), branch: 'own', environment: 'lab' };
    expect(await newest()).toMatchObject(own);
  });

  test('of a command, with its execution and files', async () => {
    const commandId = await project.command('unit', { argv: ['true'] });
    file('shot.txt', 'what it looked like');
    const execution = { exitCode: 0, startedAt: new Date(Date.now() + 60_000).toISOString() };
    file('execution.json', JSON.stringify(execution));
    const more = ['--command', 'unit', '--execution', 'execution.json', '--attach', 'shot.txt'];
    const ended = await report(['ok.xml', '--json', ...more, ...where]);
    expect(ended.code).toBe(1);
    const run = JSON.parse(ended.out) as ProjectRun;
    // The report was there before the run began.
    expect(run).toMatchObject({ commandId, name: 'unit', status: 'broken' });
    expect(run.harnessErrors).toMatchObject([{ code: 'report_stale' }]);
    expect(await project.text(run, 'shot.txt')).toBe('what it looked like');
  });

  test('is one run under one external id, and no other report takes its place', async () => {
    const id = ['--external-id', 'job-7', '--json', ...where];
    const [first, again] = [await report(['ok.xml', ...id]), await report(['ok.xml', ...id])];
    expect(JSON.parse(again.out).id).toBe(JSON.parse(first.out).id);
    expect(again.code).toBe(0);
    const other = await report(['bad.xml', ...id]);
    expect(other).toMatchObject({ code: 1, out: '' });
    expect(other.err).toContain('409 conflict');
  });

  test('waits for a server that is away, and gives up when it is told to', async () => {
    await project.kill();
    const given = await report(['ok.xml', '--retry-ms', '0', ...where]);
    expect(given.code).toBe(2);
    expect(given.err).toContain(' cannot be reached: nothing listens there (connection refused)');
    const log = join(project.folder, 'report.log');
    const child = Bun.spawn(
      [join(project.folder, 'pqrs'), 'report', join(project.folder, 'ok.xml'), ...where],
      { stdout: 'ignore', stderr: Bun.file(log), env: {} },
    );
    await until(async () => (await Bun.file(log).text()).includes('again in'));
    await project.restart();
    expect(await child.exited).toBe(0);
    expect(await newest()).toMatchObject({ status: 'passed' });
  });
});

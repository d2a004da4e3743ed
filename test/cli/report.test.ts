// `pqrs report` as a CI job calls it, against a server of the same executable.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
    [['results/notes.txt'], 'results/notes.txt is neither JUnit XML, CTRF, TAP nor our JSON'],
    [['ok.xml', 'ok.tap', '--external-id', 'x'], '--external-id goes with one FILE'],
    [['ok.xml', '--execution', 'bad.xml'], 'the execution bad.xml is not a JSON object'],
    [['ok.xml', '--attach', 'none.png'], 'there is no file none.png'],
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

describe('a report', () => {
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

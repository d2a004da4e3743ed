// `pqrs agent` and the server, both the executable as its user runs it: real commands, reports that lie,
// secrets, processes that must end, and either of the two killed in the middle.
import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentProject, openAgentProject } from '../support/agent-project.ts';
import { processesOfRun } from '../support/processes.ts';
import { until } from '../support/running-agent.ts';

const projects: AgentProject[] = [];

async function open(name: string): Promise<AgentProject> {
  const project = await openAgentProject(name);
  projects.push(project);
  return project;
}

let one: Promise<AgentProject> | undefined;

/** A project for tests that are not about what it holds. */
function shared(): Promise<AgentProject> {
  one ??= openAgentProject('shared');
  return one;
}

afterEach(async () => {
  for (const project of projects.splice(0)) await project.kill();
});
afterAll(async () => (await one)?.kill());

const sh = (script: string, more: object = {}) => ({ argv: ['sh', '-c', script], ...more });

/** Runs until a file is there, and leaves a line each time it begins. */
const waiting = (name: string, forFile: string) =>
  sh(`echo begun >> ${name}.begun; while [ ! -e ${forFile} ]; do sleep 0.05; done`);

function bunTest(report: string, ...files: string[]) {
  const argv = [process.execPath, 'test', '--reporter=junit', `--reporter-outfile=${report}`];
  return {
    ...{ kind: 'bun-test', argv: [...argv, ...files] },
    report: { format: 'junit', path: report },
  };
}

function states({ call }: AgentProject, planId: string) {
  type Runs = { items: { runId: string; state: string; attempt: number }[] };
  return call<Runs>('GET', `/run-state?planId=${planId}&limit=200`).then(({ items }) => items);
}

describe('an agent and a server [PQRS-51]', () => {
  test('work a plan of real commands to its end', async () => {
    const project = await open('work');
    const { work } = project;
    writeFileSync(
      join(work, 'good.test.ts'),
      `import { test } from 'bun:test';\ntest('adds', () => {});\n`,
    );
    writeFileSync(
      join(work, 'bad.test.ts'),
      `import { test } from 'bun:test';\ntest('breaks', () => { throw new Error('no luck'); });\n`,
    );
    const ctrf = {
      ...{ reportFormat: 'CTRF', specVersion: '0.0.0' },
      results: {
        tool: { name: 'own' },
        summary: { tests: 1, passed: 1, failed: 0, skipped: 0, pending: 0, other: 0 },
        tests: [{ name: 'one', status: 'passed', duration: 3 }],
      },
    };
    writeFileSync(join(work, 'ctrf.seed'), JSON.stringify(ctrf));
    const ids = [
      await project.command('good', bunTest('out/good.xml', 'good.test.ts')),
      await project.command('bad', bunTest('out/bad.xml', 'bad.test.ts')),
      await project.command('plain', sh('echo fine')),
      await project.command('exit', sh('echo out of order; exit 3')),
      await project.command('tap', {
        ...sh('printf "TAP version 14\\n1..2\\nok 1 - a\\nok 2 - b\\n" > r.tap'),
        report: { format: 'tap', path: 'r.tap' },
      }),
      await project.command('ctrf', {
        ...sh('cp ../ctrf.seed r.json'),
        ...{ cwd: 'sub', report: { format: 'ctrf', path: 'r.json' } },
      }),
      // Nobody waits for what no agent runs.
      await project.command('by-hand', { kind: 'manual' }),
    ];
    mkdirSync(join(work, 'sub'));
    const planId = await project.plan(ids);
    const ended = await project.agent(project.server, ['--plan', planId, '--environment', 'lab']);
    expect(ended.out.trim().split('\n').at(-1)).toBe('4 passed, 2 failed');
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.err).toEndWith('pqrs: 2 of 6 items did not pass\n');
    const runs = await project.runs();
    expect(Object.fromEntries(runs.map((run) => [run.name, run.status]))).toEqual({
      ...{ good: 'passed', bad: 'failed', plain: 'passed', exit: 'failed' },
      ...{ tap: 'passed', ctrf: 'passed' },
    });
    for (const run of runs) {
      expect(run).toMatchObject({ environment: 'lab', counts: true, late: false });
      expect(ids).toContain(run.commandId as string);
    }
    const bad = await project.run('bad');
    expect(bad.results?.items).toMatchObject([{ name: 'breaks', status: 'failed' }]);
    expect(`${bad.results?.items[0]?.message}`).toContain('no luck');
    expect(await project.text(bad, 'console.log')).toContain('no luck');
    const exit = await project.run('exit');
    expect(exit.results?.items).toMatchObject([{ status: 'failed', message: 'exit code 3' }]);
    expect(await project.text(exit, 'console.log')).toBe('out of order\n');
    expect((await project.run('plain')).attachments).toEqual([]);
  });

  test('call false greens of bun broken, and say why [PQRS-43]', async () => {
    const project = await open('false-green');
    const { work } = project;
    const file = (name: string, text: string) =>
      writeFileSync(join(work, name), `import { test } from 'bun:test';\n${text}\n`);
    file('good.test.ts', `test('good', () => {});`);
    file('load.test.ts', `throw new Error('not loaded');`);
    file('exit.test.ts', `test('exits', () => process.exit(0));`);
    const report = 'out/r.xml';
    const ids = [
      // All of them leave their report in the same place, so that there is one of before.
      await project.command('good', bunTest(report, 'good.test.ts')),
      await project.command('load', bunTest(report, 'good.test.ts', 'load.test.ts')),
      await project.command('exit', bunTest(report, 'good.test.ts', 'exit.test.ts')),
    ];
    const planId = await project.plan(ids);
    expect((await project.agent(project.server, ['--plan', planId])).code).toBe(1);
    const found = (await project.runs()).map(({ name, status, harnessErrors }) => [
      ...[name, status],
      ...harnessErrors.map(({ code }) => code),
    ]);
    expect(found.reverse()).toEqual([
      ['good', 'passed'],
      ['load', 'broken', 'exit_code_disagrees', 'console_disagrees'],
      ['exit', 'broken', 'no_report'],
    ]);
  });

  test('show no credential in what they keep [PQRS-40]', async () => {
    const project = await open('secret');
    const secret = 'correct-horse-battery';
    const set = await project.cli(['credential', 'set', 'PASSWORD'], secret);
    expect(set.code).toBe(0);
    const leak = [
      'echo "console $PASSWORD"',
      'printf "shot of %s" "$PASSWORD" > shot.txt',
      'printf "<testsuite><testcase name=\\"login\\"><failure message=\\"%s\\">as %s</failure>" "$PASSWORD" "$PASSWORD" > r.xml',
      'printf "PK\\003\\004" > trace.zip',
      'printf "<system-out>[[ATTACHMENT|shot.txt]]\n[[ATTACHMENT|trace.zip]]</system-out></testcase></testsuite>" >> r.xml',
      'exit 1',
    ].join('; ');
    const ids = [
      await project.command('login', {
        ...sh(leak, { credentials: ['PASSWORD'] }),
        report: { format: 'junit', path: 'r.xml' },
      }),
      await project.command('other', sh('env > other.env')),
    ];
    const planId = await project.plan(ids);
    const ended = await project.agent(project.server, ['--plan', planId, '--json']);
    expect(ended.out + ended.err).not.toContain(secret);
    const run = await project.run('login');
    expect(run).toMatchObject({ status: 'failed', harnessErrors: [] });
    expect(run.results?.items).toMatchObject([{ name: 'login', message: '***' }]);
    expect(JSON.stringify(run)).not.toContain(secret);
    expect(await project.text(run, 'console.log')).toBe('console ***\n');
    expect(await project.text(run, 'shot.txt')).toBe('shot of ***');
    // What cannot be looked through stays behind, and nothing else with it.
    expect(run.attachments.map(({ name }) => name).sort()).toEqual(['console.log', 'shot.txt']);
    const environment = readFileSync(join(project.work, 'other.env'), 'utf8');
    expect(environment).not.toContain('PASSWORD');
    expect(environment).not.toContain(project.server.token);
    // Neither folder holds it, but for what the command itself has written.
    const files = [
      ...filesUnder(join(project.folder, 'pqrs-data')),
      ...filesUnder(join(project.work, '.pqrs-agent')),
    ];
    expect(files.length).toBeGreaterThan(3);
    for (const file of files)
      expect([file, readFileSync(file).includes(secret)]).toEqual([file, false]);
  });

  test('upload nothing that a tested page names, and never the token of the agent', async () => {
    const project = await open('page');
    const { work, server } = project;
    // Somebody works where pqrs was started: all of it is inside of the folder of the command.
    const data = join(work, 'pqrs-data');
    mkdirSync(join(data, 'keys'), { recursive: true });
    for (const name of ['.env', 'agent.token', 'pqrs-data/owner.token', 'pqrs-data/lock.db'])
      writeFileSync(join(work, name), server.token);
    writeFileSync(join(data, 'keys/sign-1.key'), 'key');
    writeFileSync(join(data, 'state.txt'), 'state');
    const wanted = ['.env', 'agent.token', 'pqrs-data/owner.token', 'pqrs-data/state.txt'];
    const titles = wanted.map((name) => `[[ATTACHMENT|${name}]]`);
    const touch = `touch ${wanted.join(' ')}`;
    const page = `<testsuite><testcase name="page"><failure message="${titles[0]}">${titles.join('\n')}</failure><system-out>title: ${titles[1]}\n${titles.join('\n')}\n[[ATTACHMENT|shot.txt]]\n[[ATTACHMENT|stale.txt]]\n</system-out></testcase></testsuite>`;
    writeFileSync(join(work, 'page.seed'), page.replace('message="', `message="${server.token} `));
    writeFileSync(join(work, 'stale.txt'), 'of before');
    const script = `${touch}; cat page.seed > r.xml; cat agent.token > shot.txt; cat .env; exit 1`;
    const report = { format: 'junit', path: 'r.xml' };
    const linked = { ...sh('ln -s page.seed l.xml'), report: { ...report, path: 'l.xml' } };
    const planId = await project.plan([
      await project.command('page', { ...sh(script), report }),
      await project.command('owner', {
        ...{ ...sh('true'), report: { ...report, path: 'pqrs-data/owner.token' } },
      }),
      await project.command('linked', linked),
    ]);
    const args = ['--plan', planId, '--token-file', join(work, 'agent.token')];
    const ended = await project.agent(server, args);
    expect(ended.out.trim().split('\n').at(-1)).toBe('1 failed, 2 broken');
    const run = await project.run('page');
    expect(run).toMatchObject({ status: 'failed', harnessErrors: [] });
    expect(run.attachments.map(({ name }) => name).sort()).toEqual(['console.log', 'shot.txt']);
    expect(await project.text(run, 'console.log')).toBe('***');
    expect(await project.text(run, 'shot.txt')).toBe('***');
    expect(JSON.stringify(run)).not.toContain(server.token);
    expect(readFileSync(join(data, 'owner.token'), 'utf8')).toBe(server.token);
    for (const name of ['owner', 'linked'])
      expect((await project.run(name)).harnessErrors).toMatchObject([{ code: 'no_report' }]);
    const kept = filesUnder(join(project.folder, 'pqrs-data/files'));
    for (const file of kept) expect(readFileSync(file).includes(server.token)).toBe(false);
  });

  test('leave nothing of a command running whose time is up', async () => {
    const project = await shared();
    const tree = 'sleep 1000 & (trap "" TERM; sleep 1002; sleep 1003) & echo up; wait';
    const id = await project.command('slow', sh(tree, { timeoutMs: 500 }));
    const planId = await project.plan([id]);
    const args = ['--plan', planId, '--kill-grace-ms', '300'];
    expect((await project.agent(project.server, args)).code).toBe(1);
    const run = await project.run('slow');
    expect(run.status).toBe('broken');
    expect(run.harnessErrors.map(({ code }) => code)).toContain('killed');
    expect(await project.text(run, 'console.log')).toBe(
      'up\npqrs: ended after its timeout of 500 ms\n',
    );
    expect(processesOfRun(run.id)).toEqual([]);
  });
});

describe('an agent that is given what to run [PQRS-51]', () => {
  test('runs nothing where a command is off or of another kind', async () => {
    const project = await shared();
    await project.command('well', sh('echo ran >> ran'));
    await project.command('off', { ...sh('true'), state: 'disabled' });
    await project.command('old', { ...sh('true'), state: 'archived' });
    const byHand = await project.command('by-hand', { kind: 'manual' });
    const run = (...args: string[]) => project.agent(project.server, args);
    const off = await run('--commands', 'off,well,old');
    expect(off).toMatchObject({ code: 1, out: '' });
    for (const text of ['409 conflict', '/commandIds/0', '/commandIds/2'])
      expect(off.err).toContain(text);
    for (const args of [[byHand], ['well', '--kinds', 'bun-test']])
      expect(await run('--commands', ...args)).toMatchObject({
        ...{ code: 1, err: 'pqrs: left to agents of other kinds: 1 item\n' },
      });
    expect(existsSync(join(project.work, 'ran'))).toBe(false);
    expect(await run('--commands', 'well')).toMatchObject({
      ...{ code: 0, out: expect.stringMatching(/1 passed\n$/) },
    });
  });
});

describe('a server that is killed', () => {
  test('while commands run and reports are sent loses no item [PQRS-48]', async () => {
    const project = await open('server-killed');
    const names = ['a', 'b', 'c', 'd'];
    const ids: string[] = [];
    for (const name of names) ids.push(await project.command(name, waiting(name, `${name}.go`)));
    const planId = await project.plan(ids);
    const agent = project.start(project.server, ['--plan', planId, '--lease-ms', '60000']);
    const begun = (name: string) => existsSync(join(project.work, `${name}.begun`));
    const go = (name: string) => writeFileSync(join(project.work, `${name}.go`), '');
    // Killed while a command runs that ends meanwhile: its report waits for the server.
    await until(() => begun('a'));
    await project.kill();
    go('a');
    await until(() => agent.err().includes('again in'));
    await project.restart();
    // Killed while a command runs on.
    await until(() => begun('b'));
    await project.kill();
    await project.restart();
    for (const name of ['b', 'c', 'd']) go(name);
    expect(await agent.ended).toMatchObject({ code: 0 });
    for (const name of names)
      expect(readFileSync(join(project.work, `${name}.begun`), 'utf8')).toBe('begun\n');
    const runs = await project.runs();
    expect(runs.map(({ name, status, counts }) => [name, status, counts])).toEqual(
      names.toReversed().map((name) => [name, 'passed', true]),
    );
  });
});

describe('an agent that is killed', () => {
  test('is followed by another, which gets what it had [PQRS-48] [PQRS-50]', async () => {
    const project = await open('agent-killed');
    const id = await project.command('one', waiting('one', 'go'));
    const planId = await project.plan([id]);
    const args = ['--plan', planId, '--lease-ms', '2000'];
    const first = project.start(project.server, args);
    await until(() => existsSync(join(project.work, 'one.begun')));
    first.kill('SIGKILL');
    await first.ended;
    const second = project.start(project.server, args);
    await until(() => second.err().includes('suite'));
    writeFileSync(join(project.work, 'go'), '');
    expect(await second.ended).toMatchObject({ code: 0 });
    const [run, ...others] = await project.runs();
    expect([run?.status, others]).toEqual(['passed', []]);
    const [last, ...before] = await states(project, planId);
    expect(last).toMatchObject({ state: 'passed', attempt: before.length + 1 });
    expect(new Set(before.map(({ state }) => state))).toEqual(new Set(['lost']));
  });
});

test('two agents share a plan, and no item is run twice [PQRS-50]', async () => {
  const project = await open('share');
  const both = join(project.folder, 'both');
  mkdirSync(both);
  // Each command leaves its mark; two of them go on when both have: each agent has one of them.
  const script = (name: string, rest: string) =>
    sh(`echo $PQRS_RUN_ID >> ${both}/${name}; ${rest}`);
  const meet = `while [ ! -e ${both}/a ] || [ ! -e ${both}/e ]; do sleep 0.05; done`;
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const ids: string[] = [];
  for (const name of names)
    ids.push(await project.command(name, script(name, 'ae'.includes(name) ? meet : 'true')));
  const planId = await project.plan(ids);
  const agents = ['one', 'two'].map((name) => {
    const folder = join(project.folder, name);
    mkdirSync(folder);
    const args = ['--plan', planId, '--max-items', '4', '--once', '--name', name];
    return project.start(project.server, args, folder);
  });
  for (const agent of agents) expect(await agent.ended).toMatchObject({ code: 0 });
  const runs = await project.runs();
  expect(runs.map(({ name }) => name).sort()).toEqual(names);
  expect(new Set(runs.map(({ agent }) => agent?.name))).toEqual(new Set(['one', 'two']));
  for (const name of names) {
    const [run] = runs.filter((one) => one.name === name);
    expect(readFileSync(join(both, name), 'utf8')).toBe(`${run?.id}\n`);
  }
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

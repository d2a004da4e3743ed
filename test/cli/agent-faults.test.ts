// The reference agent against a server that is away, busy, changes its mind or takes leases.
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AgentServer,
  type FakeItem,
  problem,
  startAgentServer,
} from '../support/agent-server.ts';
import { processesOfRun } from '../support/processes.ts';
import { openAgentPlace, until } from '../support/running-agent.ts';

const sh = (name: string, script: string, more: Partial<FakeItem> = {}): FakeItem => ({
  ...{ name, argv: ['sh', '-c', script] },
  ...more,
});

const servers: AgentServer[] = [];

function serve(...items: FakeItem[]): AgentServer {
  const server = startAgentServer(items);
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

function statesOf({ runs }: AgentServer): string[] {
  return runs.map(({ state }) => state);
}

/** A command that runs until a file is there, and leaves a line each time it begins. */
function waiting(name: string, forFile: string, more: Partial<FakeItem> = {}): FakeItem {
  return sh(
    name,
    `echo begun >> ${name}.begun; while [ ! -e ${forFile} ]; do sleep 0.05; done`,
    more,
  );
}

describe('a command of the agent [PQRS-51]', () => {
  test('finds its own environment, and what it leaks of its credentials is masked', async () => {
    const place = await openAgentPlace('agent-environment');
    const say = 'env > env-$1; echo "password is $PASSWORD"; exit $1';
    const server = serve(
      {
        name: 'with',
        argv: ['sh', '-c', say, 'sh', '1'],
        credentials: ['PASSWORD'],
        env: { A: 'b' },
      },
      { name: 'without', argv: ['sh', '-c', say, 'sh', '2'] },
    );
    server.credentials = { PASSWORD: 'correct horse' };
    expect((await place.agent(server)).code).toBe(1);
    const found = readFileSync(join(place.work, 'env-1'), 'utf8');
    expect(found).toContain('PASSWORD=correct horse\n');
    expect(found).toContain('A=b\n');
    expect(found).toContain('PQRS_RUN_ID=run_1_1\n');
    expect(found).not.toContain(server.token);
    expect(found).not.toContain('OTHER=');
    expect(readFileSync(join(place.work, 'env-2'), 'utf8')).not.toContain('PASSWORD');
    const [first] = server.reports;
    expect(first?.run.execution.consoleTail).toBe('password is ***\n');
    expect(first?.files).toEqual([{ name: 'console.log', text: 'password is ***\n' }]);
    expect(existsSync(join(place.work, '.pqrs-agent/runs'))).toBe(false);
  });

  test('runs where it may', async () => {
    const place = await openAgentPlace('agent-refused');
    const server = serve(
      sh('outside', 'touch here', { cwd: '..' }),
      sh('nowhere', 'true', { cwd: 'none' }),
      { name: 'missing', argv: ['./none'] },
      { name: 'nothing', argv: [] },
    );
    const ended = await place.agent(server);
    expect(statesOf(server)).toEqual(['broken', 'broken', 'broken', 'broken']);
    expect(existsSync(join(place.folder, 'here'))).toBe(false);
    for (const text of [
      'outside of the work folder',
      'no folder none',
      'not started',
      'nothing to run',
    ])
      expect(ended.out).toContain(text);
    const allowed = serve(sh('outside', 'touch here', { cwd: '..' }));
    expect((await place.agent(allowed, ['--allow-outside'])).code).toBe(0);
    expect(existsSync(join(place.folder, 'here'))).toBe(true);
  });
});

describe('a false green [PQRS-43]', () => {
  const PASSED = '<testsuite tests="1"><testcase name="a" file="a.test.ts"/></testsuite>';
  const junit = { report: { format: 'junit', path: 'out/r.xml' } };

  test('is broken, and does not hold up the next command', async () => {
    const place = await openAgentPlace('agent-false-green');
    writeFileSync(join(place.work, 'seed'), PASSED);
    const old = `cp seed out/r.xml; touch -d '2 days ago' out/r.xml`;
    const falseGreens = [
      ['no_report', 'true'],
      ['report_stale', old],
      ['exit_code_disagrees', 'cp seed out/r.xml; exit 1'],
      ['cut_off', 'head -c 40 seed > out/r.xml'],
      ['cut_off', ': > out/r.xml'],
      ['killed', 'cp seed out/r.xml; kill -9 $$'],
      ['no_report', 'mkfifo out/r.xml'],
      ['no_report', 'mkdir out/r.xml'],
    ] as const;
    const before = sh('before', 'cp seed out/r.xml', junit);
    const server = serve(
      ...falseGreens.flatMap(([, script], at) => [before, sh(`false ${at}`, script, junit)]),
    );
    const ended = await place.agent(server, ['--max-items', '100']);
    expect(ended.code).toBe(1);
    expect(statesOf(server)).toEqual(falseGreens.flatMap(() => ['passed', 'broken']));
    for (const [at, [code]] of falseGreens.entries())
      expect(ended.out).toMatch(new RegExp(`false ${at}\\b.*\\n(?: {21}.*\\n)* {21}${code}`));
  });
});

describe('a server', () => {
  test('that is busy is tried again, and one whose answer was lost has one report', async () => {
    const place = await openAgentPlace('agent-busy');
    const server = serve(sh('one', 'true'));
    const moods = new Set(['/agent/suite', '/run-state', '/test-runs']);
    server.mood = (_, path) =>
      moods.delete(path) ? problem(503, 'unavailable', { 'retry-after': '0' }) : undefined;
    let lost = 0;
    server.after = (answer, path) => {
      if (path !== '/test-runs' || lost++ > 0) return answer;
      return problem(502, 'lost on the way');
    };
    expect((await place.agent(server)).code).toBe(0);
    expect(server.reports).toHaveLength(1);
    expect(server.asked.filter((one) => one === 'POST /test-runs')).toHaveLength(3);
    expect(new Set(server.reports.map(({ key }) => key)).size).toBe(1);
  });

  test('that refuses, or is away, ends the agent', async () => {
    const place = await openAgentPlace('agent-refuses');
    const server = serve(sh('one', 'true'));
    server.mood = (_, path) => (path === '/agent/suite' ? problem(404, 'not_found') : undefined);
    expect(await place.agent(server)).toMatchObject({
      code: 1,
      err: 'pqrs: no suite: 404 not_found: as the test wants: not_found\n',
    });
    await server.stop();
    const away = await place.agent(server, ['--retry-ms', '0']);
    expect(away.code).toBe(2);
    expect(away.err).toContain(`${server.url} cannot be reached`);
  });
});

describe('a lease [PQRS-48]', () => {
  test('is kept alive while the command uses all of every processor [PQRS-51]', async () => {
    const place = await openAgentPlace('agent-starved');
    const spin = 'i=0; while [ ! -e go ]; do i=$((i+1)); done';
    const server = serve(sh('busy', `for n in 1 2 3 4; do (${spin}) & done; wait`));
    server.leaseMs = 3000;
    const agent = place.start(server);
    await until(() => (server.runs[0]?.heartbeats ?? 0) >= 4);
    writeFileSync(join(place.work, 'go'), '');
    expect((await agent.ended).code).toBe(0);
    expect(statesOf(server)).toEqual(['passed']);
  });

  test('that is lost ends the command, and the next item is begun', async () => {
    const place = await openAgentPlace('agent-lost');
    const server = serve(waiting('one', 'never'), sh('two', 'true'));
    server.leaseMs = 2000;
    let begun = false;
    server.mood = async (request, path) => {
      if (path !== '/run-state' || request.method !== 'POST') return undefined;
      const { runId, state } = (await request.clone().json()) as { runId: string; state?: string };
      begun ||= state === 'running';
      return runId === 'run_1_1' && state === undefined ? problem(409, 'lease_expired') : undefined;
    };
    const ended = await place.agent(server);
    expect(ended.out).toMatch(/lost +one/);
    expect(ended.out).toContain('409 lease_expired');
    expect(begun).toBe(true);
    expect(statesOf(server)).toEqual(['running', 'passed']);
    expect(server.reports).toHaveLength(1);
    expect(processesOfRun('run_1_1')).toEqual([]);
  });

  test('that cannot be renewed in its time is lost', async () => {
    const place = await openAgentPlace('agent-unreachable');
    const server = serve(waiting('one', 'never'));
    server.leaseMs = 800;
    const agent = place.start(server, ['--retry-ms', '500']);
    await until(() => existsSync(join(place.work, 'one.begun')));
    await server.stop();
    const ended = await agent.ended;
    expect(ended.code).toBe(2);
    expect(ended.out).toMatch(/lost +one\n.*cannot be reached/);
    expect(processesOfRun('run_1_1')).toEqual([]);
  });

  test('under which cancellation is asked for ends the command [PQRS-47]', async () => {
    const place = await openAgentPlace('agent-cancelled');
    const server = serve(waiting('one', 'never'), sh('two', 'true'));
    server.leaseMs = 2000;
    const agent = place.start(server);
    await until(() => existsSync(join(place.work, 'one.begun')));
    const [run] = server.runs;
    if (run) run.cancelRequested = true;
    const ended = await agent.ended;
    expect(ended.out).toMatch(/cancelled +one/);
    expect(statesOf(server)).toEqual(['cancelled', 'passed']);
    expect(processesOfRun('run_1_1')).toEqual([]);
  });
});

describe('an agent that is asked to end', () => {
  test('lets its item end, and begins no other', async () => {
    const place = await openAgentPlace('agent-asked');
    const server = serve(waiting('one', 'go'), sh('two', 'true'));
    const first = place.start(server);
    await until(() => existsSync(join(place.work, 'one.begun')));
    first.kill('SIGTERM');
    await until(() => first.err().includes('asked to end'));
    writeFileSync(join(place.work, 'go'), '');
    const asked = await first.ended;
    expect(asked.code).toBe(1);
    expect(asked.err).toEndWith('pqrs: not all items were run: the agent was asked to end\n');
    expect(statesOf(server)).toEqual(['passed', 'queued']);
    expect(readdirSync(join(place.work, '.pqrs-agent'))).toEqual(['.gitignore']);
  });

  test('ends its item itself when the grace is over', async () => {
    const place = await openAgentPlace('agent-grace');
    const server = serve(waiting('one', 'never'));
    const agent = place.start(server, ['--grace-ms', '50']);
    await until(() => existsSync(join(place.work, 'one.begun')));
    agent.kill('SIGTERM');
    const ended = await agent.ended;
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain('one: ended before its time');
    expect(ended.err).toEndWith('pqrs: the agent had to end before its item had\n');
    expect(statesOf(server)).toEqual(['running']);
    expect(processesOfRun('run_1_1')).toEqual([]);
  });
});

describe('an agent', () => {
  test('claims a few items at a time until the plan is done', async () => {
    const place = await openAgentPlace('agent-plan');
    const server = serve(...['a', 'b', 'c'].map((name) => sh(name, 'true')));
    const ended = await place.agent(server, ['--max-items', '2', '--strategy', 'risk', '--json']);
    expect(ended.code).toBe(0);
    expect(ended.err.match(/suite ste_\d: \d items?/g)).toHaveLength(2);
    const passed = { ending: 'passed', run: { status: 'passed', harnessErrors: [] } };
    expect(JSON.parse(ended.out).items).toMatchObject([
      { runId: 'run_1_1', ...passed },
      passed,
      passed,
    ]);
    expect(server.asked).toContain('POST /agent/plan');
  });

  test('is alone in its work folder', async () => {
    const place = await openAgentPlace('agent-alone');
    const server = serve(waiting('one', 'go'));
    const first = place.start(server);
    await until(() => existsSync(join(place.work, 'one.begun')));
    const second = await place.agent(server);
    expect(second.code).toBe(1);
    expect(second.err).toContain(`the agent with process id ${first.pid} works in this folder`);
    writeFileSync(join(place.work, 'go'), '');
    expect((await first.ended).code).toBe(0);
  });

  test('refuses a wrong call with 2, and asks the server for nothing', async () => {
    const place = await openAgentPlace('agent-wrong');
    const server = serve();
    for (const [args, why] of [
      [['--kinds', 'shell,magic'], '--kinds takes shell'],
      [['--kinds', 'manual'], '--kinds takes shell'],
      [['--strategy', 'luck'], '--strategy takes risk'],
      [['--lease-ms', '5'], '--lease-ms must be a whole number'],
      [['--work-dir', 'none'], 'there is no folder none'],
      [['--plan', 'a', '--strategy', 'risk'], 'exclude each other'],
      [['extra'], 'this command takes no arguments'],
    ] as const) {
      const ended = await place.agent(server, [...args]);
      expect(ended.code).toBe(2);
      expect(ended.err).toContain(why);
    }
    expect(server.asked).toEqual([]);
  });
});

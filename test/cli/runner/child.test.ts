// Children: how they end, that they end in time, and that nothing of them is left running.
import { describe, expect, test } from 'bun:test';
import { type ChildPlan, childEnvironment, runChild } from '../../../src/cli/runner/child.ts';
import { processesOfRun } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let runs = 0;

async function run(script: string, plan: Partial<ChildPlan> & { stopWhen?: string } = {}) {
  runs += 1;
  const runId = `run_child_${process.pid}_${runs}`;
  const cwd = plan.cwd ?? temporaryFolder('child');
  let said = '';
  const interrupt = new AbortController();
  const end = await runChild({
    ...{ argv: ['sh', '-c', script], cwd, timeoutMs: 60_000, graceMs: 200 },
    env: childEnvironment(process.env, runId),
    async output(stream) {
      for await (const chunk of stream) {
        said += Buffer.from(chunk).toString();
        if (plan.stopWhen !== undefined && said.includes(plan.stopWhen)) interrupt.abort();
      }
    },
    interrupt: interrupt.signal,
    ...plan,
  });
  return { ...end, said, left: processesOfRun(runId) };
}

describe('a child', () => {
  test('ends by itself with what it said on both streams', async () => {
    const end = await run('echo out; echo err >&2; exit 3');
    expect(end).toMatchObject({ exitCode: 3, signal: null, endedBy: 'itself', leftovers: false });
    expect(end.said.split('\n').sort()).toEqual(['', 'err', 'out']);
  });

  test('is killed with its group when its time is up', async () => {
    const script = 'trap "echo asked" TERM; sleep 1000 & sleep 1001 & wait; wait';
    const end = await run(script, { timeoutMs: 300 });
    expect(end).toMatchObject({ endedBy: 'timeout', left: [] });
    expect(end.signal).not.toBeNull();
    expect(end.said).toContain('asked');
  });

  test('is stopped when it is asked to, and killed when it does not listen', async () => {
    const deaf = 'trap "" TERM; echo up; while :; do sleep 1; done';
    const end = await run(deaf, { stopWhen: 'up' });
    expect(end).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      endedBy: 'interrupt',
      left: [],
    });
  });

  test('has the whole grace for what it started, also where it ends at once itself', async () => {
    const slow = 'trap "sleep 1.2; echo cleaned; exit" TERM; echo up; while :; do sleep 0.05; done';
    const end = await run(`(${slow}) & wait`, { stopWhen: 'up', graceMs: 30_000 });
    expect(end).toMatchObject({ signal: 'SIGTERM', endedBy: 'interrupt', left: [] });
    expect(end.said).toContain('cleaned');
  });

  test('leaves nothing running that it started', async () => {
    const end = await run('sleep 1000 & echo done');
    expect(end).toMatchObject({ exitCode: 0, signal: null, endedBy: 'itself', leftovers: true });
    expect(end.left).toEqual([]);
  });

  test('is read to an end also where somebody who has left its group has its output open', async () => {
    const setsid = Bun.which('setsid');
    if (setsid === null) return console.log('skipped: setsid is not on this machine');
    let read = '';
    let given = '';
    const end = await run(`${setsid} sleep 5 & echo said`, {
      async output(stream) {
        for await (const chunk of stream) read += Buffer.from(chunk).toString();
        given += read;
      },
    });
    expect(end).toMatchObject({ exitCode: 0, endedBy: 'itself' });
    expect(given).toContain('said\n');
  });
});

describe('the environment of a child', () => {
  test('holds what programs need, what it was given, and nothing else', () => {
    const own = {
      ...{ PATH: '/bin', HOME: '/root', LANG: 'C', TMPDIR: '/tmp' },
      ...{ PQRS_TOKEN: 'secret', AWS_SECRET: 'x', PQRS_RUN_ID: 'run_outer' },
    };
    const made = childEnvironment(own, 'run_1', { LANG: 'de', A: '1' }, { PASSWORD: 'p', A: '2' });
    expect(made).toEqual({
      ...{ PATH: '/bin', HOME: '/root', LANG: 'de', TMPDIR: '/tmp' },
      ...{ A: '2', PASSWORD: 'p', PQRS_RUN_ID: 'run_1' },
    });
  });
});

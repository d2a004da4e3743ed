// Children: how they end, that they end in time, and that nothing of them is left running.
import { describe, expect, test } from 'bun:test';
import {
  type ChildPlan,
  childEnvironment,
  processesOfRun,
  readStat,
  runChild,
  startOf,
} from '../../../src/cli/runner/child.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let runs = 0;

async function run(script: string, plan: Partial<ChildPlan> & { stopWhen?: string } = {}) {
  runs += 1;
  const runId = `run_child_${process.pid}_${runs}`;
  const cwd = plan.cwd ?? temporaryFolder('child');
  let said = '';
  const interrupt = new AbortController();
  const end = await runChild({
    ...{ runId, argv: ['sh', '-c', script], cwd, timeoutMs: 60_000, graceMs: 200 },
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
  return { ...end, said, left: await processesOfRun(runId) };
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

  test('leaves nothing running that it started, in its group or out of it', async () => {
    const setsid = Bun.which('setsid');
    const away = setsid === null ? '' : 'setsid sleep 1002 & ';
    const end = await run(`sleep 1000 & ${away}echo done`);
    expect(end).toMatchObject({ exitCode: 0, signal: null, endedBy: 'itself', leftovers: true });
    if (process.platform === 'linux') expect(end.left).toEqual([]);
  });

  test('is read to an end also where somebody who cannot be found has its output open', async () => {
    const setsid = Bun.which('setsid');
    if (setsid === null) return console.log('skipped: setsid is not on this machine');
    let read = '';
    let given = '';
    const end = await run(`env -i ${setsid} sleep 5 & echo said`, {
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

describe('processes', () => {
  test('are told apart by their start', async () => {
    const one = Bun.spawn(['sleep', '1000']);
    const start = await startOf(one.pid);
    expect(start).toBeString();
    expect(await startOf(one.pid)).toBe(start as string);
    one.kill('SIGKILL');
    await one.exited;
    expect(await startOf(one.pid)).toBeUndefined();
    expect(await startOf(process.pid)).toBeString();
  });

  test('are read from what Linux says, whatever their program is called', () => {
    const rest =
      '7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 2355200 1 18446744073709551615';
    const group = { group: 42, start: '98765' };
    expect(readStat(`41 (a) b (c) S ${rest}`)).toEqual({ ...group, isLiving: true });
    expect(readStat(`41 (sh) Z ${rest}`)).toEqual({ ...group, isLiving: false });
  });
});

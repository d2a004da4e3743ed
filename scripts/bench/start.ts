// From the start of the process to its first 200 on /ready, and the memory of an idle server, with
// many issues on disk, against a bare compiled server.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Bench, mebibytes, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { grownFolder, MANY } from './grown.ts';
import { processorMs, residentBytes } from './process-figures.ts';
import { median } from './statistics.ts';

const ROUNDS = 9;
const IDLE_MS = 1500;
const AT_MOST = 2;

interface Start {
  ms: number;
  /** Until another request is answered, which is sent then. */
  next: number;
  /** Processor time until then, milliseconds. */
  cost: number;
  memory: number;
}

export const start: Bench = async ({ pqrs, bare, plain, say }) => {
  const dataDir = await grownFolder(pqrs, say);
  const token = readFileSync(join(dataDir, 'owner.token'), 'utf8').trim();
  const rounds: [Start, Start, Start][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const port = await freePort();
    const ours = [pqrs, 'serve', '--data-dir', dataDir, '--port', String(port)];
    const a = await measure(ours, port, ['/api/ready', '/api/issues?limit=1'], token);
    const b = await measure([plain], await freePort(), ['/ready', '/item'], token);
    const c = await measure([bare], await freePort(), ['/ready', '/item'], token);
    rounds.push([a, b, c]);
    say(
      `start ${short(a.ms)} ms, ${mebibytes(a.memory)}; bare ${short(b.ms)} ms, ${mebibytes(b.memory)}; bare with bytecode ${short(c.ms)} ms, ${mebibytes(c.memory)}`,
    );
  }
  const of = (index: 0 | 1 | 2, name: keyof Start) =>
    median(rounds.map((pair) => pair[index][name]));
  const [time, memory] = [of(0, 'ms') / of(1, 'ms'), of(0, 'memory') / of(1, 'memory')];
  return [
    {
      work: `start to the first 200 on /ready, ${whole(MANY)} issues on disk`,
      measured: `${short(time)} times: ${short(of(0, 'ms'))} ms against ${short(of(1, 'ms'))} ms of a bare server (${short(of(2, 'ms'))} ms of one with bytecode; processor ${short(of(0, 'cost'))}, ${short(of(1, 'cost'))} and ${short(of(2, 'cost'))} ms)`,
      limit: `within ${AT_MOST} times`,
      ok: time <= AT_MOST,
    },
    {
      work: 'the same to the first page of issues, asked for then',
      measured: `${short(of(0, 'next'))} ms`,
      limit: 'told',
      ok: true,
    },
    {
      work: 'memory of the idle server',
      measured: `${short(memory)} times: ${mebibytes(of(0, 'memory'))} against ${mebibytes(of(1, 'memory'))}`,
      limit: `within ${AT_MOST} times`,
      ok: memory <= AT_MOST,
    },
  ];
};

async function measure(
  command: string[],
  port: number,
  [first, second]: [string, string],
  token: string,
): Promise<Start> {
  const began = performance.now();
  const child = Bun.spawn(command, {
    env: { PATH: process.env.PATH ?? '', PORT: String(port), PQRS_LOG_LEVEL: 'warn' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  });
  async function untilAnswered(path: string): Promise<number> {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${command[0]} ended with ${child.exitCode}`);
      const status = await openClient(port).then(
        async (client) => {
          const answer = await client.ask({ method: 'GET', path, token });
          client.close();
          return answer.status;
        },
        () => 0,
      );
      if (status === 200) return performance.now() - began;
      await Bun.sleep(1);
    }
  }

  const ms = await untilAnswered(first);
  const cost = processorMs(child.pid);
  const next = await untilAnswered(second);
  await Bun.sleep(IDLE_MS);
  const memory = residentBytes(child.pid);
  child.kill('SIGTERM');
  await child.exited;
  return { ms, next, cost, memory };
}

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    server.close(() => resolve(port));
  });
  return promise;
}

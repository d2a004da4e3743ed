// `pqrs agent` of the executable, as its user starts it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkplace, type Workplace } from './running-executable.ts';

export interface RunningAgent {
  pid: number;
  out(): string;
  err(): string;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<{ code: number; out: string; err: string }>;
}

/** A server, and the token that an agent has for it. */
export interface ForAgents {
  url: string;
  token: string;
}

export interface AgentPlace extends Workplace {
  /** The folder that the agent works in. */
  work: string;
  /** Starts an agent for the plan of a server, in the work folder unless told. */
  start(server: ForAgents, args?: string[], folder?: string): RunningAgent;
  /** Runs an agent to its end. */
  agent(server: ForAgents, args?: string[]): Promise<{ code: number; out: string; err: string }>;
}

const SECRET_OF_THE_AGENT = 'not-for-commands';

/** A folder with the executable, and one for an agent to work in. */
export async function openAgentPlace(name: string): Promise<AgentPlace> {
  const place = await openWorkplace(name);
  const work = join(place.folder, 'work');
  mkdirSync(work);

  function start({ url, token }: ForAgents, args: string[] = [], folder = work): RunningAgent {
    const flags = [
      '--url',
      url,
      '--work-dir',
      folder,
      ...(hasSelection(args) ? [] : ['--plan', 'pln_1']),
    ];
    const child = Bun.spawn([join(place.folder, 'pqrs'), 'agent', ...flags, ...args], {
      cwd: place.folder,
      env: { PATH: process.env.PATH ?? '', PQRS_TOKEN: token, OTHER: SECRET_OF_THE_AGENT },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, err] = [collect(child.stdout), collect(child.stderr)];
    const ended = Promise.all([child.exited, out.whole, err.whole]).then(([code]) => ({
      ...{ code, out: out.text(), err: err.text() },
    }));
    return { pid: child.pid, out: out.text, err: err.text, kill: (one) => child.kill(one), ended };
  }

  return { ...place, work, start, agent: (server, args) => start(server, args).ended };
}

function hasSelection(args: string[]): boolean {
  return ['--plan', '--commands', '--strategy'].some((flag) => args.includes(flag));
}

function collect(stream: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder();
  let text = '';
  const whole = (async () => {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })();
  return { text: () => text, whole };
}

/** Waits until something is so; a test whose condition never comes true hangs. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(20);
}

// The executable as its user runs it: commands that end, and a server that is stopped.
import { cpSync, linkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { executablePath } from './executable.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Ended {
  code: number;
  out: string;
  err: string;
}

export interface Served {
  address: string;
  /** What it has printed so far. */
  out(): string;
  err(): string;
  pid: number;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

export interface Workplace {
  folder: string;
  /** Runs a command to its end, in the folder. */
  run(args: string[], environment?: Record<string, string>, input?: string): Promise<Ended>;
  /** Starts a server in the folder; resolves when it listens, rejects when it ends before. */
  serve(args?: string[], environment?: Record<string, string>): Promise<Served>;
}

/** An empty folder with nothing but the executable. */
export async function openWorkplace(name: string): Promise<Workplace> {
  const folder = temporaryFolder(name);
  const executable = join(folder, 'pqrs');
  put(await executablePath(), executable);
  return workplaceAt(folder, executable);
}

/** A link where the file system allows one: the executable is large. */
function put(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to);
  }
}

/** The same executable in another folder, made when missing. */
export function workplaceAt(folder: string, executable: string): Workplace {
  mkdirSync(folder, { recursive: true });
  return {
    folder,
    async run(args, environment = {}, input = '') {
      const child = Bun.spawn([executable, ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', ...environment },
        stdin: new TextEncoder().encode(input),
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      return { code: await child.exited, out, err };
    },
    async serve(args = [], environment = {}) {
      const child = Bun.spawn([executable, 'serve', '--port', '0', ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', ...environment },
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [out, err] = [collect(child.stdout), collect(child.stderr)];
      async function ended(): Promise<Ended> {
        const code = await child.exited;
        return { code, out: out.text(), err: err.text() };
      }
      while (!/Try it:\n.*\n/.test(out.text())) {
        if (child.exitCode !== null)
          throw new Error(`the server ended: ${JSON.stringify(await ended())}`);
        await Bun.sleep(5);
      }
      const address = /^ *address +(\S+)/m.exec(out.text())?.[1] ?? '';
      return {
        address,
        out: out.text,
        err: err.text,
        pid: child.pid,
        stop(signal = 'SIGTERM') {
          child.kill(signal);
          return ended();
        },
      };
    },
  };
}

function collect(stream: ReadableStream<Uint8Array>): { text(): string } {
  const decoder = new TextDecoder();
  let text = '';
  (async () => {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })().catch(() => {});
  return { text: () => text };
}

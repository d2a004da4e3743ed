// Starting what is measured, each in a temporary folder, and stopping it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Running {
  pid: number;
  port: number;
  /** Milliseconds from the start of the process to the line with its address. */
  startMs: number;
  /** Asks it to end; gives its exit code. */
  stop(): Promise<number>;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
  /** What it has written to standard error, the last of it. */
  complaints(): string;
}

export interface RunningPqrs extends Running {
  dataDir: string;
  /** The owner's token. */
  token: string;
}

const COMPLAINTS_KEPT = 4000;

const made: string[] = [];
const started = new Set<{ kill(signal: 'SIGKILL'): void }>();

// What fails in the middle leaves no server behind.
process.on('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

/** A new temporary folder, removed by `removeFolders`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'pqrs-bench-'));
  made.push(folder);
  return folder;
}

/** Removes all temporary folders. */
export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Starts a program and waits for its address. @throws with its output when it ends before */
export async function startProgram(
  command: string[],
  environment: Record<string, string>,
): Promise<Running> {
  const began = performance.now();
  const child = Bun.spawn(command, {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  started.add(child);
  void child.exited.then(() => started.delete(child));
  let complaints = '';
  const complained = collect(child.stderr, (text) => {
    complaints = (complaints + text).slice(-COMPLAINTS_KEPT);
  }).then(() => complaints.trim());
  const port = await addressIn(child.stdout);
  if (port === undefined) {
    throw new Error(`${command[0]} ended with ${await child.exited}: ${await complained}`);
  }
  return {
    pid: child.pid,
    port,
    startMs: performance.now() - began,
    complaints: () => complaints,
    async stop() {
      child.kill('SIGTERM');
      return child.exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

/** Starts the service; a folder and settings may be given. */
export async function startPqrs(
  executable: string,
  settings: Record<string, string> = {},
  dataDir = join(temporaryFolder(), 'data'),
): Promise<RunningPqrs> {
  mkdirSync(dataDir, { recursive: true });
  const command = [executable, 'serve', '--data-dir', dataDir, '--port', '0'];
  const running = await startProgram(command, { PQRS_LOG_LEVEL: 'warn', ...settings });
  const token = readFileSync(join(dataDir, 'owner.token'), 'utf8').trim();
  return { ...running, dataDir, token };
}

/** Makes a token of the running service through its command line. */
export function makeToken(executable: string, dataDir: string, capability: string): string {
  const command = [executable, 'token', 'create', '--json', '--capability', capability];
  const { stdout, stderr } = Bun.spawnSync([...command, '--data-dir', dataDir], { env: {} });
  if (stdout.length === 0) throw new Error(stderr.toString());
  return (JSON.parse(stdout.toString()) as { token: string }).token;
}

async function addressIn(output: ReadableStream<Uint8Array>): Promise<number | undefined> {
  const reader = output.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return undefined;
    text += decoder.decode(value, { stream: true });
    const port = /address {2}http:\/\/[^\s:]+:(\d+)/.exec(text)?.[1];
    if (port === undefined) continue;
    // Read to the end, or the process would wait for a reader.
    void (async () => {
      while (!(await reader.read()).done);
    })().catch(() => {});
    return Number(port);
  }
}

async function collect(
  output: ReadableStream<Uint8Array>,
  take: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of output) take(decoder.decode(chunk, { stream: true }));
}

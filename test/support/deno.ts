// The application on Deno as its user runs it there: from the source, by the same command line.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Capability } from '../../src/access/access.ts';
import { askServer } from '../../src/cli/administration/socket.ts';
import { OWN_FLAGS } from './own-settings.ts';
import { MAIN_SLUG, OTHER_SLUG, ROLE_TOKENS, type Role } from './roles.ts';
import type { Ended, Served } from './running-executable.ts';
import type { Target } from './target.ts';
import { temporaryFolder, whenRunEnds } from './temporary-folder.ts';

const ROOT = join(import.meta.dir, '../..');
const FLAGS = [
  ...['--allow-net', '--allow-read', '--allow-write', '--allow-env', '--allow-ffi', '--allow-sys'],
  ...['--node-modules-dir=manual', '--no-prompt', '--cached-only', '--unstable-no-legacy-abort'],
];
const START_MS = 60_000;
const EXPIRES_MS = 1000;

/** Deno's binary, or undefined where the package has none for this platform. */
export function denoPath(): string | undefined {
  const { platform, arch } = process;
  const folders = [`@deno/${platform}-${arch}-glibc`, `@deno/${platform}-${arch}`, 'deno'];
  const paths = folders.map((folder) => join(ROOT, 'node_modules', folder, 'deno'));
  return paths.find((path) => existsSync(path));
}

/** Why nothing can run on Deno here, or undefined where it can. */
export function denoMissing(): string | undefined {
  if (denoPath()) return undefined;
  return `the package deno has no binary for ${process.platform}-${process.arch}`;
}

/** Runs a command of pqrs on Deno to its end. */
export async function runOnDeno(
  args: string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const child = spawn(args, environment);
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  const code = await child.exited;
  return { code, out: out(), err: err() };
}

/** Starts the server on Deno over a data folder; resolves when it listens. */
export async function serveOnDeno(
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<Served> {
  const child = spawn(['serve', '--port', '0', '--data-dir', dataDir], environment);
  // However this run ends, the server does.
  whenRunEnds('kill -9 "$0" 2>/dev/null', String(child.pid));
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  const end = performance.now() + START_MS;
  while (!/Try it:\n.*\n/.test(out())) {
    if (child.exitCode !== null || performance.now() > end) {
      throw new Error(`the server on Deno did not start:\n${out()}${err()}`);
    }
    await Bun.sleep(10);
  }
  return {
    address: /^ *address +(\S+)/m.exec(out())?.[1] ?? '',
    out,
    err,
    pid: child.pid,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const code = await child.exited;
      return { code, out: out(), err: err() };
    },
  };
}

/** The application on Deno with a token for each role. */
export async function openDenoTarget(): Promise<Target> {
  const dataDir = temporaryFolder('deno');
  const settings = Object.entries(OWN_FLAGS).map(([name, value]) => [
    `PQRS_${name.toUpperCase().replaceAll('-', '_')}`,
    String(value),
  ]);
  const served = await serveOnDeno(dataDir, Object.fromEntries(settings));
  const owner = readFileSync(join(dataDir, 'owner.token'), 'utf8').trim();

  async function changeProject(body: object): Promise<{ token?: string }> {
    const answer = await fetch(`${served.address}/api/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`the project was not changed: ${await answer.text()}`);
    return (await answer.json()) as { token?: string };
  }

  await changeProject({ slug: MAIN_SLUG, settings: { demo: true } });
  const { token: other = '' } = await changeProject({ slug: OTHER_SLUG, name: 'Other' });
  const tokens = new Map<Role, string>([
    ['owner', owner],
    ['other', other],
  ]);
  for (const [role, { project, capabilities, readOnly = false, fate }] of Object.entries(
    ROLE_TOKENS,
  )) {
    const made = await askServer(dataDir, 'token create', {
      project,
      capabilities: capabilities as Capability[],
      label: role,
      expiresInMs: fate === 'expired' ? EXPIRES_MS : undefined,
      instance: false,
      readOnly,
    });
    if (!made) throw new Error('the server on Deno has no administration');
    if (fate === 'revoked') await askServer(dataDir, 'token revoke', { id: made.result.id });
    tokens.set(role as Role, made.result.token);
  }
  await Bun.sleep(EXPIRES_MS);
  return {
    own: true,
    fetch: (path, init) => fetch(`${served.address}${path}`, { redirect: 'manual', ...init }),
    token: (role) => tokens.get(role)!,
    socket: async () => ({ hostname: '127.0.0.1', port: Number(new URL(served.address).port) }),
    logged: served.err,
  };
}

function spawn(args: string[], environment: Record<string, string>) {
  const deno = denoPath();
  if (!deno) throw new Error(denoMissing());
  return Bun.spawn([deno, 'run', ...FLAGS, join(ROOT, 'src/main.ts'), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

/** Reads a stream in the background; gives a function of all that has come. */
function collect(stream: ReadableStream<Uint8Array>): () => string {
  const decoder = new TextDecoder();
  let text = '';
  (async () => {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })().catch(() => {});
  return () => text;
}

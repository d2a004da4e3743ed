// The compiled executable as a target: moved to an empty folder, started there, its tokens made by
// its own command line.
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { executablePath } from './executable.ts';
import { OWN_FLAGS } from './own-settings.ts';
import { MAIN_SLUG, OTHER_SLUG, ROLE_TOKENS, type Role } from './roles.ts';
import type { Target } from './target.ts';
import { temporaryFolder } from './temporary-folder.ts';

const EXPIRES_SECONDS = 1;

/** Starts the executable with a token for each role. */
export async function openExecutableTarget(): Promise<Target> {
  const folder = temporaryFolder('executable');
  const executable = join(folder, 'pqrs');
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  cpSync(await executablePath(), executable);
  const { address, logged } = await start(executable, folder, dataDir);
  const owner = readFileSync(join(dataDir, 'owner.token'), 'utf8').trim();

  async function changeProject(body: object): Promise<{ token?: string }> {
    const answer = await fetch(`${address}/api/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`the project was not changed: ${await answer.text()}`);
    return (await answer.json()) as { token?: string };
  }

  async function command(...args: string[]): Promise<{ id: string; token: string }> {
    const child = Bun.spawn([executable, ...args, '--data-dir', dataDir, '--json'], {
      cwd: folder,
      env: {},
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) !== 0) throw new Error(`pqrs ${args.join(' ')}: ${err}`);
    return JSON.parse(out) as { id: string; token: string };
  }

  async function makeToken(role: string): Promise<[Role, string]> {
    const { project, capabilities, readOnly, fate } = ROLE_TOKENS[role as keyof typeof ROLE_TOKENS];
    const made = await command(
      ...['token', 'create', '--project', project, '--label', role],
      ...capabilities.flatMap((capability) => ['--capability', capability]),
      ...(readOnly ? ['--read-only'] : []),
      ...(fate === 'expired' ? ['--expires', `${EXPIRES_SECONDS}s`] : []),
    );
    if (fate === 'revoked') await command('token', 'revoke', made.id);
    if (fate === 'expired') await Bun.sleep(EXPIRES_SECONDS * 1000);
    return [role as Role, made.token];
  }

  await changeProject({ slug: MAIN_SLUG, settings: { demo: true } });
  const { token: other = '' } = await changeProject({ slug: OTHER_SLUG, name: 'Other' });
  const tokens = new Map<Role, string>(await Promise.all(Object.keys(ROLE_TOKENS).map(makeToken)));
  tokens.set('owner', owner);
  tokens.set('other', other);
  return {
    own: true,
    fetch: (path, init) => fetch(`${address}${path}`, { redirect: 'manual', ...init }),
    token: (role) => tokens.get(role)!,
    socket: async () => ({ hostname: '127.0.0.1', port: Number(new URL(address).port) }),
    logged,
  };
}

/** Starts it so that it ends with this process, however that ends; resolves when it listens. */
async function start(executable: string, folder: string, dataDir: string) {
  const child = Bun.spawn(
    ['setsid', 'sh', '-c', '"$0" serve & server=$!; cat >/dev/null; kill $server', executable],
    {
      cwd: folder,
      env: {
        ...Object.fromEntries(
          Object.entries(OWN_FLAGS).map(([name, value]) => variable(name, value)),
        ),
        PATH: process.env.PATH,
        PQRS_DATA_DIR: dataDir,
        PQRS_PORT: '0',
      },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  child.unref();
  const log = collect(child.stderr);
  const said = collect(child.stdout);
  const deadline = performance.now() + 20_000;
  for (;;) {
    const address = /^ *address +(http:\S+)/m.exec(said())?.[1];
    if (address) return { address, logged: log };
    if (performance.now() > deadline || child.exitCode !== null) {
      throw new Error(`the executable did not start:\n${said()}${log()}`);
    }
    await Bun.sleep(10);
  }
}

function variable(name: string, value: string | boolean): [string, string] {
  return [`PQRS_${name.toUpperCase().replaceAll('-', '_')}`, String(value)];
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

// A folder of test/examples, copied and with a project of its own on a running server.
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Workplace } from './running-executable.ts';
import { temporaryFolder } from './temporary-folder.ts';

const EXAMPLES = join(import.meta.dir, '..', 'examples');

/** Where commands that make tools available put them: a folder with `bin`, the same for all examples. */
export const TOOLS = temporaryFolder('tools');

export interface Example {
  folder: string;
  /** Runs lines of shell; `path` are folders before those of the machine and its tools. */
  run(
    lines: string,
    path: readonly string[],
    variables?: Readonly<Record<string, string>>,
  ): { code: number; out: string };
  /** The first page of a list. */
  list(path: string): Promise<Listed[]>;
}

export interface Listed {
  status: string;
  totals: { tests: number; passed: number; flaky: number };
  attachments: { name: string }[];
}

/**
 * @param tools - what says that the tools are there, or brings them
 * @param names - folders that are copied over each other; the project has the name of the last
 * @returns undefined where the tools cannot be had, which is printed
 */
export async function openExample(
  { run }: Workplace,
  address: string,
  tools: string,
  ...names: string[]
): Promise<Example | undefined> {
  const slug = names.at(-1) ?? '';
  const folder = temporaryFolder(slug);
  for (const name of names) cpSync(join(EXAMPLES, name), folder, { recursive: true });
  await run(['project', 'create', slug, '--slug', slug]);
  const rights = ['--capability', 'srs:edit', '--capability', 'agent:execute'];
  const token = (await run(['token', 'create', '--project', slug, ...rights])).out.trim();
  // Whatever runs this may be a job of a CI system itself.
  const own = Object.entries(process.env).filter(([name]) => !/^(?:CI|GITHUB|PQRS)/.test(name));
  const example: Example = {
    folder,
    run(lines, path, variables) {
      const PATH = [...path, join(TOOLS, 'bin'), dirname(process.execPath), process.env.PATH];
      const server = { PATH: PATH.join(':'), PQRS_URL: address, PQRS_TOKEN: token };
      const { exitCode, stdout, stderr } = Bun.spawnSync(['bash', '-eo', 'pipefail', '-c', lines], {
        cwd: folder,
        env: { ...Object.fromEntries(own), ...server, ...variables },
      });
      return { code: exitCode, out: `${stdout}${stderr}` };
    },
    async list(path) {
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await fetch(`${address}/api${path}`, { headers });
      return ((await answer.json()) as { items: Listed[] }).items;
    },
  };
  const { code, out } = example.run(tools, []);
  if (code === 0) return example;
  console.log(`skipped: ${slug}, since \`${tools}\` ends with ${code}: ${out.trim().slice(-200)}`);
  return undefined;
}

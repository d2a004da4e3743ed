// Runs the contract tests in a process of their own, on a target that they do not take by default.
import { join } from 'node:path';

export interface ContractRun {
  passed: number;
  failed: number;
  /** Names of what failed, and what was said. */
  failures: string;
}

const ROOT = join(import.meta.dir, '../..');

/**
 * Runs the contract tests.
 *
 * @param target - the target's name, see `target.ts`
 * @param files - some of the files in `test/contract`, by their names without `.test.ts`
 */
export async function runContract(target: string, files?: string[]): Promise<ContractRun> {
  const paths = files?.map((file) => `./test/contract/${file}.test.ts`) ?? ['./test/contract'];
  const child = Bun.spawn([process.execPath, 'test', ...paths, '-t', `\\[${target}\\]`], {
    cwd: ROOT,
    env: { ...process.env, CONTRACT_TARGET: target, FORCE_COLOR: '0' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const said = await new Response(child.stderr).text();
  await child.exited;
  const number = (word: string) =>
    Number(new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(said)?.[1] ?? Number.NaN);
  const [passed, failed] = [number('pass'), number('fail')];
  const failures = failed === 0 ? '' : said.replace(/^\(pass\).*\n/gm, '').slice(-20_000);
  return { passed, failed, failures };
}

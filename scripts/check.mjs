// `npm run check`: the types (tsc) and the style (Biome), both at once. With `--write` (npm run
// format) Biome formats the files and mends what it safely can.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, root } from './install.mjs';

/**
 * Checks types and style and prints what is wrong.
 * @param {string[]} styleOptions more arguments for `biome check`
 * @returns {Promise<string[]>} the names of the checks that failed
 */
export async function check(styleOptions = []) {
  const results = await Promise.all([
    run('types', 'typescript/bin/tsc', ['-p', root]),
    run('style', '@biomejs/biome/bin/biome', ['check', '--colors=off', ...styleOptions]),
  ]);
  return results.filter((result) => !result.ok).map((result) => result.name);
}

/**
 * @param {string} name what the check is called when its result is printed
 * @param {string} script the tool's Node script, in node_modules
 * @param {string[]} args
 * @returns {Promise<{ name: string, ok: boolean }>}
 */
function run(name, script, args) {
  return new Promise((resolve) => {
    const file = join(root, 'node_modules', script);
    const tool = spawn(process.execPath, [file, ...args], { cwd: root });
    let output = '';
    const collect = (/** @type {unknown} */ chunk) => {
      output += chunk;
    };
    tool.stdout.on('data', collect);
    tool.stderr.on('data', collect);
    tool.on('error', collect);
    tool.on('close', (code) => {
      const ok = code === 0;
      console.log(ok ? `${name}: ok` : `${output.trim()}\n${name}: failed`);
      resolve({ name, ok });
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled();
  const failed = await check(process.argv.slice(2));
  process.exitCode = failed.length === 0 ? 0 : 1;
}

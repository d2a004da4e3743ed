// Runs a script of this folder under Bun, installing the packages first where needed:
// `node scripts/run.mjs scripts/build.ts [argument ...]`.
import { runBun } from './bun.mjs';
import { ensureInstalled } from './install.mjs';

ensureInstalled();
process.exitCode = await runBun(process.argv.slice(2));

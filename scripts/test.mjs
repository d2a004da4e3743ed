// `npm test`: installs what is missing, checks types and style while the executable is built, then
// runs the tests, or those named by the arguments. `--long` (npm run test:long) runs the long
// campaigns of test/long instead. The last line is `N passed, M failed[, K skipped]`. With
// PQRS_REPORT_URL set, what was run is reported to a running pqrs too (see report-tests.mjs).
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFresh } from './build-state.mjs';
import { findBun, runBun } from './bun.mjs';
import { check } from './check.mjs';
import { ensureInstalled, root } from './install.mjs';
import { reportTarget, reportTests, withoutReporting } from './report-tests.mjs';
import { failuresIn, summarize, summaryLine } from './test-summary.mjs';

const LONG_TIMEOUT_MS = 6 * 60 * 60 * 1000;

ensureInstalled();
const args = process.argv.slice(2);
const long = args[0] === '--long';

/** Parts of the suite, each a process of its own; what is in none of them is the last. */
const PARTS = [
  /^test\/contract\//,
  /^test\/(?:sqld|agents|http|operations)\//,
  /^test\/(?:crash|cli)\//,
  /^test\/console\//,
  /^test\/(?:deno|requirements|store)\//,
];
/** With more, two cores only make tests wait for each other. */
const AT_ONCE = 3;

const [failedChecks, built] = await Promise.all([long ? [] : check(), build()]);
const summary = { passed: 0, failed: failedChecks.length, skipped: 0 };
for (const ended of built ? await runAll() : [{ passed: 0, failed: 1, skipped: 0, failures: [] }]) {
  summary.passed += ended.passed;
  summary.failed += ended.failed;
  summary.skipped += ended.skipped;
  for (const failure of ended.failures) console.log(`failed: ${failure}`);
}
for (const name of failedChecks) console.log(`The check of ${name} failed (see above).`);
console.log(summaryLine(summary));
process.exitCode = summary.failed === 0 ? 0 : 1;

/** Runs what is asked for. @returns {Promise<import('./test-summary.mjs').Ended[]>} */
async function runAll() {
  if (long) return [await reported(longArguments(args.slice(1)), [])];
  // Where it is left open which files are run, none is missed.
  if (args.length > 0) return [await reported(args, [])];
  const files = testFiles();
  const parts = PARTS.map((part) => files.filter((file) => part.test(file)));
  parts.push(files.filter((file) => !PARTS.some((part) => part.test(file))));
  console.log(
    `${files.length} test files in ${parts.length} parts, each printed once it has ended:`,
  );
  /** @type {import('./test-summary.mjs').Ended[]} */
  const ended = [];
  const worker = async () => {
    for (let some = parts.shift(); some; some = parts.shift()) {
      /** @type {Buffer[]} */
      const held = [];
      const paths = some.map((file) => `./${file}`);
      ended.push(await reported(paths, some, (chunk) => held.push(chunk)));
      process.stderr.write(Buffer.concat(held));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return ended;
}

async function build() {
  if (isFresh() || (await runBun(['scripts/build.ts'])) === 0) return true;
  console.log('The build failed (see above): no test was run.');
  return false;
}

/** @param {string[]} names campaigns by name, or none for all */
function longArguments(names) {
  const folder = join(root, 'test', 'long');
  const campaigns = existsSync(folder)
    ? readdirSync(folder).filter((name) => name.endsWith('.campaign.ts'))
    : [];
  const chosen = campaigns
    .filter((file) => names.length === 0 || names.includes(file.replace('.campaign.ts', '')))
    .map((file) => `./test/long/${file}`);
  // A name that no file has, rather than no name at all, which would run the quick tests.
  if (chosen.length === 0) chosen.push(`./test/long/${names[0] ?? 'any'}.campaign.ts`);
  return [`--timeout=${LONG_TIMEOUT_MS}`, ...chosen];
}

function testFiles() {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith('examples'))
    .map((path) => `test/${path.replaceAll('\\', '/')}`);
}

/**
 * Runs tests, and reports them where that is wished; how they ended is the same with and without.
 * @param {string[]} testArguments
 * @param {string[]} expected files that are sure to be run
 * @param {(chunk: Buffer) => void} [print] takes what is printed, instead of the terminal
 * @returns {Promise<import('./test-summary.mjs').Ended>}
 */
async function reported(testArguments, expected, print) {
  let target;
  try {
    target = reportTarget(process.env);
  } catch (error) {
    console.log(`The tests are not reported: ${error instanceof Error ? error.message : error}.`);
  }
  if (target === undefined) return runTests(testArguments, print);
  const folder = mkdtempSync(join(tmpdir(), 'pqrs-tests-'));
  try {
    const junit = join(folder, 'junit.xml');
    const startedAt = new Date();
    const options = ['--reporter=junit', `--reporter-outfile=${junit}`];
    const ended = await runTests([...options, ...testArguments], print);
    await reportTests({ target, junit, startedAt, expected }, console.log);
    return ended;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string[]} testArguments
 * @param {(chunk: Buffer) => void} [print]
 * @returns {Promise<import('./test-summary.mjs').Ended>}
 */
function runTests(testArguments, print) {
  return new Promise((resolve, reject) => {
    const colours = process.stderr.isTTY ? { FORCE_COLOR: '1' } : {};
    const bun = spawn(findBun(), ['test', ...testArguments], {
      cwd: root,
      stdio: ['ignore', print ? 'pipe' : 'inherit', 'pipe'],
      env: { ...withoutReporting(process.env), ...colours },
    });
    let output = '';
    bun.stdout?.on('data', (chunk) => print?.(chunk));
    bun.stderr?.on('data', (chunk) => {
      if (print) print(chunk);
      else process.stderr.write(chunk);
      output += chunk;
    });
    bun.on('error', reject);
    bun.on('close', (code) => {
      resolve({ ...summarize(output, code ?? 1), failures: failuresIn(output) });
    });
  });
}

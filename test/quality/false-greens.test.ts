// The ways in which `bun test` leaves a report that says nothing of what went wrong, made for real:
// each must come out broken, and say why.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeRun } from '../../src/quality/runs/verdict.ts';
import { readAll } from './reports/read-all.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pqrs-green-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const GOOD = "import { test } from 'bun:test';\ntest('good', () => {});\n";

/** Runs files with bun and judges the run as an agent would submit it. */
async function run(files: Record<string, string>, reportName: string, expectedFiles?: string[]) {
  const names = Object.keys(files).map((name) => `./${name}`);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const path = join(folder, reportName);
  const startedAt = new Date().toISOString();
  const child = Bun.spawnSync(
    [process.execPath, 'test', '--reporter=junit', `--reporter-outfile=${path}`, ...names],
    { cwd: folder, env: { ...process.env, CI: '' }, stdout: 'ignore', stderr: 'ignore' },
  );
  const { exitCode } = child;
  const signal = child.signalCode === undefined ? null : String(child.signalCode);
  const base = { exitCode, signal, startedAt, expectedFiles: expectedFiles ?? null };
  if (!existsSync(path)) return { ...judgeRun({ report: null, execution: base }), exitCode };
  const bytes = new Uint8Array(readFileSync(path));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const reportModifiedAt = statSync(path).mtime.toISOString();
  const { summary } = await readAll(bytes, { root: folder });
  const execution = { ...base, reportSha256: sha256, reportModifiedAt };
  return { ...judgeRun({ report: summary, sha256, execution }), exitCode };
}

const codes = ({ harnessErrors }: { harnessErrors: { code: string }[] }) =>
  harnessErrors.map(({ code }) => code);

test('a run that went well is passed', async () => {
  const verdict = await run({ 'well.test.ts': GOOD }, 'well.xml', ['well.test.ts']);
  expect([verdict.status, ...codes(verdict), verdict.exitCode]).toEqual(['passed', 0]);
});

test('a file that fails to load is missing from the report', async () => {
  const files = { 'a.test.ts': GOOD, 'b.test.ts': `throw new Error('at load');\n${GOOD}` };
  const verdict = await run(files, 'load.xml');
  expect([verdict.status, ...codes(verdict)]).toEqual(['broken', 'exit_code_disagrees']);
  const failing = `${GOOD}test('bad', () => { throw new Error('x'); });\n`;
  const hidden = await run({ ...files, 'a.test.ts': failing }, 'load.xml', [
    'a.test.ts',
    'b.test.ts',
  ]);
  expect([hidden.status, ...codes(hidden)]).toEqual(['broken', 'files_missing']);
});

test('process.exit(0) in a test leaves the report of the run before, and the exit code is 0', async () => {
  await run({ 'exit.test.ts': GOOD }, 'exit.xml');
  // Files keep their times in ticks of some milliseconds, which are allowed for.
  await Bun.sleep(100);
  const exits = "import { test } from 'bun:test';\ntest('exits', () => process.exit(0));\n";
  const verdict = await run({ 'exit.test.ts': exits }, 'exit.xml');
  expect([verdict.exitCode, verdict.status, ...codes(verdict)]).toEqual([
    0,
    'broken',
    'report_stale',
  ]);
  const alone = await run({ 'exit.test.ts': exits }, 'never.xml');
  expect([alone.exitCode, alone.status, ...codes(alone)]).toEqual([0, 'broken', 'no_report']);
});

test('a killed run leaves the report of the run before', async () => {
  await run({ 'kill.test.ts': GOOD }, 'kill.xml');
  await Bun.sleep(100);
  const killed =
    "import { test } from 'bun:test';\ntest('dies', () => process.kill(process.pid, 'SIGKILL'));\n";
  const verdict = await run({ 'kill.test.ts': killed }, 'kill.xml');
  expect([verdict.status, ...codes(verdict)]).toEqual(['broken', 'killed', 'report_stale']);
});

test('a folder for the report that is not there', async () => {
  const verdict = await run({ 'out.test.ts': GOOD }, 'nowhere/out.xml');
  expect([verdict.status, ...codes(verdict)]).toEqual(['broken', 'no_report']);
});

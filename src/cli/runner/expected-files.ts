// The test files that a command is sure to run: those of which a report without a result has lost
// something. Where the command line leaves it open, nothing is expected.
import { stat } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import type { SuiteItem } from './suite.ts';

/** Options of `bun test` that leave files, or tests of them, out. */
const SELECTING =
  /^(?:-t|--test-name-pattern|--bail|--shard|--changed|--only|--todo|--path-ignore-patterns)(?:=|$)/;
/** Options of `bun test` that take the next word as their value. */
const WITH_VALUE = new Set([
  ...['--timeout', '--reporter', '--reporter-outfile', '--preload', '-r', '--rerun-each', '--seed'],
  ...['--coverage-reporter', '--coverage-dir', '--max-concurrency', '--retry', '--timings'],
  ...['--config', '-c', '--cwd', '--env-file', '--parallel', '--conditions', '--define', '-d'],
]);
const TEST_FILE = /(?:\.|_)(?:test|spec)\.[cm]?[jt]sx?$/;
const EXPECTED_MOST = 500;

/**
 * The files that the command line of a `bun test` names, relative to its folder.
 *
 * @returns null where it names none, or may leave some of them out
 */
export async function expectedFiles(
  { kind, argv }: Pick<SuiteItem, 'kind' | 'argv'>,
  cwd: string,
): Promise<string[] | null> {
  const names = kind === 'bun-test' ? namedOnLine(argv) : null;
  if (names === null || names.length === 0 || names.length > EXPECTED_MOST) return null;
  const files: string[] = [];
  for (const name of names) {
    const path = resolve(cwd, name);
    const about = await stat(path).catch(() => undefined);
    // Any other word is a filter, and may stand for anything.
    if (!about?.isFile() || !TEST_FILE.test(basename(path))) return null;
    files.push(relative(cwd, path).split(sep).join('/'));
  }
  return [...new Set(files)];
}

/** The words behind `bun … test` that are no options; null where it is no such line. */
export function namedOnLine(argv: readonly string[]): string[] | null {
  const test = argv.indexOf('test');
  if (test < 1 || !/^bun(?:\.exe)?$/.test(basename(argv[0] ?? ''))) return null;
  // `bun run test` is a script of the package, whatever that does.
  if (argv.slice(1, test).some((word) => !word.startsWith('-'))) return null;
  if (argv.some((word) => SELECTING.test(word))) return null;
  const names: string[] = [];
  const words = argv.slice(test + 1);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (WITH_VALUE.has(word)) at += 1;
    else if (!word.startsWith('-')) names.push(word);
  }
  return names;
}

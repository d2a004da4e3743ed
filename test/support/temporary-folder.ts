// Folders for one test run. A janitor process removes them when the run has ended, however it
// ended: `bun test` runs no hook after its last file.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let root: string | undefined;

/** A new empty folder that goes when the test run is over. */
export function temporaryFolder(name: string): string {
  root ??= makeRoot();
  return mkdtempSync(join(root, `${name}-`));
}

function makeRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pqrs-test-'));
  whenRunEnds('rm -rf "$0"', folder);
  return folder;
}

/**
 * Runs a line of shell when this process is gone.
 *
 * @param line - what to run
 * @param argument - its `$0`
 */
export function whenRunEnds(line: string, argument: string): void {
  // The janitor waits for the end of its standard input, which comes with the end of this process.
  // Whatever else ends with this run gets a second for it. Its own process group keeps it out of an interrupt from the terminal.
  Bun.spawn(['setsid', 'sh', '-c', `cat >/dev/null; sleep 1; ${line}`, argument], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  }).unref();
}

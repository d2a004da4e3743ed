// What a command prints that cannot be written, and what nobody reads.
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { openWorkplace, type Workplace } from '../support/running-executable.ts';

/** Runs a line of a shell in the folder; `pqrs` there is the executable. */
async function shell({ folder }: Workplace, line: string) {
  const child = Bun.spawn(['sh', '-c', `pqrs() { ./pqrs "$@"; }; ${line}`], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

const LOST = {
  code: 1,
  err: expect.stringMatching(/^pqrs: the output cannot be written: ENOSPC: .*\n$/),
};
const CREATE = 'token create --capability srs:edit';

describe('output [PQRS-69]', () => {
  test.skipIf(!existsSync('/dev/full'))('that cannot be written ends in exit code 1', async () => {
    const place = await openWorkplace('full');
    const served = await place.serve();
    for (const line of [CREATE, 'token list', 'openapi', '--help']) {
      expect(await shell(place, `pqrs ${line} > /dev/full`), line).toMatchObject(LOST);
    }
    await served.stop();
    for (const line of ['init', CREATE]) {
      expect(await shell(place, `pqrs ${line} > /dev/full`), line).toMatchObject(LOST);
    }
    // A wrong call is one whatever becomes of its output.
    expect((await shell(place, 'pqrs version --no > /dev/full')).code).toBe(2);
  });

  test('that nobody reads to its end ends in quiet', async () => {
    const place = await openWorkplace('unread');
    await place.run(['init']);
    for (const line of ['openapi', '--help', 'token list']) {
      const left = `{ pqrs ${line}; echo "ended with $?" >&2; } | head -c 3`;
      expect((await shell(place, left)).err, line).toBe('ended with 0\n');
      const closed = `{ sleep 0.2; pqrs ${line}; echo "ended with $?" >&2; } | true`;
      expect((await shell(place, closed)).err, line).toBe('ended with 0\n');
    }
  });
});

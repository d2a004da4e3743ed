// The compiled executable on a machine that has nothing else: an empty folder, an empty
// environment, a folder that tries to change what it does.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../src/version.ts';
import { executablePath } from '../support/executable.ts';

let folder: string;
let executable: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pqrs-test-'));
  executable = join(folder, 'pqrs');
  copyFileSync(await executablePath(), executable);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function runVersion(cwd: string) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([executable, 'version'], { cwd, env: {} });
  return { stdout: stdout.toString(), stderr: stderr.toString(), exitCode };
}

const expected = { stdout: `pqrs ${VERSION}\n`, stderr: '', exitCode: 0 };

describe('moved to an empty folder [PQRS-82]', () => {
  test('it runs without repository, runtime or environment', () => {
    expect(runVersion(folder)).toEqual(expected);
  });

  test('it leaves nothing behind', () => {
    runVersion(folder);
    expect(readdirSync(folder)).toEqual(['pqrs']);
  });
});

describe('started in a folder of somebody else [PQRS-82]', () => {
  let hostile: string;
  const trace = () => readdirSync(hostile).includes('trace');

  beforeAll(() => {
    hostile = join(folder, 'hostile');
    mkdirSync(hostile);
    const write = (name: string, text: string) => writeFileSync(join(hostile, name), text);
    write('preload.ts', `require('node:fs').writeFileSync('trace', ''); console.log('preloaded');`);
    write('bunfig.toml', 'preload = ["./preload.ts"]\n');
    write('package.json', '{ "name": "other", "version": "9.9.9", "imports": { "#x": "./y" } }');
    write('tsconfig.json', '{ "compilerOptions": { "paths": { "*": ["./preload.ts"] } } }');
  });

  test('it executes no preload of a bunfig.toml there', () => {
    expect(runVersion(hostile)).toEqual(expected);
    expect(trace()).toBe(false);
  });

  test('the trap works: plain Bun walks into it', () => {
    Bun.spawnSync([process.execPath, '-e', '0'], { cwd: hostile, env: {} });
    expect(trace()).toBe(true);
  });
});

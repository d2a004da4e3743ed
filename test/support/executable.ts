// Gives tests the compiled executable, built first when the source has changed since.
import { isFresh, executable as path } from '../../scripts/build-state.mjs';

let building: Promise<string> | undefined;

/**
 * The path of the compiled executable. The first call of a test run looks whether dist/pqrs is made
 * from the present source, and builds it if not; every other call shares that answer.
 * @throws with the build's output when the build fails.
 */
export function executablePath(): Promise<string> {
  building ??= build();
  return building;
}

async function build(): Promise<string> {
  if (isFresh()) return path;
  const script = new URL('../../scripts/build.ts', import.meta.url).pathname;
  const builder = Bun.spawn([process.execPath, script], { stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr, code] = await Promise.all([
    new Response(builder.stdout).text(),
    new Response(builder.stderr).text(),
    builder.exited,
  ]);
  if (code !== 0) throw new Error(`The build failed:\n${stdout}${stderr}`);
  return path;
}

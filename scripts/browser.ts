// A real browser: the Chromium that PQRS_BROWSER names, that of the package @sparticuz/chromium (Linux
// on x64), or an installed Chrome, whichever starts first.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { root } from './install.mjs';

const PACKAGE = join(root, 'node_modules/@sparticuz/chromium');
const CACHE = join(root, 'node_modules/.cache');

/** Starts a headless Chromium. @throws with every reason where none can start */
export async function launchBrowser(): Promise<Browser> {
  const reasons: unknown[] = [];
  for (const optionsOf of CHOICES) {
    try {
      // A container has one user, root, for whom Chromium has no sandbox; the pages are our own.
      return await chromium.launch({ args: ['--no-sandbox'], ...(await optionsOf()) });
    } catch (error) {
      reasons.push(error instanceof Error ? error.message.split('\n')[0] : error);
    }
  }
  throw new Error(`no browser starts here (${reasons.join('; ')})`);
}

const CHOICES: (() => LaunchOptions | Promise<LaunchOptions>)[] = process.env.PQRS_BROWSER
  ? [() => ({ executablePath: process.env.PQRS_BROWSER })]
  : [unpacked, () => ({ channel: 'chrome' })];

/** Chromium and its font in a folder of node_modules, unpacked there by the first run. */
async function unpacked(): Promise<LaunchOptions> {
  if (`${process.platform}-${process.arch}` !== 'linux-x64')
    throw new Error('the package has a browser for Linux on x64 alone');
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  const folder = join(CACHE, `chromium-${version}`);
  if (!existsSync(folder)) await unpack(folder);
  return {
    executablePath: join(folder, 'chromium'),
    env: { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts.conf') } as Record<string, string>,
  };
}

const UNPACK = "await (await import('@sparticuz/chromium')).default.executablePath()";
const FONTS = '<fontconfig><dir prefix="relative">fonts</dir></fontconfig>';

async function unpack(folder: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const partial = mkdtempSync(`${folder}-`);
  try {
    // The package unpacks into the temporary folder of its process, where others would find half of it.
    const env = { ...process.env, TMPDIR: partial };
    const child = Bun.spawn([process.execPath, '-e', UNPACK], {
      cwd: root,
      env,
      stderr: 'inherit',
    });
    if ((await child.exited) !== 0) throw new Error('the browser of the package was not unpacked');
    writeFileSync(join(partial, 'fonts.conf'), FONTS);
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true });
    // Another process may have been first.
    if (!existsSync(folder)) throw error;
  }
}

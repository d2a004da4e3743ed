// The console of an instance in this process, opened in a real browser.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { distFolder } from '../../scripts/build-state.mjs';

const ROOT = join(import.meta.dir, '../..');
const BUILT = join(distFolder, 'console.json');

let built: Promise<void> | undefined;

/** Builds the console for servers that run from source, once for all test files of a run. */
export function buildConsole(): Promise<void> {
  built ??= build();
  return built;
}

async function build(): Promise<void> {
  // In a process of its own: the bundler and the test runner both read what they import.
  const child = Bun.spawn([process.execPath, '-e', BUILD], { cwd: ROOT, stderr: 'inherit' });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error('the console was not built');
  if (existsSync(BUILT) && readFileSync(BUILT, 'utf8') === text) return;
  mkdirSync(distFolder, { recursive: true });
  writeFileSync(`${BUILT}.${process.pid}`, text);
  renameSync(`${BUILT}.${process.pid}`, BUILT);
}

const BUILD =
  "process.stdout.write(await (await import('./scripts/build-console.ts')).consoleText())";

export interface ConsolePage {
  page: Page;
  /** What went wrong in the page so far: faults, and what its policy refused. */
  faults: string[];
  /** Goes to an address such as `runs?status=failed`, and waits until its answers are there. */
  show(address: string): Promise<void>;
  close(): Promise<void>;
}

/** Signs in by the link with the token, as after the first start; without a token, opens `/`. */
export async function openConsole(
  browser: Browser,
  url: string,
  token?: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // The browser reports each refused request by itself: the page says what it makes of it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  const asked = new Set<Request>();
  page.on('request', (request) => {
    const isStream = request.headers().accept === 'text/event-stream';
    if (request.url().includes('/api/') && !isStream) asked.add(request);
  });
  page.on('requestfinished', (request) => asked.delete(request));
  page.on('requestfailed', (request) => asked.delete(request));
  const settled = async () => {
    await page.locator('main h1').first().waitFor();
    let answered: boolean;
    do {
      answered = asked.size === 0;
      // Drawn, and its effects run, which ask for more.
      await page.evaluate(twoFrames);
      await page.waitForFunction(() => !document.querySelector('.loading'));
    } while (!answered || asked.size > 0);
  };
  await page.goto(token === undefined ? `${url}/` : `${url}/#token=${token}`);
  await settled();
  return {
    page,
    faults,
    async show(address) {
      await page.goto(`${url}/#/${address}`);
      await settled();
    },
    close: () => context.close(),
  };
}

function twoFrames(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
  return promise;
}

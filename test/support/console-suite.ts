// What every page of the console is tested for: with data it is as the API says, it is accessible, it
// says when it is refused and when the server is away.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Route } from 'playwright-core';
import { violations } from './browser.ts';
import { buildConsole, type ConsolePage, openConsole } from './console.ts';
import { type Ask, askOf, type SeededProject, seedProject } from './console-project.ts';
import { type Instance, openInstance } from './instance.ts';

export interface ConsoleSuite {
  instance: Instance;
  url: string;
  projectId: string;
  token: string;
  ask: Ask;
  seeded: SeededProject;
  /** Opens the console as the owner, or as the bearer of another token; closed after the tests. */
  open(token?: string): Promise<ConsolePage>;
}

/** An instance with a seeded project, for the tests of a file. */
export function consoleSuite(browser: Browser | undefined): ConsoleSuite {
  const suite = {} as ConsoleSuite;
  const opened: ConsolePage[] = [];
  suite.open = async (token = suite.token) => {
    const one = await openConsole(browser!, suite.url, token);
    opened.push(one);
    return one;
  };
  beforeAll(async () => {
    if (!browser) return;
    await buildConsole();
    suite.instance = await openInstance();
    const { id, token } = await suite.instance.makeProject('shop');
    const { url } = await suite.instance.listening();
    Object.assign(suite, { projectId: id, token, url, ask: askOf(url, token) });
    suite.seeded = await seedProject(suite.ask, 'shop');
  });
  afterAll(async () => {
    await Promise.all(opened.map(({ close }) => close()));
    await suite.instance?.close();
  });
  return suite;
}

/** Registers the tests that are the same for each page. */
export function pageTests(
  browser: Browser | undefined,
  suite: ConsoleSuite,
  pages: () => readonly string[],
): void {
  test('is accessible in light and dark, and its policy refuses nothing', async () => {
    const { faults, page, show, close } = await openConsole(browser!, suite.url, suite.token);
    for (const address of pages()) {
      await show(address);
      expect([address, await violations(page)]).toEqual([address, []]);
      await page.emulateMedia({ colorScheme: 'dark' });
      // What is the other way in the dark is its colours.
      expect([address, await violations(page, ['color-contrast'])]).toEqual([address, []]);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    expect(faults).toEqual([]);
    await close();
  });

  const withoutAnswers = async (answer: (route: Route) => Promise<void>, problem: string) => {
    const { page, show, close } = await openConsole(browser!, suite.url, suite.token);
    for (const address of pages()) {
      // Another page first: an address that stays asks for nothing.
      await show(address.startsWith('overview') ? 'settings' : 'overview');
      await page.route('**/api/**', answer);
      await page.goto(`${suite.url}/#/${address}`);
      await page.locator(`[data-problem=${problem}]`).first().waitFor();
      await page.unroute('**/api/**');
      if (problem !== 'offline') continue;
      const retry = page.getByRole('button', { name: 'Try again' });
      for (let left = await retry.count(); left > 0; left -= 1) await retry.first().click();
      await page.locator(`[data-problem=${problem}]`).waitFor({ state: 'detached' });
    }
    await close();
  };

  test('says that it may not be seen by a token that may not', async () => {
    const { text } = await suite.instance.makeToken(suite.projectId, ['widget:write']);
    const authorization = `Bearer ${text}`;
    await withoutAnswers(
      (route) => route.continue({ headers: { ...route.request().headers(), authorization } }),
      'forbidden',
    );
  });

  test('says that the server is away, and shows all once it is back', () =>
    withoutAnswers((route) => route.abort(), 'offline'));
}

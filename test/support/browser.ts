// A real browser for tests of pages, and what is wrong with a page for those who cannot see it.
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../scripts/browser.ts';
import { atEnd } from './ending.ts';

let browser: Promise<Browser | undefined> | undefined;

/**
 * Starts a headless Chromium, once for all test files of a run.
 * @returns undefined where none can start, which is printed: `describe.skipIf(!browser)`
 */
export function openBrowser(): Promise<Browser | undefined> {
  browser ??= start();
  return browser;
}

async function start(): Promise<Browser | undefined> {
  try {
    const browser = await launchBrowser();
    atEnd(() => browser.close());
    return browser;
  } catch (error) {
    console.log(`skipped: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

/**
 * What axe-core finds wrong in a page, each as `<rule> <where>: <what>`.
 * @param rules - all that are on by themselves and the size of targets, unless named
 */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (rules) =>
      axe.run({
        ...(rules && { runOnly: rules }),
        rules: { 'target-size': { enabled: !rules } },
        resultTypes: ['violations'],
      }),
    rules,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => {
      return `${id} ${target.join(' ')}: ${failureSummary.split('\n').slice(1).join(' ').trim()}`;
    }),
  );
}

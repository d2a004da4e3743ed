// The browser in which pages are tested, and what finds fault with them.
import { describe, expect, test } from 'bun:test';
import { openBrowser, violations } from '../support/browser.ts';

const browser = await openBrowser();

describe.skipIf(!browser)('the browser', () => {
  test('shows a page, and axe finds what is wrong with it', async () => {
    const page = await browser!.newPage();
    await page.setContent(
      '<!doctype html><html lang="en"><title>x</title><main><h1>Hi</h1><input></main>',
    );
    expect(await page.getByRole('heading').textContent()).toBe('Hi');
    expect(await violations(page)).toEqual([expect.stringMatching(/^label input: /)]);
    await page.evaluate(() => document.querySelector('input')?.remove());
    expect(await violations(page)).toEqual([]);
  });
});

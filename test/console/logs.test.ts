// Logs: levels and words, the tail with its pause, one entry, many entries in few elements.
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { LogEntry } from '../../src/console/pages/logs/answers.ts';
import { openBrowser } from '../support/browser.ts';
import { type Ask, askOf } from '../support/console-project.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';

const browser = await openBrowser();

describe.skipIf(!browser)('logs', () => {
  const suite = consoleSuite(browser);
  pageTests(browser, suite, () => ['logs', 'logs?view=groups']);

  interface Entries {
    items: LogEntry[];
    levels: Record<string, number>;
  }
  const write = (ask: Ask, entries: object[]) => ask('POST', '/system-logs', entries);
  const following = (page: Page) => page.locator('[data-state=following]').waitFor();

  test('levels, words and sources cut the list', async () => {
    const { page, show, faults } = await suite.open();
    await write(suite.ask, [{ level: 'debug', source: 'till', message: 'drawer 7 opened' }]);
    const { items, levels } = await suite.ask<Entries>('GET', '/system-logs?count=true');
    await show('logs');
    const counts = await page.locator('.chip .count').allTextContents();
    expect(counts.map(Number)).toEqual(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace'].map((level) => levels[level]!),
    );
    expect(await page.locator('.entry').count()).toBe(items.length);
    await page.getByRole('link', { name: /^error/ }).click();
    await page.waitForURL(/level=error/);
    await page.getByText('drawer 7 opened').waitFor({ state: 'detached' });
    expect(await page.locator('.entry').count()).toBe(levels.error!);
    await show('logs');
    await page.getByRole('searchbox').fill('drawer');
    await page.waitForURL(/q=drawer/);
    await page.getByText('a search is not followed').waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.entry').length === 1);
    expect(
      await page.getByRole('searchbox').evaluate((one) => one === document.activeElement),
    ).toBe(true);
    await show('logs');
    await page.getByLabel('Source').selectOption('till');
    await page.waitForFunction(() => document.querySelectorAll('.entry').length === 1);
    expect(faults).toEqual([]);
  });

  test('new entries come by themselves, wait during a pause, and after the server was away', async () => {
    const { page, show } = await suite.open();
    await show('logs');
    await following(page);
    await write(suite.ask, [{ message: 'first of the tail' }, { message: 'second of the tail' }]);
    await page.getByText('second of the tail').waitFor();
    const top = await page.locator('.entry').first().textContent();
    expect(top).toContain('second of the tail');
    await page.getByRole('button', { name: 'Pause' }).click();
    await write(suite.ask, [{ message: 'held back' }]);
    await page.getByRole('button', { name: 'Go on, 1 new' }).waitFor();
    expect(await page.getByText('held back').count()).toBe(0);
    await page.getByRole('button', { name: /^Go on/ }).click();
    await page.getByText('held back').waitFor();
    expect(await page.getByText('first of the tail').count()).toBe(1);
  });

  test('says that it is not connected, and goes on where it was', async () => {
    const { page, show } = await suite.open();
    let isAway = true;
    await page.route('**/api/system-logs*', (route) =>
      isAway && route.request().headers().accept === 'text/event-stream'
        ? route.abort()
        : route.continue(),
    );
    await show('logs');
    await page.locator('[data-state^="not connected"]').waitFor();
    await write(suite.ask, [{ message: 'while it was away' }]);
    isAway = false;
    await following(page);
    await page.getByText('while it was away').waitFor();
  });

  test('one entry has an address, its fields, and a state that an owner sets', async () => {
    const { page, show } = await suite.open();
    const { items } = await suite.ask<Entries>('GET', '/system-logs?q=payment');
    await show('logs');
    await page.getByText('payment 4711 timed out').click();
    await page.waitForURL(new RegExp(items[0]!.id));
    await page.getByText('"paymentId": 4711').waitFor();
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('acknowledged').waitFor();
    const entry = await suite.ask<LogEntry>('GET', `/system-logs?id=${items[0]!.id}`);
    expect(entry.state).toBe('acknowledged');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Close the entry' }).waitFor({ state: 'detached' });
    const { text } = await suite.instance.makeToken(suite.projectId, ['agent:execute']);
    const other = await suite.open(text);
    await other.show(`logs/${items[0]!.id}`);
    expect(await other.page.getByRole('button', { name: 'Resolve' }).count()).toBe(0);
    await other.show('logs/log_none');
    await other.page.locator('[data-problem=not_found]').waitFor();
  });

  test('a thousand entries are scrolled through in few elements', async () => {
    const { token } = await suite.instance.makeProject('loud');
    const ask = askOf(suite.url, token);
    const many = Array.from({ length: 1000 }, (_, at) => ({ message: `line ${at}` }));
    await write(ask, many);
    const { page, show, faults } = await suite.open(token);
    await show('logs');
    const log = page.getByRole('region', { name: 'Entries' });
    const seen = async (text: string) => {
      for (let step = 0; step < 40; step += 1) {
        if ((await page.getByText(text, { exact: true }).count()) > 0) return;
        await log.evaluate((one) => one.scrollTo(0, one.scrollHeight));
        await page.waitForTimeout(100);
      }
      throw new Error(`${text} was never seen`);
    };
    await seen('line 0');
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1000);
    expect(faults).toEqual([]);
  });
});

// Tests in a real browser: the views beside each other, the history of one, its command's quarantine.
import { describe, expect, test } from 'bun:test';
import type { Flaky, History, Slowest, Trend } from '../../src/console/pages/runs/ask.ts';
import { openBrowser } from '../support/browser.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';
import type { Command } from '../support/shapes.ts';

const browser = await openBrowser();

describe.skipIf(!browser)('tests in the console [PQRS-44]', () => {
  const suite = consoleSuite(browser);
  const view = <T>(query: string) => suite.ask<T>('GET', `/test-runs?view=${query}`);
  let flakyKey: string;

  test('the views show what the API answers', async () => {
    const { page, show, faults } = await suite.open();
    await show('tests');
    const [flaky, slowest, trend] = [
      await view<Flaky>('flaky'),
      await view<Slowest>('slowest'),
      await view<Trend>('trend&by=day'),
    ];
    const linksOf = (title: string) =>
      page
        .locator('section.card', { has: page.getByRole('heading', { name: title }) })
        .locator('a[data-row]')
        .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    const addresses = (items: { testKey: string }[]) =>
      items.map(({ testKey }) => `#/tests/${encodeURIComponent(testKey)}`);
    expect(flaky.items.length).toBeGreaterThan(0);
    expect(await linksOf('Flaky')).toEqual(addresses(flaky.items));
    expect(await linksOf('Slowest')).toEqual(addresses(slowest.items));
    flakyKey = flaky.items[0]!.testKey;
    await page.getByText('As a table').click();
    const rows = page.locator('figure tbody tr');
    const failed = trend.items.map(({ totals }) => `${totals.failed + totals.broken}`);
    expect(await rows.locator('td:nth-child(3)').allTextContents()).toEqual(failed);
    await page.getByRole('link', { name: 'By commit' }).click();
    await page.locator('figure th', { hasText: '5'.repeat(8) }).waitFor();
    expect(page.url()).toEndWith('#/tests?by=commit');
    await page.getByRole('link', { name: '5'.repeat(8), exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await page.locator('main a[data-row]').first().waitFor();
    expect(await page.locator('main a[data-row]').count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test('a test leads to its stories, its runs, and the quarantine of its command', async () => {
    const { page, show, faults } = await suite.open();
    await show(`tests/${encodeURIComponent(flakyKey)}`);
    const history = await suite.ask<History>(
      ...(['GET', `/test-runs?testKey=${encodeURIComponent(flakyKey)}`] as const),
    );
    const rows = page.locator('main a[data-row]');
    expect(await rows.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual(
      history.items.map(({ run }) => `#/runs/${run.id}`),
    );
    await page.getByRole('link', { name: 'CART-1' }).waitFor();
    await page.getByRole('button', { name: 'Quarantine' }).click();
    await page.getByLabel('Who sees to it').fill('Ann');
    await page.getByLabel('Reason').fill('The clock of the lab');
    await page.getByLabel('Until').fill('2020-01-01');
    await page.getByRole('button', { name: 'Quarantine the command' }).click();
    await page.locator('[data-problem=invalid]').waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('The clock of the lab');
    await page.getByLabel('Until').fill('2099-01-01');
    await page.getByRole('button', { name: 'Quarantine the command' }).click();
    await page.getByRole('button', { name: 'End the quarantine' }).waitFor();
    const read = () => suite.ask<Command>('GET', `/test-commands?id=${suite.seeded.commandId}`);
    expect(await read()).toMatchObject({ state: 'quarantined', quarantine: { owner: 'Ann' } });
    await page.getByRole('button', { name: 'End the quarantine' }).click();
    await page.getByRole('button', { name: 'Quarantine', exact: true }).waitFor();
    expect((await read()).state).toBe('active');
    expect(faults).toEqual([]);
  });

  test('an editor sees no quarantine, an unknown test is not there', async () => {
    const { text } = await suite.instance.makeToken(suite.projectId, ['srs:edit']);
    const { page, show } = await suite.open(text);
    await show(`tests/${encodeURIComponent(flakyKey)}`);
    await page.getByText('Run by').waitFor();
    expect(await page.getByRole('button', { name: 'Quarantine' }).count()).toBe(0);
    await show('tests/t1:none');
    await page.locator('[data-problem=not_found]').waitFor();
  });

  pageTests(browser, suite, () => ['tests', `tests/${flakyKey}`, 'tests?list=slowest']);
});

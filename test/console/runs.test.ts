// Runs in a real browser: the list with its counts, one run with its failures, what changed between two.
import { describe, expect, test } from 'bun:test';
import { openBrowser } from '../support/browser.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';
import type { Command, Page as ListPage, Run } from '../support/shapes.ts';

const browser = await openBrowser();

describe.skipIf(!browser)('runs in the console [PQRS-44]', () => {
  const suite = consoleSuite(browser);

  test('the list shows what the API answers, narrowed by its figures', async () => {
    const { page, show, faults } = await suite.open();
    await show('runs');
    const all = await suite.ask<ListPage<Run> & { total: number }>('GET', '/test-runs?count=true');
    const chips = page.locator('main .chip');
    await chips.filter({ hasText: `All${all.total}` }).waitFor();
    const rows = page.locator('main a[data-row]');
    expect(await rows.allTextContents()).toEqual(all.items.map(({ name }) => name));
    const { strip } = await suite.ask<Command>(
      ...(['GET', `/test-commands?id=${suite.seeded.commandId}`] as const),
    );
    await page.waitForFunction(
      (runs) =>
        [...document.querySelectorAll('main tr .strip')].some(
          (one) => [...one.children].map((bar) => bar.getAttribute('href')).join() === runs,
        ),
      strip.map(({ runId }) => `#/runs/${runId}`).join(),
    );
    const failed = all.items.filter(({ status }) => status === 'failed');
    await chips.filter({ hasText: `failed${failed.length}` }).click();
    await page.waitForFunction(
      (count) => document.querySelectorAll('main a[data-row]').length === count,
      failed.length,
    );
    expect(page.url()).toEndWith('#/runs?status=failed');
    expect(await rows.first().getAttribute('href')).toBe(`#/runs/${failed[0]!.id}`);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Runs', exact: true }).last().waitFor();
    await page.locator('article.result').first().waitFor();
    expect(page.url()).toEndWith(failed[0]!.id);
    expect(faults).toEqual([]);
  });

  test('a run shows failures first, since when they fail, and files an issue of one', async () => {
    const { page, show, faults } = await suite.open();
    const [runId, since] = [suite.seeded.runs.at(-1)!, suite.seeded.runs.at(-2)!];
    await show(`runs/${runId}`);
    const result = page.locator('article.result');
    expect(await result.count()).toBe(1);
    expect(await result.locator('.message').textContent()).toContain('charges once');
    expect(await result.getByText(/^failing since/).getAttribute('href')).toBe(`#/runs/${since}`);
    await result.getByRole('button', { name: 'File an issue' }).click();
    await page.getByLabel('Severity').selectOption('blocker');
    await page.getByRole('button', { name: 'File it' }).click();
    await page.getByText(/^Filed as/).waitFor();
    const filed = await suite.ask<ListPage<object>>('GET', '/issues?severity=blocker');
    expect(filed.items).toMatchObject([{ runId, storyIds: ['PAY-1'], status: 'open' }]);
    await page.locator('main .chip', { hasText: 'passed' }).click();
    await page.waitForFunction(() => document.querySelectorAll('article.result').length === 4);
    await result.nth(2).locator('.opens').click();
    await result.nth(2).locator('.body').waitFor();
    await page.reload();
    await result.nth(2).locator('.body').waitFor();
    expect(await result.locator('.body').count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test('two runs are compared, and a figure lists its tests', async () => {
    const { page, show, faults } = await suite.open();
    const [from, to] = [suite.seeded.runs[2]!, suite.seeded.runs[4]!];
    await show(`runs/${to}/compare/${from}`);
    const rows = page.locator('main a[data-row]');
    await rows.first().waitFor();
    expect(await rows.allTextContents()).toEqual(['charges once', 'refunds the amount']);
    await page.locator('main .chip', { hasText: 'newly passing1' }).click();
    await page.waitForFunction(() => document.querySelectorAll('main a[data-row]').length === 1);
    expect(await rows.allTextContents()).toEqual(['refunds the amount']);
    expect(faults).toEqual([]);
  });

  test('who may neither plan nor file sees no control for it', async () => {
    const { text } = await suite.instance.makeToken(suite.projectId, ['srs:edit']);
    const { page, show } = await suite.open(text);
    await show(`runs/${suite.seeded.runs.at(-1)}`);
    await page.locator('article.result').first().waitFor();
    expect(await page.getByRole('button', { name: /^(File an issue|Run again)$/ }).count()).toBe(0);
    await show('runs/run_none');
    await page.locator('[data-problem=not_found]').waitFor();
  });

  pageTests(browser, suite, () => {
    const [first, last] = [suite.seeded.runs[2], suite.seeded.runs.at(-1)];
    return ['runs', `runs/${last}`, `runs/${last}/compare/${first}`, `runs/${last}/compare`];
  });
});

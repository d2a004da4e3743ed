// Runs in a real browser: the list with its counts, one run with its failures, what changed between two.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openBrowser, violations } from '../support/browser.ts';
import { buildConsole, type ConsolePage, openConsole } from '../support/console.ts';
import { type Ask, askOf, type SeededProject, seedProject } from '../support/console-project.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import type { Page as ListPage, Run } from '../support/shapes.ts';

const browser = await openBrowser();
let instance: Instance;
let url: string;
let token: string;
let editor: string;
let ask: Ask;
let seeded: SeededProject;

beforeAll(async () => {
  await buildConsole();
  instance = await openInstance();
  const project = await instance.makeProject('default');
  token = project.token;
  editor = (await instance.makeToken(project.id, ['srs:edit'])).text;
  ({ url } = await instance.listening());
  ask = askOf(url, token);
  seeded = await seedProject(ask, 'default');
});

afterAll(() => instance.close());

describe.skipIf(!browser)('runs in the console [PQRS-44]', () => {
  const opened: ConsolePage[] = [];
  const open = async (bearer = token) => {
    const one = await openConsole(browser!, url, bearer);
    opened.push(one);
    return one;
  };

  test('the list shows what the API answers, narrowed by its figures', async () => {
    const { page, show, faults } = await open();
    await show('runs');
    const all = await ask<ListPage<Run> & { total: number }>('GET', '/test-runs?count=true');
    const chips = page.locator('main .chip');
    await chips.filter({ hasText: `All${all.total}` }).waitFor();
    const rows = page.locator('main a[data-row]');
    expect(await rows.allTextContents()).toEqual(all.items.map(({ name }) => name));
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
    const { page, show, faults } = await open();
    const [runId, since] = [seeded.runs.at(-1)!, seeded.runs.at(-2)!];
    await show(`runs/${runId}`);
    const result = page.locator('article.result');
    expect(await result.count()).toBe(1);
    expect(await result.locator('.message').textContent()).toContain('charges once');
    expect(await result.getByText(/^failing since/).getAttribute('href')).toBe(`#/runs/${since}`);
    await result.getByRole('button', { name: 'File an issue' }).click();
    await page.getByLabel('Severity').selectOption('blocker');
    await page.getByRole('button', { name: 'File it' }).click();
    await page.getByText(/^Filed as/).waitFor();
    const filed = await ask<ListPage<object>>('GET', '/issues?severity=blocker');
    expect(filed.items).toMatchObject([{ runId, storyIds: ['PAY-1'], status: 'open' }]);
    await page.locator('main .chip', { hasText: 'passed' }).click();
    await page.waitForFunction(() => document.querySelectorAll('article.result').length === 4);
    expect(faults).toEqual([]);
  });

  test('two runs are compared, and a figure lists its tests', async () => {
    const { page, show, faults } = await open();
    const [from, to] = [seeded.runs[2]!, seeded.runs[4]!];
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
    const { page, show } = await open(editor);
    await show(`runs/${seeded.runs.at(-1)}`);
    await page.locator('article.result').first().waitFor();
    expect(await page.getByRole('button', { name: /^(File an issue|Run again)$/ }).count()).toBe(0);
    await show('runs/run_none');
    await page.locator('[data-problem=not_found]').waitFor();
  });

  test('a server that is away is said, and asked again', async () => {
    const { page, show, faults } = await open();
    await show('tests');
    await page.route('**/api/test-runs*', (route) => route.abort());
    await show('runs');
    await page.locator('[data-problem=offline]').waitFor();
    await page.unroute('**/api/test-runs*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('main a[data-row]').first().waitFor();
    expect(faults).toEqual([]);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`are accessible (${colorScheme})`, async () => {
      const { page, show, close } = await openConsole(browser!, url, token, { colorScheme });
      const last = seeded.runs.at(-1);
      for (const [address, shown] of [
        ['runs', 'a[data-row]'],
        [`runs/${last}`, 'article.result'],
        [`runs/${last}/compare/${seeded.runs[2]}`, 'a[data-row]'],
        [`runs/${last}/compare`, 'a[data-row]'],
      ] as const) {
        await show(address);
        await page.locator(shown).first().waitFor();
        expect([address, await violations(page)]).toEqual([address, []]);
      }
      await close();
    });

  afterAll(() => Promise.all(opened.map(({ close }) => close())));
});

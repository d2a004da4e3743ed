// The plan: the order, its cut and its curve are the planner's; a plan is tried first, then made.
import { describe, expect, test } from 'bun:test';
import type { Commands, Draft } from '../../src/console/pages/plan/ask.ts';
import { openBrowser } from '../support/browser.ts';
import { askOf } from '../support/console-project.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';

const browser = await openBrowser();

describe.skipIf(!browser)('the plan', () => {
  const suite = consoleSuite(browser);
  pageTests(browser, suite, () => [
    'plan',
    'plan?strategy=full&budget=0.00001',
    'plan?view=commands',
    `plan/${suite.seeded.commandId}`,
  ]);

  const plansOf = async () =>
    (await suite.ask<{ items: { id: string }[] }>('GET', '/run-state?view=plans')).items;

  test('the order is the planner’s, its cut line is where the budget ends', async () => {
    const { token } = await suite.instance.makeProject('planned');
    const ask = askOf(suite.url, token);
    for (const key of ['one', 'two', 'three']) {
      const { id } = await ask('POST', '/test-commands', { key, argv: ['true'] });
      for (const commit of ['c1', 'c2']) {
        const status = key === 'two' ? 'failed' : 'passed';
        const results = [{ name: `checks ${key}`, status }];
        await ask('POST', '/test-runs', {
          ...{ commandId: id, commit, results },
          execution: { exitCode: status === 'passed' ? 0 : 1 },
        });
      }
    }
    // Each is taken for 10 s.
    const budgetMs = 24_000;
    const body = { strategy: 'risk', budgetMs, dryRun: true, curve: true };
    const draft = await ask<Draft>('POST', '/agent/plan', body);
    const { page, show, faults } = await suite.open(token);
    await show('plan?strategy=risk&budget=0.4');
    const rows = page.locator('.order tbody tr');
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => row.getAttribute('data-command')),
    );
    const keys = draft.items.map(({ key }) => key as string | null);
    const firstCut = draft.items.findIndex(({ cut }) => cut);
    expect(firstCut).toBeGreaterThan(0);
    expect(shown).toEqual(keys.toSpliced(firstCut, 0, null));
    await page.locator('.order .strip .failed').first().waitFor();
    expect(await page.locator('.chart polyline').count()).toBe(3);
    await page.getByRole('spinbutton', { name: 'Budget, minutes' }).fill('');
    await page.keyboard.press('Tab');
    await page.locator('.cut-line').waitFor({ state: 'detached' });
    expect(page.url()).toEndWith('#/plan?strategy=risk');
    expect(faults).toEqual([]);
  });

  test('nothing is stored before the plan is made', async () => {
    const before = await plansOf();
    const { page, show } = await suite.open();
    await show('plan?strategy=failures');
    await page.locator('[data-command=shop]').waitFor();
    expect(await plansOf()).toEqual(before);
    await page.getByRole('button', { name: 'Make this plan' }).click();
    const id = await page.locator('[data-plan]').getAttribute('data-plan');
    expect((await plansOf()).map((plan) => plan.id)).toContain(id as string);
    expect(await page.locator('pre.code').textContent()).toEndWith(`--plan ${id}`);
  });

  test('commands show since when they fail, one of them all it is', async () => {
    const { page, show, faults } = await suite.open();
    const { items } = await suite.ask<Commands>('GET', '/test-commands');
    const [command] = items;
    await show('plan?view=commands');
    const row = page.getByRole('row', { name: /shop/ });
    expect(await row.locator('.strip > *').count()).toBe(command?.strip.length ?? 0);
    expect(await row.getByRole('link', { name: /ago/ }).getAttribute('href')).toBe(
      `#/runs/${command?.failingSince?.runId}`,
    );
    await row.getByRole('link', { name: 'shop' }).click();
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
    expect(await page.locator('pre.code').textContent()).toBe('bun test');
    await show('plan/cmd_none');
    await page.locator('[data-problem=not_found]').waitFor();
    await show('plan?view=commands&state=archived');
    await page.getByRole('heading', { name: 'There is no such command' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('who may not plan sees the commands', async () => {
    const { text } = await suite.instance.makeToken(suite.projectId, ['srs:edit']);
    const { page, show } = await suite.open(text);
    await show('plan');
    await page.getByRole('link', { name: 'See the commands' }).click();
    await page.getByRole('row', { name: /shop/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Make this plan' }).count()).toBe(0);
  });
});

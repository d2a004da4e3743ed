// The live page in a real browser: a run is followed from its first progress to its results.
import { describe, expect, test } from 'bun:test';
import { openBrowser } from '../support/browser.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';

const browser = await openBrowser();

interface Suite {
  lease: { id: string; token: string };
  items: { runId: string; attempt: number }[];
}

describe.skipIf(!browser)('live runs in the console [PQRS-47]', () => {
  const suite = consoleSuite(browser);

  /** An agent claims a command; `write` says how far it is, `report` ends it. */
  async function claim(name: string) {
    const key = `${name} tests`;
    const { id } = await suite.ask('POST', '/test-commands', {
      ...{ key, name: key, argv: ['true'], storyIds: ['CART-1'] },
    });
    const body = { commandIds: [id], agent: { name } };
    const { lease, items } = await suite.ask<Suite>('POST', '/agent/suite', body);
    const { runId, attempt } = items[0]!;
    const held = { runId, attempt, lease: { id: lease.id, token: lease.token } };
    let seq = 0;
    return {
      runId,
      write(done: number) {
        seq += 1;
        const progress = { done, total: 10, current: `case ${done}` };
        return suite.ask('POST', '/run-state', { ...held, seq, state: 'running', progress });
      },
      report: () =>
        suite.ask('POST', '/test-runs', {
          ...held,
          results: [{ name: 'adds [CART-1]', status: 'failed', message: 'it is 2' }],
        }),
    };
  }

  test('shows who holds what, as the API says', async () => {
    const { page, show, faults } = await suite.open();
    await show('live');
    const agent = page.getByRole('region', { name: 'lab-3' });
    await agent.waitFor();
    const { items } = await suite.ask<{ items: { holds: { runId: string }[] }[] }>(
      ...(['GET', '/run-state?view=agents'] as const),
    );
    const held = items.flatMap(({ holds }) => holds.map(({ runId }) => `#/live/${runId}`));
    const rows = agent.locator('a[data-row]');
    expect(await rows.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual(
      held,
    );
    await agent.getByText('3 of 6').waitFor();
    expect(faults).toEqual([]);
  });

  test('a run is followed from its first progress to its results', async () => {
    const { page, show, faults } = await suite.open();
    await show('live');
    await page.locator('[data-connection=connected]').waitFor();
    const agent = await claim('ci-7');
    await agent.write(1);
    const card = page.getByRole('region', { name: 'ci-7' });
    await card.getByText('1 of 10').waitFor();
    await agent.write(4);
    await card.getByText('4 of 10').waitFor();
    await card.locator('a[data-row]').click();
    await page.getByRole('heading', { level: 1, name: 'ci-7 tests' }).waitFor();
    await page.locator('[data-connection=connected]').waitFor();
    await agent.write(9);
    await page.getByText('case 9').waitFor();
    await agent.report();
    await page.getByRole('link', { name: 'Show its results' }).click();
    await page.locator('article.result .message').waitFor();
    expect(page.url()).toEndWith(`#/runs/${agent.runId}`);
    await show('live');
    await page.getByRole('region', { name: 'lab-3' }).waitFor();
    expect(await card.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('an owner cancels the runs of an agent, an editor may not', async () => {
    const agent = await claim('ci-8');
    await agent.write(1);
    const { text } = await suite.instance.makeToken(suite.projectId, ['srs:edit', 'agent:execute']);
    const other = await suite.open(text);
    await other.show('live');
    await other.page.getByRole('region', { name: 'ci-8' }).waitFor();
    expect(await other.page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
    const { page, show } = await suite.open();
    await show('live');
    const card = page.getByRole('region', { name: 'ci-8' });
    await card.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel them' }).click();
    await card.getByText('asked to stop').waitFor();
    const run = await suite.ask<{ cancelRequested: boolean }>(
      ...(['GET', `/run-state?runId=${agent.runId}`] as const),
    );
    expect(run.cancelRequested).toBe(true);
  });

  test('says when it is not connected, and catches up', async () => {
    const { page, show, faults } = await suite.open();
    await show('live');
    await page.locator('[data-connection=connected]').waitFor();
    await page.context().setOffline(true);
    await page.locator('[data-connection=lost]').waitFor();
    const agent = await claim('ci-9');
    await agent.write(2);
    await page.context().setOffline(false);
    await page.locator('[data-connection=connected]').waitFor();
    await page.getByRole('region', { name: 'ci-9' }).getByText('2 of 10').waitFor();
    expect(faults).toEqual([]);
  });

  pageTests(browser, suite, () => ['live']);
});

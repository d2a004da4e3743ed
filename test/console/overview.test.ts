// The first page and the gate: what they say is what the API answers.
import { describe, expect, test } from 'bun:test';
import type { Overview } from '../../src/assurance/overview/model.ts';
import { STATUSES } from '../../src/console/parts/status.tsx';
import { openBrowser } from '../support/browser.ts';
import { askOf } from '../support/console-project.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';

const browser = await openBrowser();

describe.skipIf(!browser)('overview and gate', () => {
  const suite = consoleSuite(browser);
  pageTests(browser, suite, () => ['overview', 'gate']);

  test('the verdict, the figures and what needs a person are those of the API', async () => {
    const { page, faults } = await suite.open();
    const answer = await suite.ask<Overview>('GET', '/project-traceability?view=overview');
    expect(await page.locator('[data-verdict]').getAttribute('data-verdict')).toBe(
      answer.fit.verdict,
    );
    const figures = await page.locator('.legend b').allTextContents();
    expect(figures.map(Number)).toEqual(
      STATUSES.map((status) => answer.summary.statuses[status].count),
    );
    const kinds = await page
      .locator('[data-kind]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-kind')));
    expect(kinds).toEqual(answer.attention.map(({ kind }) => kind));
    expect(faults).toEqual([]);
  });

  test('the overview asks for no more than three answers', async () => {
    const { page } = await suite.open();
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/api/') && asked.push(request.url()));
    await page.reload();
    await page.locator('[data-verdict]').waitFor();
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  test('a gate is red with its reasons, and green once they are gone', async () => {
    const { token } = await suite.instance.makeProject('gated');
    const ask = askOf(suite.url, token);
    const content = '# Shop\n\n## US-1: Paying once\n\nThe shop shall charge once.\n';
    const slug = 'gated';
    await ask('POST', '/projects', { slug, sources: [{ path: 'shop.md', content }] });
    const { page, show } = await suite.open(token);
    await show('gate');
    expect(await page.locator('[data-verdict=failed]').count()).toBe(1);
    expect(await page.getByRole('row', { name: /US-1/ }).count()).toBeGreaterThan(0);
    const results = [{ name: 'charges once [US-1]', file: 'shop.test.ts', status: 'passed' }];
    await ask('POST', '/test-runs', { results, execution: { exitCode: 0 } });
    await page.reload();
    await page.locator('[data-verdict=passed]').waitFor();
  });
});

// Settings: health, tokens, baselines, the theme; what an owner may and another may not.
import { describe, expect, test } from 'bun:test';
import type { Project } from '../../src/console/pages/settings/answers.ts';
import { openBrowser } from '../support/browser.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';

const browser = await openBrowser();

describe.skipIf(!browser)('settings', () => {
  const suite = consoleSuite(browser);
  pageTests(browser, suite, () => ['settings']);

  const own = async () => {
    const { items } = await suite.ask<{ items: Project[] }>(
      'GET',
      '/projects?include=baselines,tokens',
    );
    return items[0]!;
  };
  const ready = () =>
    fetch(`${suite.url}/api/ready`, { headers: { authorization: `Bearer ${suite.token}` } });

  test('health and settings are those of the API', async () => {
    const { page, show, faults } = await suite.open();
    await show('settings');
    const answer = (await (await ready()).json()) as { status: string };
    expect(await page.locator('[data-health]').getAttribute('data-health')).toBe(answer.status);
    await page.getByText('The database takes writes').waitFor();
    await page.getByText('kind, title, statement, acceptance, links').waitFor();
    await page.getByRole('link', { name: /^default/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Gate' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('a service that is not ready says what fails, check by check', async () => {
    const { page, show } = await suite.open();
    const output = 'the disk does not say what is free';
    const checks = { 'disk:free': [{ status: 'fail', output }] };
    await page.route('**/api/ready', (route) =>
      route.fulfill({
        ...{ status: 503, contentType: 'application/health+json' },
        body: JSON.stringify({ status: 'fail', version: '0', checks }),
      }),
    );
    await show('settings');
    await page.locator('[data-health=fail]').waitFor();
    await page.getByText(output).waitFor();
  });

  test('a token is made, its secret shown once, and ended after a question', async () => {
    const { page, show, faults } = await suite.open();
    await show('settings');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Label').fill('lab-9');
    await page.getByLabel('Ends').selectOption('30');
    await page.getByLabel('srs:edit').check();
    await page.getByRole('button', { name: 'Make the token' }).click();
    const secret = await page.locator('[data-secret] pre').textContent();
    const bearer = { headers: { authorization: `Bearer ${secret}` } };
    expect((await fetch(`${suite.url}/api/projects`, bearer)).status).toBe(200);
    const made = (await own()).tokens!.find(({ label }) => label === 'lab-9')!;
    expect(made.capabilities.toSorted()).toEqual(['agent:execute', 'srs:edit']);
    expect(Math.round((Date.parse(made.expiresAt!) - Date.now()) / 86_400_000)).toBe(30);
    await page.getByRole('button', { name: 'Revoke lab-9' }).click();
    await page.getByRole('dialog').getByText('It ends at once').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await fetch(`${suite.url}/api/projects`, bearer)).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke lab-9' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await fetch(`${suite.url}/api/projects`, bearer)).status).toBe(401);
    await page.getByRole('button', { name: /that ended/ }).click();
    await page.getByRole('row', { name: /lab-9.*revoked/ }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'New token' }).waitFor();
    expect(await page.getByText(secret!).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('a revision is named; a name that is taken is refused beside it', async () => {
    const { page, show } = await suite.open();
    await show('settings');
    const name = page.getByLabel('Name of the baseline');
    await name.fill('second');
    await page.getByRole('button', { name: 'Name revision 2' }).click();
    await page.getByText(/^revision 2, by/).waitFor();
    expect((await own()).baselines!.map((one) => [one.name, one.revision])).toEqual([
      ['second', 2],
      ['first', 1],
    ]);
    await name.fill('first');
    await page.getByRole('button', { name: 'Name revision 2' }).click();
    await page.locator('[data-problem]').waitFor();
    expect(await name.inputValue()).toBe('first');
    await page.getByRole('link', { name: 'Changes since' }).click();
    await page.waitForURL(/sources\/changes\?from=first&to=2/);
  });

  test('the theme is kept in this browser', async () => {
    const { page, show } = await suite.open();
    await show('settings');
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await page.getByRole('radio', { name: 'Dark' }).check();
    await page.reload();
    expect(await theme()).toBe('dark');
    await page.getByLabel('As the system').check();
    await page.reload();
    expect(await theme()).toBeUndefined();
  });

  test('who is no owner sees no tokens and no forms', async () => {
    const { text } = await suite.instance.makeToken(suite.projectId, ['srs:edit']);
    const { page, show } = await suite.open(text);
    await show('settings');
    await page.getByRole('heading', { name: 'Baselines' }).waitFor();
    for (const heading of ['Tokens', 'Backups'])
      expect(await page.getByRole('heading', { name: heading }).count()).toBe(0);
    expect(await page.locator('main').getByRole('textbox').count()).toBe(0);
  });
});

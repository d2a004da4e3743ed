// Rarer states of issues, sources, logs and settings in the console.
import { describe, expect, test } from 'bun:test';
import { openBrowser, violations } from '../support/browser.ts';
import { askOf } from '../support/console-project.ts';
import { consoleSuite } from '../support/console-suite.ts';

const browser = await openBrowser();
const MAX_ELEMENTS = 2500;
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

describe.skipIf(!browser)('issues, sources, logs and settings', () => {
  const suite = consoleSuite(browser);
  const file = (name: string, content: string) => ({
    ...{ name, mimeType: 'text/markdown' },
    buffer: Buffer.from(content),
  });

  test('say how something comes there where nothing is', async () => {
    const { token } = await suite.instance.makeProject('bare');
    const { page, show, faults } = await suite.open(token);
    for (const [address, title] of [
      ['issues', 'No issue waits'],
      ['issues?severity=blocker', 'No issue is like that'],
      ['sources', 'There are no sources yet'],
      ['sources/changes', 'There is no revision yet'],
      ['logs?level=fatal', 'No entry is like that'],
      ['settings', 'Backups'],
    ] as const) {
      await show(address);
      await page.getByRole('heading', { name: title }).waitFor();
      expect([address, await violations(page)]).toEqual([address, []]);
    }
    expect(faults).toEqual([]);
  });

  test('say what is not there', async () => {
    const { page, show } = await suite.open();
    for (const address of ['issues/iss_none', 'logs/log_none', 'sources/changes?from=none&to=1']) {
      await show(address);
      await page.locator('main [data-problem]').first().waitFor();
    }
  });

  test('forms, questions and comparisons are accessible', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, show, faults } = await suite.open();
      await page.emulateMedia({ colorScheme });
      const check = async (what: string) =>
        expect([what, await violations(page)]).toEqual([what, []]);
      await show('issues/new');
      await check('issues/new');
      await show(`issues/${suite.seeded.issueId}`);
      await page.getByRole('button', { name: 'Resolve' }).click();
      await page.getByLabel('How').selectOption('duplicate');
      await check('resolving');
      await show('sources/import');
      await page
        .getByLabel('Choose files')
        .setInputFiles([file('cart.md', '# Cart\n\n## CART-1: Adding\n\nIt adds fast.\n')]);
      await page.getByText('Findings in what was sent').waitFor();
      await check('comparison');
      await show('logs');
      await page.locator('.entry').first().click();
      await page.getByRole('heading', { name: 'Entry' }).waitFor();
      await check('entry');
      await show('settings');
      await page.getByRole('button', { name: 'New token' }).click();
      await check('new token');
      expect(faults).toEqual([]);
    }
  });

  test('nothing is wider than a telephone, at any of their addresses', async () => {
    const { page, show } = await suite.open();
    for (const width of [320, 390, 1024]) {
      await page.setViewportSize({ width, height: 800 });
      for (const address of [
        'issues',
        'issues/new',
        `issues/${suite.seeded.issueId}`,
        'sources',
        'sources/import',
        'sources/changes?from=first&to=2',
        'logs',
        'logs?view=groups',
        'settings',
      ]) {
        await show(address);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect([address, width, wide <= width]).toEqual([address, width, true]);
      }
    }
  });

  test('an issue is closed as the duplicate of another', async () => {
    const first = await suite.ask<{ id: string; number: number }>('POST', '/issues', {
      title: 'The first of two',
    });
    const second = await suite.ask('POST', '/issues', { title: 'The second' });
    const { page, show } = await suite.open();
    await show(`issues/${second.id}`);
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByLabel('How').selectOption('duplicate');
    await page.getByLabel('Number of the issue').fill(`#${first.number}`);
    await page.locator('form').getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('link', { name: 'another issue' }).click();
    await page.getByRole('heading', { name: 'The first of two' }).waitFor();
    await page.getByRole('heading', { name: 'Reported again' }).waitFor();
  });

  test('an issue that is filed while its files are refused is not filed twice', async () => {
    const { page, show } = await suite.open();
    await page.route('**/attachments', (route) => route.abort());
    await show('issues/new');
    await page.getByLabel('Title').fill('Filed once');
    const picture = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') };
    await page.getByLabel('Pictures').setInputFiles(picture);
    await page.getByRole('button', { name: 'File it' }).click();
    await page.locator('[data-problem=offline]').waitFor();
    await page.unroute('**/attachments');
    await page.getByRole('button', { name: 'Send the files again' }).click();
    await page.getByRole('heading', { name: 'Filed once' }).waitFor();
    const { items } = await suite.ask<{ items: object[] }>('GET', '/issues?q="filed once"');
    expect(items).toHaveLength(1);
  });

  test('a page of a list that does not come is asked for again', async () => {
    const { token } = await suite.instance.makeProject('long');
    const ask = askOf(suite.url, token);
    for (let at = 0; at < 60; at += 1) await ask('POST', '/issues', { title: `Issue ${at}` });
    const { page, show, faults } = await suite.open(token);
    await show('issues');
    await page.route('**/api/issues*', (route) => route.abort());
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.locator('[data-problem=offline]').waitFor();
    expect(await page.locator('[data-row]').count()).toBe(50);
    await page.unroute('**/api/issues*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-row]').nth(59).waitFor();
    expect(faults).toEqual([]);
  });

  test('thousands of findings and changes are few elements', async () => {
    const { token } = await suite.instance.makeProject('large');
    const ask = askOf(suite.url, token);
    const sources = (verb: string) =>
      Array.from({ length: 60 }, (_, file) => ({
        path: `part-${file}.md`,
        content: `# Part ${file}\n\n${Array.from(
          { length: 50 },
          (_, at) => `## P-${file}-${at}: Item\n\nIt shall be ${verb} fast.\n`,
        ).join('\n')}`,
      }));
    await ask('POST', '/projects', { slug: 'large', sources: sources('very') });
    await ask('POST', '/projects', { slug: 'large', sources: sources('quite') });
    const { page, show, faults } = await suite.open(token);
    for (const address of ['sources', 'sources/changes?from=1&to=2']) {
      await show(address);
      const elements = await page.evaluate(() => document.querySelectorAll('*').length);
      expect([address, elements < MAX_ELEMENTS]).toEqual([address, true]);
    }
    await page.getByText('3000 changed').waitFor();
    // On paper all of it stands.
    await page.evaluate(() => {
      window.print = () => document.body.classList.add('printed');
    });
    await page.getByRole('button', { name: 'Print' }).click();
    await page.locator('body.printed').waitFor();
    expect(await page.locator('.change').count()).toBe(3000);
    await show('sources');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'SARIF' }).click();
    expect((await saved).suggestedFilename()).toBe('large-2.sarif');
    expect(faults).toEqual([]);
  });
});

// The transfer: dispositions add up, verdicts are carried one by one and all at once, and given anew.
import { describe, expect, test } from 'bun:test';
import {
  ALL,
  type Done,
  type History,
  type Transfer,
} from '../../src/console/pages/transfer/dispositions.ts';
import { openBrowser } from '../support/browser.ts';
import { askOf } from '../support/console-project.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';

const browser = await openBrowser();
const PATH = '/validation-transfer';

describe.skipIf(!browser)('the transfer', () => {
  const suite = consoleSuite(browser);
  pageTests(browser, suite, () => [
    'transfer',
    'transfer?disposition=missing',
    'transfer?disposition=invalidated&open=CART-2',
  ]);

  test('the figures add up, and the rows are those of the API', async () => {
    const { page, show, faults } = await suite.open();
    const { counts, items } = await suite.ask<Transfer>('GET', `${PATH}?disposition=invalidated`);
    await show('transfer?disposition=invalidated');
    const figures = await page.locator('.filters .count').allTextContents();
    expect(figures.map(Number)).toEqual(ALL.map((one) => counts[one] ?? -1));
    const sum = (await page.locator('[data-sum]').textContent()) ?? '';
    const judged = counts.total! - counts.missing!;
    expect(sum).toContain(`= ${judged} judged; with ${counts.missing} never`);
    const rows = page.locator('[data-story]');
    expect(
      await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-story'))),
    ).toEqual(items.map(({ storyId }) => storyId));
    const row = page.locator('[data-story=CART-2]');
    expect(await row.locator('ins').allTextContents()).toContain('within a second of being');
    expect(await row.locator('del').count()).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  test('one verdict is carried, then all that are left, asked once with their number', async () => {
    const { token } = await suite.instance.makeProject('carried');
    const ask = askOf(suite.url, token);
    const story = (id: string, text: string) => `## ${id}: Function ${id}\n\n${text}\n\n`;
    const ids = ['US-1', 'US-2', 'US-3'];
    const bring = (content: string) =>
      ask('POST', '/projects', {
        slug: 'carried',
        sources: [{ path: 'a.md', content: `# Shop\n\n${content}` }],
        confirm: true,
      });
    await bring(ids.map((id) => story(id, 'It shall be so.')).join(''));
    const results = ids.map((storyId) => ({ storyId, verdict: 'passed' }));
    await ask('POST', PATH, { mode: 'record', results });
    await bring(ids.map((id) => story(id, 'It shall be so.')).join('') + story('US-4', 'New.'));
    const { page, show } = await suite.open(token);
    await show('transfer?disposition=transferable');
    const all = page.getByRole('button', { name: /^Carry \d/ });
    expect(await all.textContent()).toBe('Carry 3 verdicts');
    const row = page.locator('[data-story=US-2]');
    await row.getByRole('button', { name: 'Carry' }).click();
    await page.getByRole('button', { name: 'Carry 2 verdicts' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Carry' }).click();
    await all.waitFor({ state: 'detached' });
    for (const storyId of ids) {
      const { items } = await ask<History>('GET', `${PATH}?view=history&storyId=${storyId}`);
      const [last, first] = items;
      expect([items.length, last?.revision, last?.transferredFrom]).toEqual([2, 2, first!.id]);
    }
  });

  test('a verdict is given anew; what was typed outlives the page, what was overtaken is refused', async () => {
    const { page, show } = await suite.open();
    await show('transfer?disposition=invalidated');
    await page.locator('[data-story=CART-2]').getByRole('link', { name: 'Judge again' }).click();
    const form = page.getByRole('form', { name: 'Verdict on CART-2' });
    await form.getByRole('textbox').fill('Timed by hand: 0.4 s.');
    await page.reload();
    expect(await form.getByRole('textbox').inputValue()).toBe('Timed by hand: 0.4 s.');
    const { items } = await suite.ask<Transfer>('GET', `${PATH}?storyId=CART-2`);
    const overtaking = { storyId: 'CART-2', verdict: 'failed', replaces: items[0]?.validation?.id };
    await suite.ask<Done>('POST', PATH, { mode: 'record', results: [overtaking] });
    await form.getByRole('radio', { name: 'passed' }).check();
    await form.getByRole('button', { name: 'Record' }).click();
    await form.getByRole('alert').waitFor();
    expect(await form.getByRole('textbox').inputValue()).toBe('Timed by hand: 0.4 s.');
    await show('transfer?disposition=transferable&open=CART-2');
    await page.reload();
    await form.getByRole('radio', { name: 'passed' }).check();
    await form.getByRole('button', { name: 'Record' }).click();
    await form.waitFor({ state: 'detached' });
    const path = `${PATH}?view=history&storyId=CART-2`;
    const history = await suite.ask<History>('GET', path);
    expect(history.items.map(({ verdict }) => verdict)).toEqual(['passed', 'failed', 'passed']);
    expect(history.items[0]?.evidence).toBe('Timed by hand: 0.4 s.');
  });

  test('a reader sees the verdicts, and no control that would be refused', async () => {
    const { text } = await suite.instance.makeToken(suite.projectId, ['agent:execute']);
    const { page, show } = await suite.open(text);
    await show('transfer?disposition=transferable');
    expect(await page.locator('[data-story]').count()).toBeGreaterThan(0);
    expect(await page.getByRole('button', { name: /Carry|Judge/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'History' }).first().click();
    await page.locator('.verdict-history li').first().waitFor();
    expect(await page.getByRole('form').count()).toBe(0);
  });

  test('saves the signed bundle', async () => {
    const { page, show } = await suite.open();
    await show('transfer');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Signed bundle' }).click();
    const bundle = await Bun.file(await (await saved).path()).json();
    expect(bundle.format).toBe('pqrs-validation-bundle');
  });
});

// Rarer states of requirements in the console.
import { describe, expect, test } from 'bun:test';
import { openBrowser, violations } from '../support/browser.ts';
import { type Ask, askOf, seedProject } from '../support/console-project.ts';
import { consoleSuite } from '../support/console-suite.ts';

const browser = await openBrowser();
const suite = consoleSuite(browser);

async function open(address: string, token: string) {
  const console = await suite.open(token);
  await console.show(address);
  return console;
}

interface SeededFor {
  id: string;
  token: string;
  ask: Ask;
}

async function seeded(slug: string, settings: object = {}): Promise<SeededFor> {
  const { id, token } = await suite.instance.makeProject(slug, settings);
  const ask = askOf(suite.url, token);
  await seedProject(ask, slug);
  return { id, token, ask };
}

const importOf = (ask: Ask, slug: string, path: string, content: string) =>
  ask('POST', '/projects', { slug, sources: [{ path, content }], confirm: true });

describe.skipIf(!browser)('requirements', () => {
  test('say how they come where there are none', async () => {
    const { token } = await suite.instance.makeProject('none');
    for (const address of ['requirements', 'graph']) {
      const { page, faults } = await open(address, token);
      await page.getByRole('heading', { name: 'There are no requirements yet' }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(faults).toEqual([]);
    }
  });

  test('under review wait for an owner', async () => {
    const { id, token, ask } = await seeded('review', { editPolicy: 'review' });
    const { text } = await suite.instance.makeToken(id, ['srs:edit']);
    const editor = await open('requirements/PAY-1?edit=1', text);
    await editor.page.getByLabel('Statement').fill('The shop shall charge each order once.');
    await editor.page.getByRole('button', { name: 'Save edit' }).click();
    await editor.page.getByRole('status').getByText('waits for a decision').waitFor();
    const moves = editor.page.locator('.overlay').getByRole('button');
    await moves.first().waitFor();
    expect(await moves.allTextContents()).toEqual(['Withdraw']);
    const owner = await open('requirements/PAY-1', token);
    await owner.page.getByRole('button', { name: 'Accept' }).click();
    await owner.page.getByText('In force, not in the sources yet').waitFor();
    expect(await ask<object>('GET', '/srs-story/PAY-1')).toMatchObject({
      statement: 'The shop shall charge each order once.',
    });
  });

  test('put an edit that the sources contradict on their text', async () => {
    const { token, ask } = await seeded('conflict');
    const text = '# Payment\n\n## PAY-3: Receipts\n\nThe shop shall send a receipt by post.\n';
    await importOf(ask, 'conflict', 'payment.md', text);
    const { page } = await open('requirements/PAY-3', token);
    await page.getByText('In conflict with the sources:').waitFor();
    await page.getByRole('button', { name: 'Put it on the new text' }).click();
    await page.getByText('In force, not in the sources yet').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('delete an addition, with what depends on it when asked again', async () => {
    const { token, ask } = await seeded('added');
    const link = { storyId: 'CART-4', type: 'affects', target: { kind: 'file', id: 'cart.ts' } };
    await ask('POST', '/project-traceability', { add: [link] });
    const { page } = await open('requirements/CART-4', token);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete CART-4' });
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.locator('[data-problem=conflict]').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete it and its links' }).click();
    await page.locator('.choose').waitFor();
    await page.waitForFunction(() => !document.body.textContent?.includes('CART-4'));
  });

  test('keep what is written through Escape and a reload', async () => {
    const { token } = await seeded('kept');
    const { page } = await open('requirements/PAY-2?edit=1', token);
    await page.getByLabel('Statement').fill('It shall refund.');
    await page.keyboard.press('Escape');
    const draft = page.getByRole('link', { name: 'Go on editing' });
    await draft.waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Refunds');
    await page.reload();
    await draft.click();
    expect(await page.getByLabel('Statement').inputValue()).toBe('It shall refund.');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('link', { name: 'Edit e', exact: true }).waitFor();
  });

  test('send the steps that say all', async () => {
    const { token, ask } = await seeded('steps');
    const texts = { title: 'New', statement: 'It shall.', acceptance: ['It does'] };
    await ask('POST', '/story-additions', { storyId: 'NEW-1', ...texts });
    const { page } = await open('requirements/NEW-1', token);
    await page.getByRole('button', { name: 'Add a manual test' }).click();
    await page.locator('.test').getByText('verify NEW-1').waitFor();
    const found = await ask<{ coverage: { tests: object[] } }>('GET', '/srs-story/NEW-1');
    expect(found.coverage.tests).toMatchObject([{ kind: 'command', result: null }]);
  });
});

// Requirements in a real browser: documents, an edit with its impact, verdicts, additions.
import { describe, expect, test } from 'bun:test';
import type { DocumentPage, DocumentTree } from '../../src/assurance/graph/model.ts';
import type { Impact } from '../../src/assurance/impact/impact.ts';
import { openBrowser, violations } from '../support/browser.ts';
import { askOf } from '../support/console-project.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';

const browser = await openBrowser();
const suite = consoleSuite(browser);

async function open(address: string, token?: string) {
  const console = await suite.open(token);
  await console.show(address);
  return console;
}

const statementOf = async (id: string) =>
  (await suite.ask<{ statement: string }>('GET', `/srs-story/${id}`)).statement;

describe.skipIf(!browser)('requirements [PQRS-93]', () => {
  test('shows documents in their order with the figures of the API', async () => {
    const { page, faults } = await open('requirements');
    const { documents } = await suite.ask<DocumentTree>('GET', '/srs-graph?view=document');
    const tree = page.getByRole('navigation', { name: 'Documents' });
    expect(await tree.getByRole('link').allTextContents()).toEqual(
      documents.map(({ title }) => title ?? 'In no document'),
    );
    const [first] = documents;
    await page.locator('.requirement').first().waitFor();
    const { items } = await suite.ask<DocumentPage>(
      'GET',
      `/srs-graph?view=document&at=${first?.id}`,
    );
    expect(await page.locator('[data-row]').allTextContents()).toEqual(
      items.flatMap(({ node }) => (node.kind === 'document' ? [] : node.title)),
    );
    for (const [status, count] of Object.entries(first?.statuses ?? {}))
      expect(await page.locator('.figures').textContent()).toContain(`${count} ${status}`);
    expect(await page.getByText('CART-9, in no source').count()).toBe(1);
    await page.keyboard.press(']');
    await page.getByRole('heading', { level: 2, name: 'Payment' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: 'PAY-1' });
    await panel.getByRole('link', { name: 'Record a verdict' }).waitFor();
    expect(page.url()).toEndWith('#/requirements/PAY-1');
    expect(await panel.locator('.strip > *').count()).toBe(6);
    expect(await panel.getByText('Paying twice').count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test('shows what was judged beside what is said now', async () => {
    const { page } = await open('requirements/CART-2');
    const verdict = page.locator('.verdict');
    await verdict.waitFor();
    expect(await verdict.locator('del').allTextContents()).not.toEqual([]);
    expect(await verdict.locator('ins').allTextContents()).not.toEqual([]);
  });

  test('edits with the impact, asked once the keys rest, and sends what it was begun on', async () => {
    const { page, faults } = await open('requirements/CART-1');
    const before = await suite.ask<{ fingerprint: string }>('GET', '/srs-story/CART-1');
    const sent: { dryRun?: boolean; baseFingerprint?: string }[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/story-edits')) sent.push(request.postDataJSON());
    });
    await page.getByRole('link', { name: 'Edit', exact: false }).last().waitFor();
    await page.keyboard.press('e');
    const statement = page.getByLabel('Statement');
    await statement.waitFor();
    await statement.press('End');
    // Sent at once, so that no key rests, however slow the browser is.
    const keys = [...' It shall be quick.'];
    await Promise.all(keys.map((key) => page.keyboard.insertText(key)));
    await page.locator('.figure').first().waitFor();
    expect(sent).toMatchObject([{ dryRun: true, baseFingerprint: before.fingerprint }]);
    const set = { statement: await statement.inputValue() };
    const { impact } = await suite.ask<{ impact: Impact }>('POST', '/story-edits', {
      ...{ storyId: 'CART-1', set, dryRun: true },
    });
    expect(await page.locator('.figure > b').allTextContents()).toEqual(
      [
        impact.stories.length,
        impact.validations.length,
        impact.traces.length,
        impact.testsToRerun.length,
        impact.scenarios.length + impact.routes.length,
      ].map(String),
    );
    expect(await page.locator('.changes ins').textContent()).toContain('quick');
    await page.getByLabel('Why').fill('Asked for.');
    await page.getByRole('button', { name: 'Save edit' }).click();
    await page.getByRole('status').getByText('Saved').waitFor();
    expect(await statementOf('CART-1')).toBe(set.statement);
    expect(sent.at(-1)).toMatchObject({
      baseFingerprint: before.fingerprint,
      reason: 'Asked for.',
    });
    await page.locator('.verdict ins').first().waitFor();
    expect(faults).toEqual([]);
  });

  test('keeps what was written where somebody else was quicker', async () => {
    const { page } = await open('requirements/PAY-2?edit=1');
    const statement = page.getByLabel('Statement');
    await statement.fill('The shop shall refund an order within 2 days.');
    await page.locator('.figure').first().waitFor();
    const other = { storyId: 'PAY-2', set: { title: 'Money back' }, reason: 'Plainer.' };
    await suite.ask('POST', '/story-edits', other);
    await page.getByRole('button', { name: 'Save edit' }).click();
    const conflict = page.locator('[data-problem=conflict]');
    await conflict.waitFor();
    const [theirs, mine] = [conflict.getByLabel('Theirs'), conflict.getByLabel('Yours')];
    expect(await theirs.locator('ins').textContent()).toContain('Money back');
    expect(await mine.locator('ins').textContent()).toBe('2');
    expect(await statement.inputValue()).toContain('2 days');
    await page.locator('.figure').first().waitFor({ state: 'detached' });
    await page.reload();
    await conflict.getByRole('button', { name: 'Put mine on theirs' }).click();
    expect(await page.getByLabel('Title').inputValue()).toBe('Money back');
    await page.getByRole('button', { name: 'Save edit' }).click();
    await page.getByRole('status').getByText('Saved').waitFor();
    expect(await statementOf('PAY-2')).toContain('2 days');
  });

  test('records a verdict on what is shown', async () => {
    const { page } = await open('requirements/PAY-3?do=record_verdict');
    await page.getByRole('radio', { name: 'failed' }).check();
    await page.getByLabel('Evidence').fill('<img src=x onerror=alert(1)>');
    await page.getByRole('button', { name: 'Record' }).click();
    const verdict = page.locator('.verdict');
    await verdict.getByText('onerror').waitFor();
    const { items } = await suite.ask<{ items: { validation: object }[] }>(
      'GET',
      '/validation-transfer?storyId=PAY-3',
    );
    expect(items[0]?.validation).toMatchObject({ verdict: 'failed', method: 'inspection' });
  });

  test('adds a requirement, and shows why it is refused', async () => {
    const { page } = await open('requirements/cart.md?add=1');
    await page.getByLabel('Title').fill('Naming a cart');
    await page.getByLabel('Id, or none').fill('CART-1');
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.locator('[data-problem=conflict]').waitFor();
    await page.getByLabel('Id, or none').fill('CART-5');
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.getByRole('region', { name: 'CART-5' }).getByText('In force').waitFor();
    expect(await suite.ask<object>('GET', '/srs-story/CART-5')).toMatchObject({
      title: 'Naming a cart',
    });
  });

  test('justifies a need and lists edits', async () => {
    const { page, show } = await open('requirements/CART-3?do=justify_need');
    await page.getByLabel('Why it needs no test').fill('By design.');
    await page.getByRole('button', { name: 'Justify the need' }).click();
    await page.getByText('Needs no test: By design.').waitFor();
    await show('requirements?view=overlays&state=accepted');
    expect(await page.getByRole('link', { name: 'PAY-3' }).count()).toBe(1);
    expect(await page.getByRole('link', { name: 'CART-4' }).count()).toBe(0);
  });

  test('offers no write to who may read alone', async () => {
    const { text } = await suite.instance.makeToken(suite.projectId, ['project:owner'], {
      readOnly: true,
    });
    const { page, faults } = await open('requirements/PAY-1', text);
    const panel = page.getByRole('region', { name: 'PAY-1' });
    await panel.getByText('Where it stands').waitFor();
    expect(await page.locator('main form, main button').count()).toBe(0);
    const links = await page.locator('main a.button').allTextContents();
    expect(links.map((text) => text.trim())).toEqual(['Edits']);
    await page.keyboard.press('e');
    expect(page.url()).not.toContain('edit');
    expect(faults).toEqual([]);
  });

  test('says that it does not know an id', async () => {
    const { page, show } = await open('requirements/NONE-1');
    await page.locator('[data-problem=not_found]').waitFor();
    await show('requirements/PAY-1');
    await page.getByRole('region', { name: 'PAY-1' }).waitFor();
  });

  test('holds a part of a large document alone', async () => {
    const many = Array.from({ length: 1000 }, (_, at) => `## BIG-${at}: Title\n\nIt shall.\n\n`);
    const large = await suite.instance.makeProject('large');
    const sources = [{ path: 'big.md', content: `# Big\n\n${many.join('')}` }];
    await askOf(suite.url, large.token)('POST', '/projects', { slug: 'large', sources });
    const { page } = await open('requirements/BIG-600', large.token);
    await page.getByRole('region', { name: 'BIG-600' }).waitFor();
    expect(await page.getByText('577 to 626 of its items').count()).toBe(1);
    await page.getByRole('link', { name: 'Further ones' }).click();
    await page.locator('#item-BIG-640').waitFor();
    expect(await page.locator('*').count()).toBeLessThan(2500);
  });

  test('is accessible while an edit is written', async () => {
    const { page } = await open('requirements/PAY-1?edit=1');
    await page.getByLabel('Statement').fill('The shop shall charge once.');
    await page.locator('.figure').first().waitFor();
    expect(await violations(page)).toEqual([]);
  });

  pageTests(browser, suite, () => [
    'requirements/CART-2?do=record_verdict',
    'requirements/cart.md?add=1',
    'requirements?view=overlays',
  ]);
});

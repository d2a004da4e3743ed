// The graph in a real browser: a neighbourhood as a drawing and as a table.
import { describe, expect, test } from 'bun:test';
import type { Neighbourhood } from '../../src/assurance/graph/model.ts';
import { openBrowser } from '../support/browser.ts';
import { askOf } from '../support/console-project.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';

const browser = await openBrowser();
const suite = consoleSuite(browser);

async function open(address: string, token?: string) {
  const console = await suite.open(token);
  await console.show(address);
  return console;
}

const near = (id: string, depth: number) =>
  suite.ask<Neighbourhood>(
    'GET',
    `/srs-graph?root=${id}&depth=${depth}&with=tests&with=issues&with=validations`,
  );

describe.skipIf(!browser)('the graph [PQRS-93]', () => {
  test('draws what is near, and what hangs on the root', async () => {
    const { page, faults } = await open('graph/PAY-1?depth=1');
    const drawing = page.getByRole('region', { name: 'Drawing' });
    await drawing.waitFor();
    const { nodes, edges } = await near('PAY-1', 1);
    const [root] = nodes;
    const hanging = [...(root?.tests ?? []), ...(root?.issues ?? [])].length;
    expect(hanging).toBe(2);
    expect(await drawing.getByRole('link').count()).toBe(nodes.length + hanging);
    expect(await drawing.locator('.sheet > svg > path').count()).toBe(edges.length + hanging);
    const leftOf = async (id: string) =>
      (await drawing.getByRole('link', { name: id }).boundingBox())?.x ?? Number.NaN;
    expect(await leftOf('CART-1')).toBeLessThan(await leftOf('PAY-1'));
    expect(await leftOf('PAY-1')).toBeLessThan(await leftOf('PAY-2'));
    await drawing.getByRole('link', { name: 'PAY-2' }).click();
    await page.getByRole('heading', { level: 1, name: 'Refunds' }).waitFor();
    expect(page.url()).toEndWith('#/graph/PAY-2?depth=1');
    expect(faults).toEqual([]);
  });

  test('says the same in a table', async () => {
    const { page } = await open('graph/CART-2?view=table');
    const { nodes } = await near('CART-2', 2);
    await page.getByRole('table').waitFor();
    expect(await page.locator('tbody th small').allTextContents()).toEqual(
      nodes.map(({ id }) => id),
    );
    const row = page.getByRole('row').filter({ hasText: 'Emptying the cart' });
    expect(await row.textContent()).toContain('invalidated');
    await page.getByRole('navigation', { name: 'Depth' }).getByText('1 step').click();
    expect(page.url()).toEndWith('#/graph/CART-2?view=table&depth=1');
  });

  test('begins at a document or at an id that is written', async () => {
    const { page } = await open('graph');
    await page.getByRole('link', { name: /^Cart/ }).waitFor();
    await page.getByLabel('Id').fill('PAY-3');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Receipts' }).waitFor();
    await page.getByRole('link', { name: 'Read' }).click();
    await page.getByRole('region', { name: 'PAY-3' }).waitFor();
  });

  test('says that it does not know an id', async () => {
    const { page } = await open('graph/NONE-1');
    await page.locator('[data-problem=not_found]').waitFor();
  });

  test('leaves out what is too much, and says how much that is', async () => {
    const parts = Array.from({ length: 60 }, (_, at) => {
      const on = at === 0 ? '' : `\nDepends on: BIG-${Math.floor(at / 4)}\n`;
      return `## BIG-${at}: Title\n\nIt shall.\n${on}\n`;
    });
    const large = await suite.instance.makeProject('large');
    const sources = [{ path: 'big.md', content: `# Big\n\n${parts.join('')}` }];
    const askLarge = askOf(suite.url, large.token);
    await askLarge('POST', '/projects', { slug: 'large', sources });
    const { page, faults } = await open('graph/big.md?depth=1', large.token);
    await page.locator('.box').nth(39).waitFor();
    expect(await page.locator('.box').count()).toBe(40);
    const { nodes } = await askLarge<Neighbourhood>(
      'GET',
      '/srs-graph?root=big.md&depth=1&limit=40&with=tests',
    );
    const away = nodes.reduce((sum, { leftOut: { up, down } }) => sum + up + down, 0);
    expect(await page.locator('.graph-said').textContent()).toContain(`${away} further`);
    expect(faults).toEqual([]);
  });

  pageTests(browser, suite, () => ['graph', 'graph/PAY-1?depth=3', 'graph/CART-2?view=table']);
});

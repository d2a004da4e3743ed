// The matrix: its figures and cells are the API's, keys go through it, what is missing can be done.
import { describe, expect, test } from 'bun:test';
import type { Matrix } from '../../src/console/pages/matrix/filters.ts';
import { STATUSES } from '../../src/console/parts/status.tsx';
import { openBrowser } from '../support/browser.ts';
import { consoleSuite, pageTests } from '../support/console-suite.ts';

const browser = await openBrowser();

describe.skipIf(!browser)('the matrix', () => {
  const suite = consoleSuite(browser);
  pageTests(browser, suite, () => [
    'matrix',
    'matrix?view=test&status=failing',
    'matrix?view=document',
    'matrix?view=heat',
    'matrix?view=gaps',
  ]);

  test('rows, columns, cells and chips are those of the API', async () => {
    const { page, show, faults } = await suite.open();
    for (const columns of ['suite', 'test', 'document']) {
      const path = `/project-traceability?view=matrix&columns=${columns}&summary=true`;
      const matrix = await suite.ask<Matrix>('GET', path);
      await show(`matrix?view=${columns}`);
      const grid = page.getByRole('grid');
      // Until they come, the rows and columns of the view before are shown.
      await page.locator(`[aria-colcount="${matrix.columns.length + 2}"]`).waitFor();
      const headings = matrix.documents?.length ?? 0;
      expect(await grid.getAttribute('aria-rowcount')).toBe(`${matrix.rows.length + headings + 1}`);
      for (const { storyId } of matrix.rows)
        expect(await grid.getByRole('row', { name: storyId }).count()).toBe(1);
      const cells = new Set(matrix.cells.map(({ row, column }) => `${row} ${column}`));
      expect(await grid.locator('.cell').count()).toBe(cells.size);
      const counts = await page.locator('.filters .count').allTextContents();
      expect(counts.map(Number)).toEqual(
        STATUSES.map((status) => matrix.summary?.statuses[status].count ?? 0),
      );
    }
    expect(faults).toEqual([]);
  });

  test('a filter lives in the address', async () => {
    const { page, show } = await suite.open();
    await show('matrix?status=failing&inherited=false');
    const path = '/project-traceability?view=matrix&status=failing&inherited=false';
    const { rows } = await suite.ask<Matrix>('GET', path);
    expect(rows.map(({ storyId }) => storyId)).toEqual(['PAY-1']);
    expect(await page.locator('.matrix .line:not(.heading, .names)').count()).toBe(1);
    await page.getByRole('link', { name: /^failing/ }).click();
    await page
      .locator('.chip[aria-current]', { hasText: 'failing' })
      .waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Document' }).selectOption('cart.md');
    await page.waitForFunction(() => location.hash.includes('root=cart.md'));
    await page.getByRole('row', { name: 'CART-2' }).waitFor();
    await page.getByRole('row', { name: 'PAY-1' }).waitFor({ state: 'detached' });
  });

  test('keys go through the grid with one tab stop, Enter opens the requirement', async () => {
    const { page, show, faults } = await suite.open();
    await show('matrix?view=test');
    const grid = page.getByRole('grid');
    const stop = () =>
      grid.locator('[tabindex="0"]').evaluateAll((cells) =>
        cells.map((cell) => {
          const row = cell.closest('[role=row]')?.getAttribute('aria-rowindex');
          return [document.activeElement === cell, Number(row), Number(cell.ariaColIndex)];
        }),
      );
    await grid.locator('[tabindex="0"]').focus();
    expect(await stop()).toEqual([[true, 2, 1]]);
    const cases = [
      ['ArrowDown', 3, 1],
      ['ArrowRight', 3, 2],
      ['ArrowRight', 3, 3],
      ['End', 3, 8],
      ['Control+End', 12, 8],
      ['ArrowDown', 12, 8],
      ['PageUp', 2, 1],
      ['ArrowUp', 1, 8],
      ['Control+Home', 2, 1],
      ['PageDown', 12, 1],
      ['Home', 12, 1],
    ] as const;
    for (const [key, row, column] of cases) {
      await page.keyboard.press(key);
      expect([key, ...(await stop())]).toEqual([key, [true, row, column]]);
    }
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.startsWith('#/requirements/'));
    expect(page.url()).toEndWith('#/requirements/CART-1');
    expect(faults).toEqual([]);
  });

  test('what is missing can be justified where it is listed', async () => {
    const { page, show } = await suite.open();
    await show('matrix?view=gaps');
    const row = page.getByRole('row', { name: /CART-3/ });
    await row.getByRole('button', { name: 'Justify' }).click();
    await row.getByRole('textbox').fill('It is shared by hand.');
    await row.getByRole('button', { name: 'Justify' }).click();
    await row.waitFor({ state: 'detached' });
    const { items } = await suite.ask<{ items: { status: string }[] }>(
      'GET',
      '/project-traceability?storyId=CART-3',
    );
    expect(items[0]?.status).toBe('justified');
  });

  test('prints all rows with their outcomes', async () => {
    const { page, show } = await suite.open();
    await show('matrix');
    await page.evaluate(() => {
      window.print = () => {};
    });
    await page.getByRole('button', { name: 'Print' }).click();
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.printed tbody tr').count()).toBe(8);
    expect(await page.locator('.printed').textContent()).toContain('1 failed');
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    expect(await page.locator('.printed').count()).toBe(0);
  });

  test('saves the rows as CSV', async () => {
    const { page, show } = await suite.open();
    await show('matrix?status=failing');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('shop-matrix.csv');
    expect(await Bun.file(await file.path()).text()).toContain('PAY-1');
  });

  test('a reader sees what is missing, and no control that would be refused', async () => {
    const { text } = await suite.instance.makeToken(suite.projectId, ['agent:execute']);
    const { page, show } = await suite.open(text);
    await show('matrix?view=gaps');
    expect(await page.getByRole('row').count()).toBeGreaterThan(1);
    expect(await page.getByRole('button', { name: 'Justify' }).count()).toBe(0);
  });
});

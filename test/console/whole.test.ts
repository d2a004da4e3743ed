// What holds for all pages together: how much is loaded, from where, and that no text of a project runs.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { distFolder } from '../../scripts/build-state.mjs';
import { PAGES } from '../../src/console/pages/pages.ts';
import type { BuiltConsole } from '../../src/http/console/pages.ts';
import { openBrowser } from '../support/browser.ts';
import { askOf } from '../support/console-project.ts';
import { consoleSuite } from '../support/console-suite.ts';
import { hostileProject } from '../support/hostile-project.ts';

const browser = await openBrowser();
const KiB = 1024;

describe.skipIf(!browser)('the whole console', () => {
  const suite = consoleSuite(browser);

  test('is small, and loads nothing from elsewhere', async () => {
    const { page, show, faults } = await suite.open();
    const loaded = new Map<string, number>();
    page.on('response', async (response) => {
      const { pathname, origin } = new URL(response.url());
      expect(origin).toBe(suite.url);
      const { responseBodySize } = await response.request().sizes();
      if (pathname.startsWith('/console/')) loaded.set(pathname, responseBodySize);
    });
    const sizeOf = (kind: RegExp) =>
      [...loaded].reduce((sum, [name, size]) => (kind.test(name) ? sum + size : sum), 0);
    // Past the browser's cache, which held it since it was opened.
    await page.route('**/console/**', (route) => route.continue());
    await page.reload({ waitUntil: 'networkidle' });
    expect(sizeOf(/\.(?:js|css)$/)).toBeGreaterThan(10 * KiB);
    expect(sizeOf(/\.(?:js|css)$/)).toBeLessThan(60 * KiB);
    expect(sizeOf(/\.woff2$/)).toBeLessThanOrEqual(70 * KiB);
    for (const { id } of PAGES) await show(id);
    const { files } = JSON.parse(
      readFileSync(join(distFolder, 'console.json'), 'utf8'),
    ) as BuiltConsole;
    const whole = Object.entries(files).reduce(
      (sum, [name, { content }]) =>
        /\.(?:js|css)$/.test(name) ? sum + content.length * 0.75 : sum,
      0,
    );
    expect(whole).toBeLessThan(130 * KiB);
    expect(faults).toEqual([]);
  });

  test('runs no script that stands in a text of the project', async () => {
    const { token } = await suite.instance.makeProject('hostile');
    const addresses = await hostileProject(askOf(suite.url, token));
    const { page, show, faults } = await suite.open(token);
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    for (const address of [...PAGES.map(({ id }) => id), ...addresses]) {
      await show(address);
      await page.waitForLoadState('networkidle');
      const found = await page.evaluate(() => ({
        ran: 'ran' in globalThis,
        links: [...document.querySelectorAll('[href], [src]')]
          .map((one) => one.getAttribute('href') ?? one.getAttribute('src') ?? '')
          .filter((link) => /^\s*(?:javascript|data|vbscript):/i.test(link)),
        handlers: document.querySelectorAll(
          'main [onerror], main [onclick], main script, main iframe',
        ).length,
      }));
      expect([address, found]).toEqual([address, { ran: false, links: [], handlers: 0 }]);
    }
    expect(dialogs).toEqual([]);
    expect(faults).toEqual([]);
  }, 60_000);
});

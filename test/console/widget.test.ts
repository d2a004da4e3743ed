// The reporting widget in a real browser.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openBrowser, violations } from '../support/browser.ts';
import { PNG } from '../support/files.ts';
import { fillReport, openShop, press, type Shop, sendReport } from '../support/widget-page.ts';

const MAX_GZIP_BYTES = 12 * 1024;
const PICTURE = { name: 'mine.png', mimeType: 'image/png', buffer: PNG };
const TYPED = 'typed by somebody';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

const browser = await openBrowser();

let shop: Shop;

beforeAll(async () => {
  shop = await openShop(browser);
});
afterAll(() => shop.close());

test('is one small script that pages of any origin may load', async () => {
  const url = `${shop.service}/widget.js`;
  const got = await fetch(url);
  const text = await got.text();
  expect(Bun.gzipSync(text).byteLength).toBeLessThan(MAX_GZIP_BYTES);
  const expected = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  };
  const head = await fetch(url, { method: 'HEAD' });
  for (const { status, headers } of [got, head]) {
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject(expected);
  }
  expect(await head.text()).toBe('');
  const etag = got.headers.get('etag') ?? '';
  expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
});

describe.skipIf(!browser)('the widget [PQRS-94]', () => {
  test('files an issue with an element and a screenshot', async () => {
    const body = `<p>Total <button disabled>Buy <textarea>${TYPED}</textarea></button></p>`;
    const path = `/cart/${JWT}?id=7&session=abc#token=x`;
    const page = await shop.open({ body, path });
    await fillReport(page, 'It hangs');
    await page.getByLabel('What happened?').fill('Nothing.');
    await page.getByLabel('Severity').selectOption('critical');
    await page.getByLabel('Requirements').fill('SHOP-1');
    await press(page, 'Choose the element');
    const { x, y } = (await page.locator('main button').boundingBox())!;
    await page.mouse.click(x + 4, y + 8);
    await page.locator('input[type=file]').setInputFiles(PICTURE);
    await page.getByRole('img', { name: 'The screenshot' }).waitFor();
    await sendReport(page);
    const [issue] = await shop.issues('It hangs');
    const url = `${shop.origin}/cart/***?id=7&session=***#***`;
    expect(issue).toMatchObject({
      description: 'Nothing.\n\nRequirements: SHOP-1',
      severity: 'critical',
      url,
      route: '/cart/***',
      untrusted: true,
      context: {
        page: { url, title: 'Shop' },
        element: {
          selector: 'html > body > main > p > button',
          role: 'button',
          text: 'Buy',
          rect: { width: expect.any(Number) },
        },
        viewport: { width: 1280, height: 720 },
        userAgent: expect.stringContaining('Chrome'),
      },
      attachments: [{ name: 'screenshot.webp', kind: 'screenshot', mediaType: 'image/webp' }],
    });
    expect(JSON.stringify(issue)).not.toContain(TYPED);
  });

  test('takes a picture that is pasted or captured', async () => {
    const page = await shop.open();
    await page.evaluate(() => {
      const canvas = document.createElement('canvas');
      const drawing = canvas.getContext('2d');
      setInterval(() => drawing?.fillRect(0, 0, 300, 150), 20);
      navigator.mediaDevices.getDisplayMedia = async () => canvas.captureStream();
    });
    await fillReport(page, 'Captured');
    await press(page, 'Take a screenshot');
    const shown = page.getByRole('img', { name: 'The screenshot' });
    await shown.waitFor();
    expect(await shown.evaluate((one: HTMLCanvasElement) => [one.width, one.height])).toEqual([
      300, 150,
    ]);
    await press(page, 'Leave the screenshot out');
    expect(await shown.count()).toBe(0);
    await page.getByLabel('What happened?').evaluate(
      async (input, bytes) => {
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([new Uint8Array(bytes)], 'x.png', { type: 'image/png' }));
        input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      },
      [...PNG],
    );
    await shown.waitFor();
    await sendReport(page);
    expect((await shop.issues('Captured'))[0]?.attachments).toHaveLength(1);
  });

  test('keeps reports while offline, and sends each once', async () => {
    const page = await shop.open();
    await page.context().setOffline(true);
    await fillReport(page, 'Offline');
    await page.locator('input[type=file]').setInputFiles(PICTURE);
    await sendReport(page, /waits on this device until/);
    await press(page, 'Close');
    await fillReport(page, 'Offline, large');
    await page.evaluate(() => {
      HTMLCanvasElement.prototype.toBlob = (take) => take(new Blob([new Uint8Array(2_000_000)]));
    });
    await page.locator('input[type=file]').setInputFiles(PICTURE);
    await sendReport(page, /without the screenshot/);
    await press(page, 'Close');
    await press(page, 'Report a problem');
    expect(await page.getByRole('status').first().textContent()).toContain('2');
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(shop.token);
    await page.context().setOffline(false);
    await page.waitForFunction(() => localStorage.length === 0);
    expect((await shop.issues('Offline'))[0]?.attachments).toHaveLength(1);
    expect((await shop.issues('Offline, large'))[0]?.attachments).toHaveLength(0);
  });

  test('files one issue where its answer was lost, after the page was left', async () => {
    const page = await shop.open();
    await page.route('**/api/v1/issues', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await fillReport(page, 'Lost');
    await sendReport(page, /waits on this device/);
    await page.unroute('**/api/v1/issues');
    await page.reload();
    await page.waitForFunction(() => localStorage.length === 0);
    expect(await shop.issues('Lost')).toHaveLength(1);
  });

  test('says what was refused, and what was written stays', async () => {
    const page = await shop.open({ token: 'pqrs_none' });
    await fillReport(page, 'Refused');
    await press(page, 'Send');
    await page.getByRole('alert').filter({ hasText: 'not sent' }).waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Refused');
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  test('shows texts as they are', async () => {
    const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>javascript:alert(3)';
    const escaped = hostile.replaceAll('<', '&lt;');
    const page = await shop.open({
      body: `<button id="${escaped}">${escaped}</button>`,
      attributes: `data-project="${escaped}" data-position="${escaped}"`,
    });
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await page.route('**/api/v1/issues', (route) =>
      route.fulfill({
        status: 422,
        json: { detail: hostile },
        headers: { 'access-control-allow-origin': '*' },
      }),
    );
    await fillReport(page, hostile);
    await press(page, 'Choose the element');
    await page.locator('main button').click();
    await press(page, 'Send');
    const alert = page.getByRole('alert').filter({ hasText: hostile });
    await alert.waitFor();
    expect(await page.locator('pqrs-widget img, pqrs-widget script').count()).toBe(0);
    expect(dialogs).toBe(0);
  });

  test('is used by keyboard, and the page gets none of it', async () => {
    const page = await shop.open({
      body: '<button>Buy</button>',
      attributes: 'data-position="top-left"',
    });
    await page.evaluate(() => {
      for (const type of ['keydown', 'click'])
        document.querySelector('main')?.addEventListener(type, () => (document.title = type));
    });
    const focused = () =>
      page.evaluate(() => {
        const host = document.activeElement;
        const inside = host?.shadowRoot?.activeElement;
        return inside ? inside.textContent || inside.localName : (host?.localName ?? '');
      });
    const open = page.getByRole('button', { name: 'Report a problem' });
    expect((await open.boundingBox())!.y).toBe(16);
    await open.focus();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('dialog', { name: 'Report a problem' }).isVisible()).toBe(true);
    expect(await focused()).toBe('input');
    const seen = new Set<string>();
    for (let at = 0; at < 25; at += 1) {
      await page.keyboard.press('Tab');
      seen.add(await focused());
    }
    for (const name of ['textarea', 'Choose the element', 'Send', 'Cancel', 'input'])
      expect(seen).toContain(name);
    expect(seen).not.toContain('Buy');
    expect(seen).not.toContain('button');
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('Report a problem');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Choose the element' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('main button').focus();
    await page.keyboard.press('Enter');
    expect(await page.getByText('html > body > main > button').isVisible()).toBe(true);
    await press(page, 'Choose the element');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').isVisible()).toBe(true);
    expect(await page.title()).toBe('Shop');
  });

  test.each([false, true])('has nothing that axe finds fault with (dark: %p)', async (dark) => {
    const page = await shop.open({ dark });
    expect(await violations(page)).toEqual([]);
    await fillReport(page, 'Seen by axe');
    await page.locator('input[type=file]').setInputFiles(PICTURE);
    await page.getByText('What is sent along').click();
    await page.getByRole('img').waitFor();
    expect(await violations(page)).toEqual([]);
    await press(page, 'Choose the element');
    await page.getByRole('heading').hover();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await sendReport(page);
    expect(await violations(page)).toEqual([]);
  });

  test('no page made an error of its own', () => expect(shop.failures).toEqual([]));
});

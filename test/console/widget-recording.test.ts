// What the reporting widget tells of a page, and that the page does not notice.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openBrowser } from '../support/browser.ts';
import { fillReport, openShop, type Shop, sendReport } from '../support/widget-page.ts';

const TYPED = 'typed by somebody';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

const browser = await openBrowser();

let shop: Shop;

beforeAll(async () => {
  shop = await openShop(browser);
});
afterAll(() => shop.close());

describe.skipIf(!browser)('the widget [PQRS-94]', () => {
  test('tells the last errors and requests, and no value, body or secret', async () => {
    const body = `<input aria-label="Name" value="${TYPED}"><p contenteditable>${TYPED}</p>`;
    const page = await shop.open({ body });
    await page.evaluate(
      async ([typed, jwt]) => {
        for (let at = 0; at < 60; at += 1) {
          console.error(
            `failed ${at}`,
            { typed },
            `Bearer ${jwt}`,
            typed,
            new Error('password=hunter2'),
          );
          console.warn('x'.repeat(10_000));
          await fetch(`/data?secret=hunter2&at=${at}`, { method: 'POST', body: 'hunter2' });
        }
        console.error(Object.create(null), Symbol('x'), null, document.body, [1]);
        await fetch('/missing').catch(() => {});
        await new Promise((resolve) => {
          const request = new XMLHttpRequest();
          request.open('PUT', new URL('/data?q=hunter2', location.href));
          request.setRequestHeader('x-secret', 'hunter2');
          request.onload = resolve;
          request.send('hunter2');
        });
        setTimeout(() => {
          throw new TypeError(`no ${jwt}`);
        });
        await new Promise((resolve) => setTimeout(resolve));
      },
      [TYPED, JWT],
    );
    expect(shop.failures.splice(0)).toEqual([`no ${JWT}`]);
    await page.getByLabel('Name').fill(`${TYPED} again`);
    await page.getByLabel('Name').blur();
    await fillReport(page, 'Context');
    await sendReport(page);
    const [issue] = await shop.issues('Context');
    const { console: messages, network, errors, actions } = issue!.context;
    expect(messages).toHaveLength(50);
    expect(messages?.at(-3)?.message).toBe('failed 59 {typed} Bearer *** *** Error: password=***');
    expect(messages?.at(-1)?.message).toBe('{} Symbol(x) null <body> Array(1)');
    expect(network).toHaveLength(50);
    const { origin } = shop;
    const request = { durationMs: expect.any(Number), at: expect.any(String) };
    expect(network?.slice(-3)).toEqual([
      {
        ...request,
        type: 'fetch',
        method: 'POST',
        url: `${origin}/data?secret=&at=`,
        status: 200,
        requestId: 'req-1',
      },
      { ...request, type: 'fetch', method: 'GET', url: `${origin}/missing`, status: 404 },
      {
        ...request,
        type: 'xhr',
        method: 'PUT',
        url: `${origin}/data?q=`,
        status: 200,
        requestId: 'req-1',
      },
    ]);
    expect(errors).toMatchObject([{ type: 'TypeError', message: 'no ***' }]);
    const selector = 'html > body > main > input';
    expect(actions).toEqual([{ type: 'change', at: expect.any(String), selector }]);
    for (const secret of [TYPED, JWT, 'hunter2'])
      expect(JSON.stringify(issue)).not.toContain(secret);
  });

  test('leaves the page what it had', async () => {
    const page = await shop.open();
    await page.route('**/cut', (route) => route.abort());
    const globals = () => Object.keys(window);
    const names = await page.evaluate(globals);
    const printed: string[] = [];
    page.on('console', (message) => printed.push(message.text()));
    const results = await page.evaluate(async () => {
      const rejected = new Promise((resolve) =>
        window.addEventListener('unhandledrejection', (event) => resolve(`${event.reason}`), {
          once: true,
        }),
      );
      void fetch('/cut');
      console.error('%s is printed', 'this');
      const aborted = await fetch('/data', { signal: AbortSignal.abort() }).catch(
        ({ name }) => name,
      );
      const answer = await fetch(new Request('/data', { method: 'POST' }));
      return [
        await rejected,
        aborted,
        await answer.json(),
        await fetch(Symbol('x') as never).catch(String),
      ];
    });
    expect(results).toMatchObject([
      'TypeError: Failed to fetch',
      'AbortError',
      { a: 1 },
      expect.stringContaining('TypeError'),
    ]);
    expect(shop.failures.splice(0)).toEqual(['Failed to fetch']);
    expect(printed).toContain('%s is printed this');
    shop.change('');
    await page.reload();
    const others = await page.evaluate(globals);
    expect(names.filter((name) => !others.includes(name))).toEqual([]);
  });

  test('no page made an error of its own', () => expect(shop.failures).toEqual([]));
});

// Pages with the reporting widget: of another origin than the service's, with a policy that allows no
// inline style, no eval and no text as HTML.
import type { Browser, Page } from 'playwright-core';
import { buildConsole } from './console.ts';
import { openInstance } from './instance.ts';
import { OWN_FLAGS } from './own-settings.ts';

interface Shown {
  /** HTML of the page. */
  body?: string;
  /** Further attributes of the script's tag. */
  attributes?: string;
  token?: string;
  dark?: boolean;
  path?: string;
}

type Members = Record<string, unknown>;

interface ReportedIssue extends Members {
  context: Record<'console' | 'network' | 'errors' | 'actions', Members[]>;
  attachments: { name: string; kind: string; mediaType: string }[];
}

export interface Shop {
  /** Address of the service. */
  service: string;
  origin: string;
  /** The widget's token. */
  token: string;
  /** Messages of errors that pages have made, and of their violations of the policy. */
  failures: string[];
  /** Shows a page, and closes the one before. */
  open(shown?: Shown): Promise<Page>;
  /** What pages show from now on. */
  change(html: string): void;
  issues(title: string): Promise<ReportedIssue[]>;
  close(): Promise<void>;
}

export async function openShop(browser: Browser | undefined): Promise<Shop> {
  await buildConsole();
  let html = '';
  const site = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  const { origin } = site.url;
  const instance = await openInstance({ ...OWN_FLAGS, 'cors-origins': origin });
  const { url: service } = await instance.listening();
  const { id, token: owner } = await instance.makeProject('shop');
  const { text: token } = await instance.makeToken(id, ['widget:write']);
  const failures: string[] = [];

  function answer(request: Request): Response {
    const { pathname } = new URL(request.url);
    if (pathname === '/data')
      return Response.json({ a: 1 }, { headers: { 'x-request-id': 'req-1' } });
    if (pathname === '/missing') return new Response('', { status: 404 });
    const policy = [
      "default-src 'none'",
      `script-src ${service}`,
      `connect-src 'self' ${service}`,
      "require-trusted-types-for 'script'",
    ];
    return new Response(html, {
      headers: { 'content-type': 'text/html', 'content-security-policy': policy.join('; ') },
    });
  }

  async function read(query: string) {
    const answer = await instance.fetch(`/api/issues?${query}`, { token: owner });
    return answer.json() as Promise<ReportedIssue & { items: { id: string; title: string }[] }>;
  }

  return {
    service,
    origin,
    token,
    failures,
    async open(shown = {}) {
      const { body = '', attributes = 'data-project="shop"', dark, path = '/' } = shown;
      html = `<!doctype html><html lang="en"><title>Shop</title>
        <script src="${service}/widget.js" crossorigin data-token="${shown.token ?? token}" ${attributes}></script>
        <main><h1>Shop</h1>${body}</main></html>`;
      for (const context of browser?.contexts() ?? []) await context.close();
      const colorScheme = dark ? 'dark' : 'light';
      // What moves has other colours on its way.
      const context = await browser!.newContext({ colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.addInitScript(() => {
        window.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          throw new Error(`the policy was violated: ${effectiveDirective}`);
        });
      });
      page.on('pageerror', (error) => failures.push(error.message));
      await page.goto(origin + path);
      return page;
    },
    change(text) {
      html = text;
    },
    async issues(title) {
      const { items } = await read('duplicates=true&limit=200');
      const named = items.filter((one) => one.title === title);
      return Promise.all(named.map(({ id }) => read(`id=${id}`)));
    },
    async close() {
      await instance.close();
      await site.stop(true);
    },
  };
}

export function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name }).click();
}

export async function fillReport(page: Page, title: string): Promise<void> {
  await press(page, 'Report a problem');
  await page.getByLabel('Title').fill(title);
}

/** Sends the report, and waits for what is said then. */
export async function sendReport(page: Page, said: RegExp = /Thank you/): Promise<void> {
  await press(page, 'Send');
  await page.getByRole('status').filter({ hasText: said }).waitFor();
}

// `/openapi.json` and `/docs`: what they answer, to whom, and that nothing on the page comes from
// another host.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { apiDocument } from '../../src/app.ts';
import { GUIDE_PAGES } from '../../src/http/document/guide.ts';
import { type Instance, openInstance } from '../support/instance.ts';

let instance: Instance;
let page: string;

beforeAll(async () => {
  instance = await openInstance();
  page = await (await instance.fetch('/docs')).text();
});

afterAll(() => instance.close());

/** The addresses that the page itself loads. */
function assetsOf(html: string): string[] {
  return [...html.matchAll(/<(?:script|link)[^>]*\s(?:src|href)="([^"]+)"/g)]
    .map(([, address = '']) => address)
    .filter((address) => !address.startsWith('data:'));
}

describe('/openapi.json [PQRS-80]', () => {
  test('is the document, without a token', async () => {
    const response = await instance.fetch('/openapi.json');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.json()).toEqual(await apiDocument());
  });

  test('is not sent again to who has it', async () => {
    const etag = (await instance.fetch('/openapi.json')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{16}"$/);
    const headers = { 'if-none-match': etag };
    const again = await instance.fetch('/openapi.json', { headers });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    const other = await instance.fetch('/openapi.json', { headers: { 'if-none-match': '"x"' } });
    expect(other.status).toBe(200);
  });
});

describe('/docs [PQRS-80]', () => {
  test('is a page that may load from its own host alone', async () => {
    const response = await instance.fetch('/docs');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const policy = (response.headers.get('content-security-policy') ?? '').split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("style-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.join(' ')).not.toMatch(/unsafe|https?:|\*/);
  });

  test('names no other host and holds no script or style of its own', () => {
    expect(page).not.toMatch(/(?:https?:)?\/\/\w/);
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect(assetsOf(page).every((address) => address.startsWith('/docs/'))).toBe(true);
  });

  test('has a start script that names the document and no other host', async () => {
    const start = assetsOf(page).find((address) => address.includes('start.js')) ?? '';
    const script = await (await instance.fetch(start)).text();
    expect(script).toContain("url: '/openapi.json'");
    expect(script).toContain('validatorUrl: null');
    expect(script).not.toMatch(/(?:https?:)?\/\/\w/);
  });

  test('names assets that are there, and sent once', async () => {
    const assets = assetsOf(page);
    expect(assets).toHaveLength(4);
    for (const address of assets) {
      const response = await instance.fetch(address);
      expect(response.status).toBe(200);
      const type = address.includes('.css') ? 'text/css' : 'text/javascript';
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      expect((await response.bytes()).byteLength).toBeGreaterThan(50);
      const headers = { 'if-none-match': response.headers.get('etag') ?? '' };
      expect((await instance.fetch(address, { headers })).status).toBe(304);
    }
  });
});

describe('their paths', () => {
  test('take GET and HEAD alone', async () => {
    for (const path of ['/openapi.json', '/docs', '/docs/start.js']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const response = await instance.fetch(path, { method });
        expect(response.status).toBe(405);
        expect(response.headers.get('allow')).toBe('GET, HEAD');
      }
    }
  });

  test('have no others below or beside them', async () => {
    for (const path of [
      '/docs/',
      '/docs/none.js',
      '/docs/start.js/',
      '/openapi.yaml',
      '/api/docs',
    ]) {
      expect((await instance.fetch(path)).status).toBe(404);
    }
  });
});

test.each(GUIDE_PAGES)('/docs/%s is a page that loads nothing [PQRS-12]', async (name) => {
  const response = await instance.fetch(`/docs/${name}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await response.text();
  expect(html).toMatch(/<h1>[^<]+<\/h1>/);
  expect(html).not.toMatch(/href="[^"]*\.md/);
  expect(assetsOf(html)).toEqual([]);
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(html) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(response.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
});

// How the console is served: what a browser may do with it, and what it is told to keep.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { buildConsole } from '../support/console.ts';
import { type Instance, openInstance } from '../support/instance.ts';

let instance: Instance;
let page: string;

beforeAll(async () => {
  await buildConsole();
  instance = await openInstance();
  page = await (await instance.fetch('/')).text();
});

afterAll(() => instance.close());

const FILE = /\/console\/[\w-]+\.\w+/g;

describe('the console', () => {
  test('runs nothing but its own files', async () => {
    const response = await instance.fetch('/');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const policy = response.headers.get('content-security-policy') ?? '';
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'"])
      expect(policy.split('; ')).toContain(rule);
    expect(policy).not.toContain('unsafe');
    expect(page).not.toMatch(/https?:|<style|style=|\son\w+=|<script>/);
    expect(page).toContain('name="pqrs-demo" content=""');
  });

  test('has files named by their content, to be kept for ever', async () => {
    const names = page.match(FILE) ?? [];
    expect(names.length).toBeGreaterThanOrEqual(4);
    for (const name of names) {
      const plain = await instance.fetch(name);
      expect([name, plain.status]).toEqual([name, 200]);
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      const packed = await instance.fetch(name, { headers: { 'accept-encoding': 'br, gzip' } });
      expect(packed.headers.get('content-encoding')).toBe('gzip');
      expect(packed.headers.get('etag')).not.toBe(plain.headers.get('etag'));
      const bytes = Buffer.from(await packed.arrayBuffer());
      expect(gunzipSync(bytes).equals(Buffer.from(await plain.arrayBuffer()))).toBe(true);
    }
  });

  test('answers HEAD as GET, and no other method', async () => {
    const [name = ''] = page.match(FILE) ?? [];
    for (const path of ['/', '/docs', name]) {
      const head = await instance.fetch(path, { method: 'HEAD' });
      const { headers } = await instance.fetch(path);
      expect([path, head.status, head.headers.get('etag')]).toEqual([
        path,
        200,
        headers.get('etag'),
      ]);
      expect(await head.text()).toBe('');
      const refused = await instance.fetch(path, { method: 'POST' });
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
    expect((await instance.fetch('/console/none.js')).status).toBe(404);
  });
});

// Where routes were seen: what is one, what is none, and how they are put together.
import { describe, expect, test } from 'bun:test';
import { requestedRoute, routesOfTest, seenRoute } from '../../src/quality/routes/observe.ts';

describe('what was seen', () => {
  test.each([
    ['/orders/7?x=1', { method: null, path: '/orders/7' }],
    ['https://shop.example/orders#x', { method: null, path: '/orders' }],
    ['patch /orders/7', { method: 'PATCH', path: '/orders/7' }],
    ['Page /orders', null],
    ['orders', null],
    ['', null],
    ['blob:https://shop.example/1', null],
    ['file:///etc/passwd', null],
  ])('%s', (text, route) => expect(seenRoute(text)).toEqual(route));

  test.each<[string | null, string, string | null]>([
    ['https://shop.example/x', 'https://shop.example/api/a?k=hush', '/api/a'],
    ['https://shop.example/x', 'https://api.shop.example:8443/a', '/a'],
    ['https://www.shop.example/x', 'https://api.shop.example/a', '/a'],
    ['https://shop.example/x', 'https://shop.tracker/a', null],
    ['https://shop.example/x', 'https://shop.example@evil.test/a', null],
    ['https://shop.example/x', '/a', '/a'],
    ['https://shop.example/x', '/app.js', null],
    ['https://shop.example/x', '/app.js/y', '/app.js/y'],
    ['http://localhost:3000/x', 'http://localhost:4000/a', '/a'],
    ['http://localhost:3000/x', 'http://example/a', null],
    ['http://10.0.0.1/x', 'http://10.0.0.2/a', null],
    ['/x', 'https://anywhere.example/a', '/a'],
    [null, 'https://anywhere.example/a', '/a'],
    [null, 'ws://anywhere.example/a', null],
  ])('of a page at %s, a request to %s', (page, url, path) => {
    expect(requestedRoute({ method: 'get', url }, page)?.path ?? null).toBe(path);
  });

  test('is none for a method or URL that is none', () => {
    expect(requestedRoute({ method: 'FETCH', url: '/a' }, null)).toBeNull();
    expect(requestedRoute({ url: '/a' }, null)).toEqual({ method: null, path: '/a' });
    expect(requestedRoute({ method: 7, url: '/a' }, null)).toEqual({ method: null, path: '/a' });
    expect(requestedRoute({ method: 'GET', url: 7 }, null)).toBeNull();
  });
});

describe('what runs tell', () => {
  const texts = (routes: { method: string | null; path: string }[]) =>
    routes.map(({ method, path }) => `${method ?? '*'} ${path}`);

  test('is the route of the name, else of the innermost suite', () => {
    expect(texts(routesOfTest('GET /a is served', ['POST /b']))).toEqual(['GET /a']);
    expect(texts(routesOfTest('is refused', ['api', 'GET /a', 'POST /b']))).toEqual(['POST /b']);
    expect(texts(routesOfTest('reads a/b', ['src/x.test.ts']))).toEqual([]);
  });
});

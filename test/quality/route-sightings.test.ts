// Where routes were seen: what is one, what is none, and how they are put together.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  createSightings,
  requestedRoute,
  type Sighting,
  seenRoute,
} from '../../src/quality/routes/observations.ts';
import { routesOfProperties, routesOfTest } from '../../src/quality/routes/observed-runs.ts';

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

  test('are properties that are named after routes', () => {
    const properties = { route: 'GET /a, /b', 'http.endpoint': 'POST /c', url: '/d', routes: 'e' };
    expect(texts(routesOfProperties(properties))).toEqual([...['GET /a', '* /b', 'POST /c']]);
    expect(routesOfProperties({})).toEqual([]);
  });
});

test('what is put together in parts is what is put together at once', () => {
  const sighting: fc.Arbitrary<Sighting> = fc.record({
    method: fc.constantFrom(null, 'GET', 'POST'),
    path: fc.constantFrom('/a', '/b'),
    at: fc.nat(100),
    storyIds: fc.subarray(['US-1', 'US-2', 'US-3']),
  });
  fc.assert(
    fc.property(fc.array(fc.array(sighting, { maxLength: 6 }), { maxLength: 4 }), (parts) => {
      const at = (all: readonly Sighting[]) => {
        const sightings = createSightings();
        for (const one of all) sightings.add('log', one);
        return sightings;
      };
      const merged = createSightings();
      for (const part of parts) merged.addAll(at(part).list());
      const sorted = (list: ReturnType<typeof merged.list>) =>
        list.map((one) => JSON.stringify({ ...one, storyIds: one.storyIds?.toSorted() })).sort();
      expect(sorted(merged.list())).toEqual(sorted(at(parts.flat()).list()));
    }),
  );
});

// Routes as people write them.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  declaredText,
  pathOfUrl,
  readRoute,
  routeOfTag,
  routesNamedIn,
  templateOf,
} from '../../src/quality/routes/route-text.ts';

const shown = (text: string) => routesNamedIn(text).map(({ method, path }) => `${method} ${path}`);

describe('a route that is declared', () => {
  test.each([
    ['GET /orders/{id}', 'GET /orders/{id}'],
    ['get  /orders/:id/', 'GET /orders/{id}'],
    ['/orders/[id]', '/orders/{id}'],
    ['POST /orders?draft=1#x', 'POST /orders'],
    ['PUT https://shop.example/v1/orders/<int:id>', 'PUT /v1/orders/{id}'],
    ['PURGE /cache', 'PURGE /cache'],
    ['GET /', 'GET /'],
  ])('%s', (text, expected) => {
    expect(declaredText(text)).toBe(expected);
    expect(declaredText(expected)).toBe(expected);
  });

  test.each(['', 'GET', 'orders', 'GET orders', 'GET /a b', 'two words /x', 'ftp://host/x'])(
    'is none: %s',
    (text) => expect(readRoute(text)).toBeNull(),
  );

  test.each([
    ['GET:/orders/{id}', 'GET /orders/{id}'],
    ['route:post:/orders', 'POST /orders'],
    ['routes=DELETE=/orders/:id', 'DELETE /orders/{id}'],
    ['GET', null],
    ['US-12', null],
    ['GET:orders', null],
    ['GET:/orders?x=1', null],
  ])('the tag %s', (tag, expected) => expect(routeOfTag(tag)).toBe(expected));
});

describe('the routes that a text names', () => {
  test.each([
    ['GET /users/1 returns 404', ['GET /users/1']],
    ['it sends `POST /orders`.', ['POST /orders']],
    ['a "DELETE" request to "/orders/7"', ['DELETE /orders/7']],
    ['PUT to the endpoint /orders/{id}, and GET on /orders.', ['PUT /orders/{id}', 'GET /orders']],
    ['(see GET /a/b)', ['GET /a/b']],
    ['GET /a/(b)', ['GET /a/(b)']],
    ['**PATCH /a/b**: refused', ['PATCH /a/b']],
    ['GET /files/* is served', ['GET /files/*']],
    ['GET https://shop.example/orders/9?key=hush#top', ['GET /orders/9']],
    ['GET //shop.example/orders', ['GET /orders']],
    ['GET /orders/<id>/items', ['GET /orders/<id>/items']],
    ['GET /orders;jsessionid=hush/items', ['GET /orders/items']],
    ['get /orders', []],
    ['TARGET /orders', []],
    ['see /orders', []],
    ['GET orders', []],
    ['OPTIONS are many', []],
    ['GET\n/orders', []],
  ])('%s', (text, expected) => expect(shown(text)).toEqual(expected));

  test('are found in long and odd texts in no time to speak of', () => {
    const odd = [
      `GET /${')'.repeat(100_000)}`,
      `GET ${' '.repeat(100_000)}`,
      'GET '.repeat(50_000),
      'GET /'.repeat(50_000),
      `GET "${'request to the '.repeat(20_000)}/`,
      `GET /${'<a>'.repeat(30_000)}`,
    ];
    for (const text of odd) expect(routesNamedIn(text).length).toBeLessThanOrEqual(200);
  });
});

describe('properties', () => {
  const part = fc.oneof(
    fc.constantFrom('a', '{id}', ':id', '7', '<x>', '[y]', 'é', 'a b', '%2F', ';s=hush', '*'),
    fc.string({ maxLength: 8 }),
  );
  const path = fc.array(part, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`);

  test('a template is one of itself, and has no query, fragment or blank', () => {
    fc.assert(
      fc.property(path, (text) => {
        const template = templateOf(text);
        expect(template).toMatch(/^\/[^\s?#]*$/);
        expect(templateOf(template)).toBe(template);
      }),
    );
  });

  test('of a URL nothing but the path is kept', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const secret = `${url}${url.includes('?') ? '&' : '?'}token=hush`.replace(/#.*?\?/, '?');
        expect(pathOfUrl(secret.replace('#', '%23'))).not.toContain('token=');
        const path = url.replace(/^https?:\/\/[^/?#]*/, '').replace(/^\/+/, '/');
        expect(pathOfUrl(url)).toBe(pathOfUrl(path));
      }),
    );
  });

  test('whatever a text says, what is found is a method and a path', () => {
    const words = fc.constantFrom(
      'GET',
      'POST',
      ' ',
      '/',
      'a',
      '`',
      '"',
      '?x',
      ')',
      '{',
      '.',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (all) => {
        for (const { method, path: found } of routesNamedIn(all.join(''))) {
          expect(method).toMatch(/^(?:GET|POST)$/);
          expect(found).toMatch(/^\/[^\s?#`"]*$/);
        }
      }),
    );
  });
});

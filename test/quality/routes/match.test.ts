// Matching paths with the templates of a catalog.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { documentOf, restApi, templatesOf, urlsOf } from '../../../scripts/bench/rest-api.ts';
import { createMatcher } from '../../../src/quality/routes/match.ts';
import { parameterOf, pathOf, segmentsOf } from '../../../src/quality/routes/route-text.ts';
import { readOpenapi } from '../../../src/requirements/sources/openapi/reader.ts';

const get = (...templates: string[]) =>
  createMatcher(templates.map((template) => ({ method: 'GET', template })));
const catalogOf = (bytes: Uint8Array) => readOpenapi([{ path: 'api.json', bytes }]).routes;

const CATALOG = [
  '/',
  '/users',
  '/users/{id}',
  '/users/me',
  '/users/{id}/posts',
  '/users/me/keys',
  '/{tenant}/users/all',
  '/files/{name}.json',
  '/files/{name}.{type}',
  '/files/{name}',
  '/reports/{from}..{to}/pdf',
  '/static/{path+}',
  '/static/app',
  '/old/:id',
  '/caf%C3%A9/menu',
];

test.each([
  ['/', '/'],
  ['', '/'],
  ['https://api.example.com', '/'],
  ['/users', '/users'],
  ['/users/', '/users'],
  ['//api.example.com/users', '/users'],
  ['https://api.example.com:8080/users/7?x=/y#z', '/users/{id}'],
  ['/users//7', '/users/{id}'],
  ['/users/%6De', '/users/me'],
  ['/users/a%2Fb/posts', '/users/{id}/posts'],
  ['/users/100%', '/users/{id}'],
  ['/users/me', '/users/me'],
  ['/users/me/keys', '/users/me/keys'],
  ['/users/me/posts', '/users/{id}/posts'],
  ['/users/7/keys', null],
  ['/users/users/all', '/{tenant}/users/all'],
  ['/acme/users/all', '/{tenant}/users/all'],
  ['/Users', null],
  ['/files/a.json', '/files/{name}.json'],
  ['/files/.json', '/files/{name}'],
  ['/files/a.b.c', '/files/{name}.{type}'],
  ['/files/a', '/files/{name}'],
  ['/reports/1..2/pdf', '/reports/{from}..{to}/pdf'],
  ['/reports/..2/pdf', null],
  ['/static/app', '/static/app'],
  ['/static/a/b/c', '/static/{path+}'],
  ['/static', null],
  ['/old/7', '/old/:id'],
  ['/caf%C3%A9/menu', '/caf%C3%A9/menu'],
  ['/café/menu', '/caf%C3%A9/menu'],
  ['/nothing/here/at/all', null],
])('the path %s', (url, template) => {
  expect(get(...CATALOG).match('GET', url)?.template ?? null).toBe(template);
});

test.each([
  ['{id}', 'id'],
  [':id', 'id'],
  ['[id]', 'id'],
  ['[[...all]]', '...all'],
  ['<int:id>', 'id'],
  ['<id>', 'id'],
  ['id', null],
  ['{a}-{b}', null],
  ['a:b', null],
  ['{}', null],
])('the parameter of %s', (segment, name) => {
  expect(parameterOf(segment)).toBe(name);
});

describe('the API document of pqrs itself', () => {
  const file = join(import.meta.dir, '..', '..', 'fixtures', 'openapi.json');
  const catalog = catalogOf(new Uint8Array(readFileSync(file)));
  const matcher = createMatcher(catalog);

  test('each of its routes is found by its own paths, whatever the values', () => {
    const value = fc.oneof(
      fc.uuid(),
      fc.nat().map(String),
      fc.stringMatching(/^[a-z]+-[a-z]+-\d$/),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...catalog),
        fc.array(value, { minLength: 5, maxLength: 5 }),
        (route, values) => {
          let next = 0;
          const url = route.template.replace(/\{[^{}]*\}/g, () => values[next++] ?? 'x');
          expect(matcher.match(route.method, `https://h.example${url}/?q=1`)).toBe(route);
        },
      ),
    );
    expect(catalog.length).toBeGreaterThan(10);
  });
});

test('all URLs of a generated API, with its document', () => {
  for (const seed of [1, 2, 3]) {
    const api = restApi(46, seed);
    const catalog = catalogOf(new TextEncoder().encode(JSON.stringify(documentOf(api))));
    expect(catalog.map(({ method, template }) => `${method} ${template}`).sort()).toEqual(
      api.map(({ method, template }) => `${method} ${template}`).sort(),
    );
    const matcher = createMatcher(catalog);
    for (const { url, template } of urlsOf(templatesOf(api), { each: 5, seed, mixed: true })) {
      expect(matcher.match(null, url)?.template).toBe(template);
    }
  }
});

describe('properties', () => {
  const segment = fc.constantFrom('a', 'b', 'c', '{x}', '{y}', '{x}.a', 'v{x}');
  const template = fc.array(segment, { maxLength: 5 }).map((all) => `/${all.join('/')}`);
  const path = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'd.a', 'v1'), { maxLength: 5 });

  const fitsBy = (shape: string, url: string) => {
    const source = shape.replace(/[.]/g, '\\.').replace(/\{\w\}/g, '[^/]+');
    return new RegExp(`^${source}$`).test(url);
  };

  test('it finds something just where something fits, and what it finds fits', () => {
    fc.assert(
      fc.property(fc.array(template, { maxLength: 8 }), path, (templates, segments) => {
        const url = `/${segments.join('/')}`;
        const found = get(...templates).match('GET', url);
        const fitting = templates.filter((one) => fitsBy(one, url));
        expect(found === null).toBe(fitting.length === 0);
        if (found) expect(fitting).toContain(found.template);
        if (templates.includes(url)) expect(found?.template).toBe(url);
      }),
      { numRuns: 1000 },
    );
  });

  test('any text is a path, and a path of its segments has the same segments', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.webPath()), (url) => {
        const segments = segmentsOf(url);
        expect(segmentsOf(pathOf(segments))).toEqual(segments);
        expect(get('/{a}', '/{a}/{b+}').match('GET', url) === null).toBe(segments.length === 0);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('catalogs that are made to exhaust', () => {
  test('of many segments with parameters in them so many are shown apart', () => {
    const templates = Array.from({ length: 5000 }, (_, at) => `/{id}.x${at}`);
    const matcher = get(...templates, '/{id}.json');
    expect(matcher.match('GET', '/7.x10')?.template).toBe('/{id}.x10');
    expect(matcher.match('GET', '/7.x4999')).toBe(null);
    expect(matcher.match('GET', '/{id}.x4999')?.template).toBe('/{id}.x4999');
  });

  test('a path is held against a part of templates that differ in every segment', () => {
    const depth = 14;
    const templates = Array.from(
      { length: 2 ** depth },
      (_, at) =>
        `/${Array.from({ length: depth }, (__, bit) => ((at >> bit) & 1 ? 'a' : '{x}')).join('/')}`,
    );
    const matcher = get(...templates);
    const path = '/a'.repeat(depth);
    expect(matcher.match('GET', path)?.template).toBe(path);
    expect(matcher.match('POST', path)).toBe(null);
  });
});

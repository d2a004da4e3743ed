// How many URLs of whole APIs are folded into exactly the right template.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  repeatedUrlsOf,
  restApi,
  shapeOf,
  templatesOf,
  urlsOf,
} from '../../../scripts/bench/rest-api.ts';
import { foldRoutes, type Observation } from '../../../src/quality/routes/fold.ts';
import { readOpenapi } from '../../../src/requirements/sources/openapi/reader.ts';

const seen = (...urls: string[]): Observation[] =>
  urls.map((url, at) => ({ method: 'GET', url, at, origin: 'log' }));

const rightOf = (urls: { url: string; template: string }[], templates: string[]) =>
  urls.filter(({ template }, at) => shapeOf(templates[at] ?? '') === shapeOf(template)).length /
  urls.length;

describe.each([true, false])(
  'an API of some hundred templates, kinds of values mixed: %p',
  (mixed) => {
    test.each([1, 2, 3, 4])('seed %d, five URLs each', (seed) => {
      const api = restApi(46, seed);
      const templates = templatesOf(api);
      expect(templates.length).toBeGreaterThan(300);
      const urls = urlsOf(templates, { each: 5, seed, mixed });
      const observations = seen(...urls.map(({ url }) => url));
      expect(rightOf(urls, foldRoutes(observations, []).templates)).toBeGreaterThan(0.95);
      const catalog = templates.map((template) => ({ method: 'GET', template }));
      const known = foldRoutes(observations, catalog);
      expect(known.templates).toEqual(urls.map(({ template }) => template));
      expect(known.candidates).toEqual([]);
      const half = catalog.filter((_, at) => at % 2 === 0);
      expect(rightOf(urls, foldRoutes(observations, half).templates)).toBeGreaterThan(0.9);
    });
  },
);

test('an API where the same few names are asked for again and again', () => {
  const templates = templatesOf(restApi(46, 1));
  const urls = repeatedUrlsOf(templates, { each: 50, seed: 1 });
  const { templates: folded } = foldRoutes(seen(...urls.map(({ url }) => url)), []);
  expect(rightOf(urls, folded)).toBeGreaterThan(0.9);
});

test('the API of pqrs itself, unknown to the folding', () => {
  const file = join(import.meta.dir, '..', '..', 'fixtures', 'openapi.json');
  const { routes } = readOpenapi([
    { path: 'openapi.json', bytes: new Uint8Array(readFileSync(file)) },
  ]);
  const templates = [...new Set(routes.map(({ template }) => template))];
  const urls = urlsOf(templates, { each: 5, seed: 1, mixed: true });
  const { templates: folded } = foldRoutes(seen(...urls.map(({ url }) => url)), []);
  expect(rightOf(urls, folded)).toBeGreaterThan(0.9);
});

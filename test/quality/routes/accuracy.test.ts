// How many URLs of whole APIs are folded into exactly the right template.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  foldedTemplates,
  repeatedUrlsOf,
  restApi,
  shapeOf,
  templatesOf,
  urlsOf,
} from '../../../scripts/bench/rest-api.ts';
import { readOpenapi } from '../../../src/requirements/sources/openapi/reader.ts';

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
      expect(rightOf(urls, foldedTemplates(urls, []))).toBeGreaterThan(0.95);
      expect(foldedTemplates(urls, templates)).toEqual(urls.map(({ template }) => template));
      const half = templates.filter((_, at) => at % 2 === 0);
      expect(rightOf(urls, foldedTemplates(urls, half))).toBeGreaterThan(0.9);
    });
  },
);

test('an API where the same few names are asked for again and again', () => {
  const templates = templatesOf(restApi(46, 1));
  const urls = repeatedUrlsOf(templates, { each: 50, seed: 1 });
  expect(rightOf(urls, foldedTemplates(urls, []))).toBeGreaterThan(0.9);
});

test('the API of pqrs itself, unknown to the folding', () => {
  const file = join(import.meta.dir, '..', '..', 'fixtures', 'openapi.json');
  const { routes } = readOpenapi([
    { path: 'openapi.json', bytes: new Uint8Array(readFileSync(file)) },
  ]);
  const templates = [...new Set(routes.map(({ template }) => template))];
  const urls = urlsOf(templates, { each: 5, seed: 1, mixed: true });
  expect(rightOf(urls, foldedTemplates(urls, []))).toBeGreaterThan(0.9);
});

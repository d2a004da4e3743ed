// How many URLs of whole APIs are folded into exactly the right template.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  foldedPlaces,
  foldedTemplates,
  hostingApi,
  measureTemplates,
  pooledUrlsOf,
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

test.each([true, false])('a host of repositories, kinds of values mixed: %p', (mixed) => {
  const urls = urlsOf(templatesOf(hostingApi(1)), { each: 5, seed: 1, mixed });
  expect(rightOf(urls, foldedTemplates(urls, []))).toBeGreaterThan(0.95);
});

describe.each([5, 10, 50])('a host of repositories, words from pools of %d values', (pool) => {
  test.each([
    ['one pool, 5 URLs each', true, 5],
    ['one pool, 30 URLs each', true, 30],
    ['a pool for each parameter, 5 URLs each', false, 5],
    ['a pool for each parameter, 30 URLs each', false, 30],
  ])('%s', (_name, isOne, each) => {
    const templates = templatesOf(hostingApi(1));
    expect(templates.length).toBeGreaterThan(300);
    const urls = pooledUrlsOf(templates, { each, pool, isOne, seed: 1 });
    expect(measureTemplates(urls, foldedPlaces(urls, [])).part).toBeGreaterThan(0.9);
    expect(measureTemplates(urls, foldedPlaces(urls, templates)).part).toBe(1);
  });
});

test('neither the order of URLs nor how often they came changes a place', () => {
  const templates = templatesOf(hostingApi(1)).slice(0, 150);
  const urls = pooledUrlsOf(templates, { each: 5, pool: 5, isOne: true, seed: 1 });
  const once = new Map(foldedPlaces(urls, []).map((place, at) => [urls[at]?.url, place]));
  fc.assert(
    fc.property(fc.shuffledSubarray([...urls, ...urls], { minLength: 2 * urls.length }), (all) => {
      for (const [at, place] of foldedPlaces(all, []).entries()) {
        expect(place).toEqual(once.get(all[at]?.url) as typeof place);
      }
    }),
    { numRuns: 10 },
  );
});

test('confidence is lower where a template is wrong', () => {
  const templates = templatesOf(hostingApi(1));
  const urls = pooledUrlsOf(templates, { each: 5, pool: 3, isOne: false, seed: 1 });
  const { right, wrong } = measureTemplates(urls, foldedPlaces(urls, []));
  const mean = (all: number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;
  expect(mean(wrong)).toBeLessThan(mean(right));
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

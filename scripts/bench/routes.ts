// Route templates: how many URLs of an API go to exactly the right one, with and without its OpenAPI
// document, and whether the time grows with the URLs alone.
import { foldRoutes, type Observation } from '../../src/quality/routes/fold.ts';
import { readOpenapi } from '../../src/requirements/sources/openapi/reader.ts';
import { type Bench, type Row, short, whole } from './bench.ts';
import {
  type ApiUrl,
  documentOf,
  repeatedUrlsOf,
  restApi,
  shapeOf,
  templatesOf,
  urlsOf,
} from './rest-api.ts';
import { median } from './statistics.ts';

const COLLECTIONS = 46;
const EACH = 5;
const SEEDS = [1, 2, 3, 4, 5];
const FEW = 40;
const MANY = 160;

export const routes: Bench = async ({ say }) => {
  const rows = [true, false].map((mixed) => accuracyRow(mixed));
  return [...rows, repeatedRow(), knownRow(), growthRow(say)];
};

function observed(urls: readonly ApiUrl[]): Observation[] {
  return urls.map(({ url }, at) => ({ method: 'GET', url, at, origin: 'log' }));
}

function right(urls: readonly ApiUrl[], templates: readonly string[]): number {
  const hits = urls.filter(
    ({ template }, at) => shapeOf(templates[at] ?? '') === shapeOf(template),
  );
  return hits.length / urls.length;
}

function accuracyRow(mixed: boolean): Row {
  const parts = SEEDS.map((seed) => {
    const urls = urlsOf(templatesOf(restApi(COLLECTIONS, seed)), { each: EACH, seed, mixed });
    return right(urls, foldRoutes(observed(urls), []).templates);
  });
  const part = Math.min(...parts);
  const count = templatesOf(restApi(COLLECTIONS, 1)).length;
  return {
    work: `URLs in exactly the right one of ${count} unknown templates, ${EACH} each, ${mixed ? 'all kinds of values mixed' : 'one kind of value a parameter'}`,
    measured: `${part.toFixed(3)} at the least, over ${SEEDS.length} APIs`,
    limit: 'at least 0.70',
    ok: part >= 0.7,
  };
}

function repeatedRow(): Row {
  const parts = SEEDS.map((seed) => {
    const urls = repeatedUrlsOf(templatesOf(restApi(COLLECTIONS, seed)), { each: 10 * EACH, seed });
    return right(urls, foldRoutes(observed(urls), []).templates);
  });
  const part = Math.min(...parts);
  return {
    work: `the same, ${10 * EACH} each, whose values are the same 14 names again and again`,
    measured: `${part.toFixed(3)} at the least, over ${SEEDS.length} APIs`,
    limit: 'at least 0.70',
    ok: part >= 0.7,
  };
}

function knownRow(): Row {
  const parts = SEEDS.map((seed) => {
    const api = restApi(COLLECTIONS, seed);
    const bytes = new TextEncoder().encode(JSON.stringify(documentOf(api)));
    const catalog = readOpenapi([{ path: 'api.json', bytes }]).routes;
    const urls = urlsOf(templatesOf(api), { each: EACH, seed, mixed: true });
    const methods = new Map(api.map(({ method, template }) => [template, method]));
    const seen = urls.map(({ url, template }, at): Observation => {
      return { method: methods.get(template) ?? null, url, at, origin: 'log' };
    });
    return right(urls, foldRoutes(seen, catalog).templates);
  });
  const part = Math.min(...parts);
  return {
    work: 'URLs of mixed kinds with the OpenAPI document of the API',
    measured: part.toFixed(3),
    limit: 'all',
    ok: part === 1,
  };
}

function growthRow(say: (text: string) => void): Row {
  const templates = templatesOf(restApi(COLLECTIONS, 1));
  const [few, many] = [FEW, MANY].map((each) =>
    observed(urlsOf(templates, { each, seed: 1, mixed: true })),
  ) as [Observation[], Observation[]];
  const times = Array.from({ length: 6 }, () => [timed(few), timed(many)] as const).slice(1);
  const each = times.map(([one, two]) => two / many.length / (one / few.length));
  const perUrl = (median(times.map(([, two]) => two)) * 1000) / many.length;
  say(`${whole(many.length)} URLs folded, ${short(perUrl)} µs each`);
  return {
    work: `time for a URL, ${whole(many.length)} URLs against ${whole(few.length)}`,
    measured: `${short(median(each))} times, ${short(perUrl)} µs`,
    limit: 'at most 1.5 times',
    ok: median(each) <= 1.5,
  };
}

function timed(observations: readonly Observation[]): number {
  const began = performance.now();
  foldRoutes(observations, []);
  return performance.now() - began;
}

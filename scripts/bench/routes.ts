// Route templates: how many URLs of an API go to exactly the right one, with and without its OpenAPI
// document, and whether the time grows with the URLs alone.
import { readOpenapi } from '../../src/requirements/sources/openapi/reader.ts';
import { type Bench, type Row, short, whole } from './bench.ts';
import {
  type ApiUrl,
  documentOf,
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
} from './rest-api.ts';
import { median } from './statistics.ts';

const COLLECTIONS = 46;
const EACH = 5;
const SEEDS = [1, 2, 3, 4, 5];
const POOLS = [3, 5, 10, 50, 200];
const POOLED_AT_LEAST = 0.9;
const FEW = 40;
const MANY = 160;

export const routes: Bench = async ({ say }) => {
  const rows = [true, false].map((mixed) => accuracyRow(mixed));
  return [...rows, repeatedRow(), ...pooledRows(), knownRow(), growthRow(say)];
};

function right(urls: readonly ApiUrl[], templates: readonly string[]): number {
  const hits = urls.filter(
    ({ template }, at) => shapeOf(templates[at] ?? '') === shapeOf(template),
  );
  return hits.length / urls.length;
}

function accuracyRow(mixed: boolean): Row {
  const parts = SEEDS.map((seed) => {
    const urls = urlsOf(templatesOf(restApi(COLLECTIONS, seed)), { each: EACH, seed, mixed });
    return right(urls, foldedTemplates(urls, []));
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
    return right(urls, foldedTemplates(urls, []));
  });
  const part = Math.min(...parts);
  return {
    work: `the same, ${10 * EACH} each, whose values are the same 14 names again and again`,
    measured: `${part.toFixed(3)} at the least, over ${SEEDS.length} APIs`,
    limit: 'at least 0.70',
    ok: part >= 0.7,
  };
}

/** Words of a pool for all parameters, or of one a parameter: the worse of the two over all seeds. */
function pooledRows(): Row[] {
  const sure: Record<'right' | 'wrong', number[]> = { right: [], wrong: [] };
  let areKnown = true;
  const cells = POOLS.flatMap((pool) => [5, 30].map((each) => ({ pool, each })));
  const rows = cells.map(({ pool, each }): Row => {
    const parts = SEEDS.flatMap((seed) => {
      const templates = templatesOf(hostingApi(seed));
      return [true, false].map((isOne) => {
        const urls = pooledUrlsOf(templates, { each, pool, isOne, seed });
        const { part, right, wrong } = measureTemplates(urls, foldedPlaces(urls, []));
        sure.right.push(...right);
        sure.wrong.push(...wrong);
        areKnown &&= measureTemplates(urls, foldedPlaces(urls, templates)).part === 1;
        return part;
      });
    });
    const part = Math.min(...parts);
    const isLimited = pool >= 5;
    return {
      work: `templates of a host of repositories that are right, words from pools of ${pool}, ${each} URLs each`,
      measured: `${part.toFixed(3)} at the least`,
      limit: isLimited ? `at least ${POOLED_AT_LEAST}` : 'none',
      ok: !isLimited || part >= POOLED_AT_LEAST,
    };
  });
  const [right, wrong] = [mean(sure.right), mean(sure.wrong)];
  return [
    ...rows,
    {
      work: 'confidence where the template is wrong, in the mean of all pools',
      measured: `${wrong.toFixed(2)}, ${right.toFixed(2)} where it is right`,
      limit: 'lower',
      ok: wrong < right,
    },
    {
      work: 'all pools with the catalog of the API',
      measured: areKnown ? 'all' : 'not all',
      limit: 'all',
      ok: areKnown,
    },
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function knownRow(): Row {
  const parts = SEEDS.map((seed) => {
    const api = restApi(COLLECTIONS, seed);
    const bytes = new TextEncoder().encode(JSON.stringify(documentOf(api)));
    const catalog = readOpenapi([{ path: 'api.json', bytes }]).routes;
    const urls = urlsOf(templatesOf(api), { each: EACH, seed, mixed: true });
    const known = catalog.map(({ template }) => template);
    return right(urls, foldedTemplates(urls, known));
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
    urlsOf(templates, { each, seed: 1, mixed: true }),
  ) as [ApiUrl[], ApiUrl[]];
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

function timed(urls: readonly ApiUrl[]): number {
  const began = performance.now();
  foldedTemplates(urls, []);
  return performance.now() - began;
}

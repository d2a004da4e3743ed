// An API as people make them, with some hundred routes, its OpenAPI document, and URLs that clients
// ask for: the same for the same seed.
import { foldPaths, type Place } from '../../src/quality/routes/fold.ts';
import { createMatcher } from '../../src/quality/routes/match.ts';
import { pathOfUrl } from '../../src/quality/routes/route-text.ts';
import { runAtOnce } from '../../src/runtime/scheduler.ts';

/** A source of numbers from 0 to below 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const words = (text: string) => text.split(' ');

const COLLECTIONS = words(
  'users orders invoices products customers projects teams shipments warehouses suppliers tickets ' +
    'articles courses students lessons vehicles drivers trips stations bookings rooms guests menus recipes ' +
    'playlists albums tracks artists patients doctors appointments prescriptions accounts cards ledgers ' +
    'campaigns segments surveys answers devices sensors firmwares regions clusters volumes certificates',
);
const PARTS = words(
  'comments notes members labels attachments lines prices reviews events contacts addresses keys rules',
);
const VERBS = words(
  'cancel archive restore approve publish clone lock pay ship retry assign merge',
);
const FIXED = words('search export latest me summary bulk recent default');
const ALONE = words('status settings usage billing profile limits');

/** An operation of the API. */
export interface ApiRoute {
  method: string;
  template: string;
}

/**
 * The routes of an API: collections with their items, parts of items with items of their own, verbs
 * behind items, and words beside them.
 *
 * @param collections - how many; each gives about ten templates
 */
export function restApi(collections: number, seed: number): ApiRoute[] {
  const { routes, some, add, crud } = apiBuilder(seed);
  for (let at = 0; at < collections; at++) {
    const name = COLLECTIONS[at % COLLECTIONS.length] ?? '';
    const round = Math.floor(at / COLLECTIONS.length);
    const base = round === 0 ? `/v1/${name}` : `/v1/area${'abcdefghij'[round % 10]}/${name}`;
    const id = `${name.slice(0, -1)}Id`;
    crud(base, id);
    for (const word of some(FIXED, 1.2)) add(`${base}/${word}`, 'GET');
    for (const verb of some(VERBS, 1.5)) add(`${base}/{${id}}/${verb}`, 'POST');
    for (const word of some(ALONE, 0.8)) add(`${base}/{${id}}/${word}`, 'GET', 'PUT');
    for (const part of some(PARTS, 2)) {
      crud(`${base}/{${id}}/${part}`, `${part.slice(0, -1)}Id`);
      for (const verb of some(VERBS, 0.3)) {
        add(`${base}/{${id}}/${part}/{${part.slice(0, -1)}Id}/${verb}`, 'POST');
      }
    }
  }
  return routes;
}

function apiBuilder(seed: number) {
  const random = randomOf(seed);
  const some = (from: readonly string[], most: number) =>
    from.filter(() => random() < most / from.length);
  const routes: ApiRoute[] = [];
  const add = (template: string, ...methods: string[]) => {
    for (const method of methods) routes.push({ method, template });
  };
  const crud = (base: string, name: string) => {
    add(base, 'GET', 'POST');
    add(`${base}/{${name}}`, 'GET', 'PATCH', 'DELETE');
  };
  return { routes, some, add, crud };
}

const OWNERS = words(
  '/user /users/{user} /orgs/{org} /enterprises/{enterprise} /orgs/{org}/teams/{team} /repos/{owner}/{repo} ' +
    '/repos/{owner}/{repo} /repos/{owner}/{repo}',
);
const HOSTED = words(
  'hooks keys members invitations projects packages codespaces migrations issues pulls commits branches tags ' +
    'releases deployments environments forks events rulesets milestones labels collaborators assignees gists',
);
const AREAS = words('actions git code-scanning dependabot billing');
const OF_AREA = words(
  'secrets variables runners workflows runs artifacts alerts caches trees blobs',
);
const OF_ITEM = words('comments reactions deliveries reviews versions attempts files statuses');
const ACTIONS = words('lock merge star restore approve rerun pings logs permission');
const WORDS = words('subscription license languages readme traffic settings installation topics');

/** The routes of a host of repositories, with two values in a row, areas, and the same words in many places. */
export function hostingApi(seed: number): ApiRoute[] {
  const { routes, some, add, crud } = apiBuilder(seed);
  const withItems = (base: string, name: string, parts: number) => {
    const id = `${name.slice(0, -1)}Id`;
    const item = `${base}/${name}/{${id}}`;
    crud(`${base}/${name}`, id);
    for (const word of some(ACTIONS, 1.2)) add(`${item}/${word}`, 'POST');
    for (const part of some(OF_ITEM, parts)) crud(`${item}/${part}`, `${part.slice(0, -1)}Id`);
  };
  for (const owner of OWNERS) {
    if (owner !== '/user') add(owner, 'GET');
    for (const word of some(WORDS, 4)) add(`${owner}/${word}`, 'GET');
    for (const name of some(HOSTED, 8)) withItems(owner, name, 0.8);
    for (const area of some(AREAS, 2)) {
      for (const name of some(OF_AREA, 2)) withItems(`${owner}/${area}`, name, 0.3);
    }
  }
  return routes;
}

/** The templates of routes, each once. */
export function templatesOf(routes: readonly ApiRoute[]): string[] {
  return [...new Set(routes.map(({ template }) => template))];
}

/** The OpenAPI 3.1 document of some routes. */
export function documentOf(routes: readonly ApiRoute[]) {
  const prefix = '/v1';
  const paths = Object.fromEntries(
    [...Map.groupBy(routes, ({ template }) => template)].map(([template, operations]) => {
      const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const parameters = names.map((name) => ({
        ...{ name, in: 'path', required: true, schema: { type: 'string' } },
      }));
      const items = operations.map(({ method }) => [
        method.toLowerCase(),
        { operationId: `${method} ${template}`, responses: { 200: { description: 'Well' } } },
      ]);
      return [template.slice(prefix.length), { parameters, ...Object.fromEntries(items) }];
    }),
  );
  const info = { title: 'An API', version: '1' };
  return { openapi: '3.1.0', info, servers: [{ url: `https://api.example.com${prefix}` }], paths };
}

const FIRST = words(
  'amber brisk coral dusky ebony fancy green hazel ivory jade khaki lilac mauve navy olive pink rose ' +
    'scarlet teal umber violet white yellow zinc silver golden copper bronze',
);
const SECOND = words(
  'badger crane dingo eagle ferret gecko heron ibis jackal koala lemur marten newt otter panda quail ' +
    'raven seal toad urchin viper walrus yak zebu beetle cicada drake egret',
);

type Kind = 'number' | 'uuid' | 'slug' | 'hash';
const KINDS: readonly Kind[] = ['number', 'uuid', 'slug', 'hash'];

/** A URL and the template that it is of. */
export interface ApiUrl {
  url: string;
  template: string;
}

/**
 * URLs of templates, their values numbers, UUIDs (version 7), slugs and hashes.
 *
 * @param mixed - whether a parameter has values of all kinds; else each has one kind
 */
export function urlsOf(
  templates: readonly string[],
  { each, seed, mixed }: { each: number; seed: number; mixed: boolean },
): ApiUrl[] {
  const random = randomOf(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const hex = (length: number) =>
    Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  const values: Record<Kind, () => string> = {
    number: () => String(Math.floor(10 ** (random() * 8))),
    uuid: () =>
      `019${hex(5)}-${hex(4)}-7${hex(3)}-${pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`,
    slug: () => `${pick(FIRST)}-${pick(SECOND)}${random() < 0.3 ? `-${pick(SECOND)}` : ''}`,
    hash: () => hex(pick([12, 32, 40, 64])),
  };
  const kinds = new Map<string, Kind>();
  const kindOf = (name: string): Kind => {
    if (mixed) return pick(KINDS);
    const kind = kinds.get(name) ?? pick(KINDS);
    kinds.set(name, kind);
    return kind;
  };
  return templates.flatMap((template) =>
    Array.from({ length: each }, () => ({
      template,
      url: template.replace(/\{(\w+)\}/g, (_whole, name: string) => values[kindOf(name)]()),
    })),
  );
}

const NAMES = words('anna berta carl dora emil fritz gerda hans ida otto max paul rosa tina');

/** URLs whose values are the same few names again and again, the first of them most often. */
export function repeatedUrlsOf(
  templates: readonly string[],
  { each, seed }: { each: number; seed: number },
): ApiUrl[] {
  const random = randomOf(seed);
  const name = () => NAMES[Math.floor(NAMES.length ** random()) - 1] as string;
  return templates.flatMap((template) =>
    Array.from({ length: each }, () => ({ template, url: template.replace(/\{\w+\}/g, name) })),
  );
}

/**
 * URLs whose values are words of a pool.
 *
 * @param isOne - whether one pool is for all parameters; else each has a pool of its own
 */
export function pooledUrlsOf(
  templates: readonly string[],
  { each, pool, isOne, seed }: { each: number; pool: number; isOne: boolean; seed: number },
): ApiUrl[] {
  const random = randomOf(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const pools = new Map<string, string[]>();
  const poolOf = (name: string) => {
    const key = isOne ? '' : name;
    const values = new Set(pools.get(key));
    while (values.size < pool) {
      const [first, second] = [pick(FIRST), pick(SECOND)];
      values.add(pick([first, second, `${first}-${second}`, `${first}${second}`]));
    }
    pools.set(key, [...values]);
    return [...values];
  };
  return templates.flatMap((template) =>
    Array.from({ length: each }, () => ({
      template,
      url: template.replace(/\{(\w+)\}/g, (_whole, name: string) => pick(poolOf(name))),
    })),
  );
}

/** A template without the names of its parameters. */
export function shapeOf(template: string): string {
  return template.replace(/\{[^{}]*\}/g, '{}');
}

/** The place that each URL is folded into, with the templates of a catalog. */
export function foldedPlaces(
  urls: readonly Pick<ApiUrl, 'url'>[],
  catalog: readonly string[],
): Place[] {
  const matcher = createMatcher(catalog.map((template) => ({ method: 'GET', template })));
  const paths = urls.map(({ url }) => pathOfUrl(url));
  const places = runAtOnce(foldPaths(new Set(paths), matcher));
  return paths.map((path) => places.get(path) as Place);
}

export function foldedTemplates(
  urls: readonly Pick<ApiUrl, 'url'>[],
  catalog: readonly string[],
): string[] {
  return foldedPlaces(urls, catalog).map(({ template }) => template);
}

/**
 * The part of the templates all of whose URLs went to exactly the right one, and how sure the folding was in
 * the mean of those and of the others.
 */
export function measureTemplates(urls: readonly ApiUrl[], places: readonly Place[]) {
  const byTemplate = Map.groupBy(
    urls.map(({ template }, at) => ({ template, place: places[at] as Place })),
    ({ template }) => template,
  );
  const sure: Record<'right' | 'wrong', number[]> = { right: [], wrong: [] };
  for (const [template, all] of byTemplate) {
    const wrong = all.filter(({ place }) => shapeOf(place.template) !== shapeOf(template));
    const [first] = wrong.length > 0 ? wrong : all;
    sure[wrong.length > 0 ? 'wrong' : 'right'].push(first?.place.certainty ?? 0);
  }
  return { part: sure.right.length / byTemplate.size, ...sure };
}

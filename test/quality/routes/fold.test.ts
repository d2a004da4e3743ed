// Folding what was seen into route candidates.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { candidateSteps } from '../../../src/quality/routes/candidates.ts';
import { typeOf } from '../../../src/quality/routes/forms.ts';
import { createMatcher, type Template } from '../../../src/quality/routes/match.ts';
import { type Observation, observe, type SeenRoutes } from '../../../src/quality/routes/observe.ts';
import { pathOfUrl } from '../../../src/quality/routes/route-text.ts';
import { runAtOnce, runInSlices } from '../../../src/runtime/scheduler.ts';

const stepsOf = (observations: readonly Observation[], catalog: readonly Template[] = []) => {
  const seen: SeenRoutes = new Map();
  for (const one of observations) observe(seen, { ...one, path: pathOfUrl(one.path) });
  return candidateSteps([...seen.values()], createMatcher(catalog));
};
const candidatesOf = (...from: Parameters<typeof stepsOf>) => runAtOnce(stepsOf(...from));
const seen = (...paths: string[]): Observation[] =>
  paths.map((path, at) => ({ method: 'GET', path, at, origin: 'log' }));
const found = (paths: string[]) =>
  candidatesOf(seen(...paths))
    .map(({ template }) => template)
    .sort();
const TENANTS = ['acme', 'globex', 'hooli', 'initech', 'umbrella'];

describe('what becomes one template', () => {
  test.each<[string, string[], string[]]>([
    ['numbers', ['/users/123', '/users/456'], ['/users/{id}']],
    [
      'UUIDs of any version',
      [
        '/u/f47ac10b-58cc-4372-a567-0e02b2c3d479',
        '/u/0190163d-8694-739b-aea5-966c26f8ad91',
        '/u/6BA7B810-9DAD-11D1-80B4-00C04FD430C8',
        '/u/00000000-0000-0000-0000-000000000000',
      ],
      ['/u/{id}'],
    ],
    ['ULIDs', ['/u/01ARZ3NDEKTSV4RRFFQ69G5FAV', '/u/01bx5zzkbkactav9wevgemmvrz'], ['/u/{id}']],
    [
      'dates',
      ['/logs/2026-01-31', '/logs/2026-W05', '/logs/2026-02-01T10:00:00Z'],
      ['/logs/{date}'],
    ],
    ['hashes', ['/c/9fceb02', `/c/${'ab1'.repeat(21)}c`], ['/c/{id}']],
    ['slugs with digits', ['/p/order-17', '/p/US-12', '/p/cus_NffrFeUfNV2Hib'], ['/p/{id}']],
    ['addresses', ['/u/a@example.com', '/u/b@example.com'], ['/u/{email}']],
    [
      'templates of people',
      ['/users/{userId}/posts', '/users/:userId/posts'],
      ['/users/{userId}/posts'],
    ],
    ['one value by its form', ['/users/7/posts/8'], ['/users/{userId}/posts/{postId}']],
    [
      'words that vary, with alike subtrees',
      ['ann', 'bob', 'eve', 'joe', 'liz'].flatMap((one) => [
        `/users/${one}`,
        `/users/${one}/posts`,
      ]),
      ['/users/{id}', '/users/{id}/posts'],
    ],
    [
      'words put together beside values',
      ['/shops/17', '/shops/18', '/shops/corner-shop', '/shops/corner-shop/hours'],
      ['/shops/{id}', '/shops/{id}/hours'],
    ],
    [
      'five tenants at the top that lead to much of the same',
      TENANTS.flatMap((one) => [`/${one}/orders`, `/${one}/users/7`]),
      ['/{id}/orders', '/{id}/users/{userId}'],
    ],
    [
      'two values in a row',
      TENANTS.flatMap((one) =>
        ['web', 'site', 'core'].flatMap((two) => [
          `/repos/${one}/${two}/pulls`,
          `/repos/${one}/${two}/lock`,
        ]),
      ),
      ['/repos/{repoId}/{id}/pulls', '/repos/{repoId}/{id}/lock'],
    ],
    [
      'words behind a plural that was seen by itself',
      ['/tags', '/tags/red', '/tags/blue', '/tags/green'],
      ['/tags', '/tags/{id}'],
    ],
  ])('%s', (_name, urls, templates) => {
    expect(found(urls)).toEqual([...templates].sort());
    // How often each was seen changes counts alone.
    expect(found([...urls, ...urls, ...urls.slice(1)])).toEqual([...templates].sort());
  });
});

describe('what stays apart', () => {
  test.each<[string, string[]]>([
    ['few words', ['/settings/colours', '/settings/sounds', '/settings/fonts']],
    ['words at the top', ['/login', '/logout', '/status', '/about', '/help', '/contact']],
    ['versions', ['/v1/mugs', '/v2/mugs', '/v10/mugs']],
    ['names with digits', ['/auth/oauth2', '/auth/2fa', '/tools/base64', '/apis/rbac.k8s.io/v1']],
    [
      'collections, which are plurals, of an area',
      ['mugs', 'cups', 'pots', 'pans', 'jars', 'lids', 'forks', 'spoons'].flatMap((one) => [
        `/admin/${one}`,
        `/admin/${one}/table`,
        `/admin/${one}/form`,
      ]),
    ],
    [
      'a handful of words',
      ['daily', 'weekly', 'monthly', 'yearly'].map((one) => `/reports/${one}`),
    ],
    ['names of the field beside values', ['/users/me', '/users/search']],
    ['actions of a collection', ['/users', '/users/login', '/users/logout', '/users/signup']],
    ['what an area has', ['/search/code', '/search/people', '/search/topics', '/search/wiki']],
  ])('%s', (_name, urls) => {
    expect(found(urls)).toEqual([...urls].sort());
    expect(found([...urls, '/users/17'])).toEqual([...urls, '/users/{id}'].sort());
  });
});

test.each([
  ...([
    ['17', 'integer'],
    ['-3', 'integer'],
    ['1.5', 'number'],
    ['2026-01', 'date'],
  ] as const),
  ['0190163d-8694-739b-aea5-966c26f8ad91', 'uuid'],
  ['{6BA7B810-9DAD-11D1-80B4-00C04FD430C8}', 'uuid'],
  ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ulid'],
  ['2026-01-31T10:20:30.5Z', 'date'],
  ['d41d8cd98f00b204e9800998ecf8427e', 'hash'],
  ['me@example.com', 'email'],
  ...([
    ['order-17', 'slug'],
    ['order17', 'slug'],
    ['1.2.3', 'slug'],
    ['US-12', 'slug'],
  ] as const),
  ...([
    ['item 5', 'string'],
    ['{id}', 'string'],
    [':id', 'string'],
  ] as const),
  ['a'.repeat(65), 'string'],
  ...(['users', 'v1', 'v2.1', 'v1beta1', 'oauth2', 'step3', 'facade', 'deadbeef'] as const).map(
    (word) => [word, null] as const,
  ),
])('the form of %s', (text, type) => {
  expect(typeOf(text)).toBe(type as 'slug');
});

describe('properties', () => {
  const word = fc.constantFrom(
    ...['users', 'me', 'ann', 'bob', 'eve', 'joe', 'liz', 'x-ray'],
    ...['17', '2026-01-01', '{id}', 'a b', 'é', '%'],
  );
  const path = fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .array(word, { maxLength: 6 })
        .map((all) => `/${all.map(encodeURIComponent).join('/')}`),
    },
    { weight: 1, arbitrary: fc.string() },
  );
  const observation: fc.Arbitrary<Observation> = fc.record({
    method: fc.constantFrom(null, 'GET', 'post'),
    path,
    at: fc.nat(1000),
    origin: fc.constantFrom('issue', 'log', 'run', 'scenario', 'story'),
  });
  const observations = fc.array(observation, { maxLength: 40 });
  const catalog = fc.array(
    fc.record({
      method: fc.constantFrom('GET', 'POST'),
      template: fc.constantFrom('/users', '/users/{id}', '/{a}/{b}/me', '/x-ray'),
    }),
    { maxLength: 4 },
  );

  test('nothing is lost: each observation is in the catalog or in one candidate that fits it', () => {
    fc.assert(
      fc.property(observations, catalog, (all, routes) => {
        const candidates = candidatesOf(all, routes);
        const known = createMatcher(routes);
        for (const { method, path } of all) {
          const verb = (method ?? 'GET').toUpperCase();
          const url = pathOfUrl(path);
          const fitting = candidates.some(
            (one) => one.method === verb && createMatcher([one]).match(verb, url) !== null,
          );
          expect(fitting || known.match(verb, url) !== null).toBe(true);
        }
        const sum = candidates.reduce((total, one) => total + one.observations, 0);
        expect(sum).toBeLessThanOrEqual(all.length);
        for (const { confidence, examples, params, template } of candidates) {
          expect(confidence).toBeGreaterThan(0);
          expect(confidence).toBeLessThanOrEqual(1);
          expect(examples.length).toBeGreaterThan(0);
          expect(new Set(params.map(({ name }) => name)).size).toBe(params.length);
          expect(params.map(({ name }) => name)).toEqual(
            [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name),
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  test('neither the order of observations nor how often they came changes a template', () => {
    const keyed = (all: readonly Observation[], routes: readonly Template[]) =>
      candidatesOf(all, routes).sort((a, b) =>
        `${a.method} ${a.template}` < `${b.method} ${b.template}` ? -1 : 1,
      );
    fc.assert(
      fc.property(
        observations.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        catalog,
        ([all, shuffled], routes) => {
          const once = keyed(all, routes);
          expect(keyed(shuffled, routes)).toEqual(once);
          const uncounted = once.map(({ observations, ...rest }) => rest);
          const twice = keyed([...all, ...shuffled], routes);
          expect(twice.map(({ observations, ...rest }) => rest)).toEqual(uncounted);
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('many long and odd paths are folded all the same', () => {
  const deep = Array.from({ length: 2000 }, (_, at) => `/w${at % 7}x`.repeat(60));
  const letters = (at: number) => at.toString(36).replace(/\d/g, '');
  const wide = Array.from({ length: 20_000 }, (_, at) => `/list/${letters(at)}q/end`);
  const long = [
    `/${'a'.repeat(100_000)}`,
    `/${'/'.repeat(100_000)}`,
    '%'.repeat(50_000),
    `/${'{'.repeat(9000)}`,
  ];
  expect(candidatesOf(seen(...deep, ...wide, ...long)).length).toBeGreaterThan(0);
});

test('a fold of many paths lets others run', async () => {
  const paths = Array.from({ length: 20_000 }, (_, at) => `/a/${at % 50}/w${at}x/${at}`);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  const folded = await runInSlices(stepsOf(seen(...paths)));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
  expect(folded).toEqual(candidatesOf(seen(...paths)));
});

// Folding what was seen into route candidates.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { foldRoutes, type Observation } from '../../../src/quality/routes/fold.ts';
import { compileMatcher } from '../../../src/quality/routes/match.ts';

const seen = (...urls: string[]): Observation[] =>
  urls.map((url, at) => ({ method: 'GET', url, at, origin: 'log' }));
const found = (urls: string[], known: string[] = []) =>
  foldRoutes(
    seen(...urls),
    known.map((template) => ({ method: 'GET', template })),
  ).candidates.map(({ template }) => template);

/** Each of them twelve times. */
const often = (urls: string[]) => urls.flatMap((url) => Array<string>(12).fill(url));

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
    ['hashes', ['/c/9fceb02', `/c/${'ab1'.repeat(21)}c`, '/c/deadbeef'], ['/c/{id}']],
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
      ['ann', 'bob', 'eve', 'joe', 'liz', 'max'].flatMap((one) => [
        `/users/${one}`,
        `/users/${one}/posts`,
      ]),
      ['/users/{id}', '/users/{id}/posts'],
    ],
    [
      'words beside values',
      [
        '/shops/17',
        '/shops/18',
        '/shops/corner-shop',
        '/shops/corner-shop/hours',
        '/shops/18/hours',
      ],
      ['/shops/{id}', '/shops/{id}/hours'],
    ],
    [
      'words one behind the other',
      ['ann/x-ray', 'bob/tango', 'eve/sierra', 'joe/kilo', 'liz/delta'].map(
        (one) => `/repos/${one}`,
      ),
      ['/repos/{repoId}/{id}'],
    ],
    [
      'values that are all asked for often, behind a plural',
      often(
        ['anna', 'berta', 'carl', 'dora', 'emil', 'fritz', 'ida'].map((one) => `/users/${one}`),
      ),
      ['/users/{id}'],
    ],
    [
      'values that are all asked for often and lead to much of the same',
      often(
        ['ann', 'bob', 'eve', 'joe', 'liz', 'max'].flatMap((one) =>
          ['', '/posts', '/likes', '/likes/7'].map((rest) => `/blog/${one}${rest}`),
        ),
      ),
      ['/blog/{id}', '/blog/{id}/likes', '/blog/{blogId}/likes/{likeId}', '/blog/{id}/posts'],
    ],
  ])('%s', (_name, urls, templates) => {
    expect(found(urls).sort()).toEqual([...templates].sort());
  });
});

describe('what stays apart', () => {
  test.each<[string, string[]]>([
    ['few words', ['/settings/colours', '/settings/sounds', '/settings/fonts']],
    [
      'words at the top',
      ['/mugs', '/cups', '/pots', '/pans', '/jars', '/lids', '/forks', '/spoons'],
    ],
    [
      'words behind a version',
      [
        '/api/v2/mugs',
        '/api/v2/cups',
        '/api/v2/pots',
        '/api/v2/pans',
        '/api/v2/jars',
        '/api/v2/lids',
      ],
    ],
    ['versions', ['/v1/mugs', '/v2/mugs', '/v10/mugs']],
    ['names with digits', ['/auth/oauth2', '/auth/2fa', '/tools/base64', '/apis/rbac.k8s.io/v1']],
    [
      'what is asked for again and again',
      ['hats', 'caps', 'bows', 'ties', 'tops', 'rags'].flatMap((one) =>
        Array(5).fill(`/shop/${one}`),
      ),
    ],
    [
      'collections, which are plurals, of an area',
      often(
        ['mugs', 'cups', 'pots', 'pans', 'jars', 'lids', 'forks', 'spoons'].flatMap((one) => [
          `/admin/${one}`,
          `/admin/${one}/table`,
          `/admin/${one}/form`,
        ]),
      ),
    ],
    [
      'a handful of words that are asked for often',
      often(['daily', 'weekly', 'monthly', 'yearly'].map((one) => `/reports/${one}`)),
    ],
    ['names of the field beside values', ['/users/me', '/users/search']],
  ])('%s', (_name, urls) => {
    expect(found(urls).sort()).toEqual([...new Set(urls)].sort());
    expect(found([...urls, '/users/17'])).toContain('/users/{id}');
    for (const url of urls) expect(found([...urls, '/users/17'])).toContain(url);
  });

  test('a name that many values stand beside, and values that are asked for often', () => {
    const names = Array.from(
      { length: 60 },
      (_, at) => `${'bcdfghklmn'[at % 10]}${'aeiou'[at % 5]}${'rstvxz'[Math.floor(at / 10)]}o`,
    );
    const urls = names.flatMap((name, at) =>
      Array<string>(at < 6 ? 2 ** (6 - at) : 1).fill(`/users/${name}`),
    );
    expect(found([...urls, '/users/me', '/users/search'])).toEqual([
      ...['/users/{id}', '/users/me', '/users/search'],
    ]);
  });
});

describe('a candidate', () => {
  const observations: Observation[] = [
    { method: 'get', url: 'https://h/users/9?a=1', at: 50, origin: 'log', storyIds: ['US-2'] },
    {
      method: null,
      url: '/users/8',
      at: 40,
      origin: 'issue',
      count: 3,
      storyIds: ['US-1', 'US-2'],
      untrusted: true,
    },
    { method: 'GET', url: '/users/9/', at: 10, origin: 'log' },
    { method: 'DELETE', url: '/users/7', at: 60, origin: 'story' },
    { method: 'GET', url: '/status', at: 70, origin: 'run' },
    { method: 'GET', url: '/health', at: 80, origin: 'run' },
  ];
  const { candidates, templates } = foldRoutes(observations, [
    { method: 'GET', template: '/health' },
  ]);

  test('says what was seen, when, where and how sure it is', () => {
    expect(candidates).toEqual([
      {
        ...{ method: 'GET', template: '/users/{id}', examples: ['/users/9', '/users/8'] },
        ...{ observations: 5, firstSeen: 10, lastSeen: 50, origins: ['issue', 'log'] },
        ...{
          confidence: 0.81,
          params: [{ name: 'id', type: 'integer' }],
          storyIds: ['US-1', 'US-2'],
          untrusted: true,
        },
      },
      {
        ...{ method: 'GET', template: '/status', examples: ['/status'], observations: 1 },
        ...{
          firstSeen: 70,
          lastSeen: 70,
          origins: ['run'],
          confidence: 0.67,
          params: [],
          storyIds: [],
          untrusted: false,
        },
      },
      {
        ...{ method: 'DELETE', template: '/users/{id}', examples: ['/users/7'], observations: 1 },
        ...{ firstSeen: 60, lastSeen: 60, origins: ['story'], confidence: 0.63 },
        ...{ params: [{ name: 'id', type: 'integer' }], storyIds: [], untrusted: false },
      },
    ]);
  });

  test('is none where the catalog has the route', () => {
    expect(templates).toEqual([
      '/users/{id}',
      '/users/{id}',
      '/users/{id}',
      '/users/{id}',
      '/status',
      '/health',
    ]);
  });

  test('of another method has the template of the catalog; its start is as the catalog says', () => {
    const catalog = [
      { method: 'GET', template: '/users/{name}' },
      { method: 'GET', template: '/users/me' },
    ];
    const more: Observation[] = [
      { method: 'PUT', url: '/users/ann', at: 1, origin: 'log' },
      { method: 'GET', url: '/users/ann/likes', at: 1, origin: 'log' },
      { method: 'GET', url: '/users/me/likes', at: 1, origin: 'log' },
    ];
    expect(foldRoutes(more, catalog).templates).toEqual([
      ...['/users/{name}', '/users/{name}/likes', '/users/me/likes'],
    ]);
  });

  test('shows five examples at most, the oldest', () => {
    const [candidate] = foldRoutes(
      seen(...Array.from({ length: 50 }, (_, at) => `/a/${99 - at}`)).reverse(),
      [],
    ).candidates;
    expect(candidate?.examples).toEqual(['/a/99', '/a/98', '/a/97', '/a/96', '/a/95']);
  });
});

describe('properties', () => {
  const word = fc.constantFrom(
    'users',
    'me',
    'ann',
    'bob',
    'eve',
    'x-ray',
    '17',
    '2026-01-01',
    '{id}',
    'a b',
    'é',
    '%',
  );
  const url = fc.oneof(
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
    url,
    at: fc.nat(1000),
    origin: fc.constantFrom('issue', 'log', 'run', 'scenario', 'story'),
    count: fc.nat(9).map((count) => count + 1),
  });
  const catalog = fc.array(
    fc.record({
      method: fc.constantFrom('GET', 'POST'),
      template: fc.constantFrom('/users', '/users/{id}', '/{a}/{b}/me', '/x-ray'),
    }),
    { maxLength: 4 },
  );

  test('nothing is lost: each observation is in the catalog or in one candidate that its path fits', () => {
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 40 }), catalog, (all, routes) => {
        const { candidates, templates } = foldRoutes(all, routes);
        expect(templates.length).toBe(all.length);
        all.forEach((one, at) => {
          const template = templates[at] ?? '';
          const matcher = compileMatcher([{ method: 'GET', template }]);
          expect(matcher.match('GET', one.url)?.template).toBe(template);
        });
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

  test('the order of observations changes no candidate', () => {
    fc.assert(
      fc.property(
        fc
          .array(observation, { maxLength: 30 })
          .chain((all) =>
            fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
          ),
        catalog,
        ([all, shuffled], routes) => {
          expect(foldRoutes(shuffled, routes).candidates).toEqual(
            foldRoutes(all, routes).candidates,
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('many long and odd paths are folded all the same', () => {
  const deep = Array.from(
    { length: 2000 },
    (_, at) =>
      `/${Array(60)
        .fill(`w${at % 7}x`)
        .join('/')}`,
  );
  const wide = Array.from(
    { length: 20_000 },
    (_, at) => `/list/${at.toString(36).replace(/\d/g, '')}q/end`,
  );
  const long = [
    `/${'a'.repeat(100_000)}`,
    `/${'/'.repeat(100_000)}`,
    '%'.repeat(50_000),
    `/${'{'.repeat(9000)}`,
  ];
  const { templates } = foldRoutes(seen(...deep, ...wide, ...long), []);
  expect(templates.length).toBe(deep.length + wide.length + long.length);
});

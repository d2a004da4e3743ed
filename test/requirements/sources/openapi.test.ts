// Reading API documents: versions, prefixes, parameters, references, ids of stories, and what is odd.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ID_MOST } from '../../../src/http/id-length.ts';
import { completeFindings } from '../../../src/requirements/audit/finding.ts';
import { readSources } from '../../../src/requirements/import/read-sources.ts';
import { readOpenapi } from '../../../src/requirements/sources/openapi/reader.ts';
import { idsOfTag, markedIds } from '../../../src/requirements/sources/openapi/story-ids.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const FIXTURES = join(import.meta.dir, '..', '..', 'fixtures');
const DOCUMENTS = ['pets.json', 'shop.yaml'];

/** What is read of the first file; without what it says beside its routes, which has tests of its own. */
function readSet(texts: Record<string, string>) {
  const [first, ...others] = filesOf(texts);
  const result = readOpenapi(first ? [first] : [], others);
  return { ...result, findings: result.findings.filter(({ code }) => code !== 'unread_details') };
}

const read = (text: string) => readSet({ 'api.yaml': text });
const found = ({ findings }: { findings: { code: string; path: string; line: number }[] }) =>
  findings.map(({ code, path, line }) => `${code} ${path}:${line}`);
const named = ({ routes }: { routes: { method: string; template: string }[] }) =>
  routes.map(({ method, template }) => `${method} ${template}`);
const paths = (body: string) => `openapi: 3.0.3\npaths:\n${body}`;

describe('the fixtures [PQRS-14]', () => {
  const files = filesIn(join(FIXTURES, 'openapi'));
  const result = readOpenapi(
    files.filter(({ path }) => DOCUMENTS.includes(path)),
    files.filter(({ path }) => !DOCUMENTS.includes(path)),
  );

  test('routes with their places, in the order of path and line', () => {
    expect(
      result.routes.map(({ method, template, path, line }) => [method, template, path, line]),
    ).toEqual([
      ['GET', '/v1/orders/{orderId}', 'paths/order.yaml', 4],
      ['DELETE', '/v1/orders/{orderId}', 'paths/order.yaml', 6],
      ['PUT', '/api/pets/{petId}/photos/{photoId}', 'pets.json', 8],
      ['GET', '/v1/orders', 'shop.yaml', 16],
      ['POST', '/v1/orders', 'shop.yaml', 22],
      ['GET', '/v1/orders/me', 'shop.yaml', 28],
      ['GET', '/internal/status', 'shop.yaml', 30],
    ]);
  });

  test('ids of stories from extensions, tags and summaries', () => {
    expect(result.routes.map(({ storyIds }) => storyIds)).toEqual([
      ...[[], [], ['US-1', 'US-8'], ['US-1', 'US-2'], ['REQ-9', 'US-2', 'US-3', 'US-1', 'US-7']],
      ...[['US-5', 'US-4'], []],
    ]);
  });

  test('parameters of the path and the operation, references followed into another file', () => {
    expect(result.routes.slice(0, 5).map(({ params }) => params)).toEqual([
      [{ name: 'orderId', in: 'path', type: 'string' }],
      [{ name: 'orderId', in: 'path', type: 'integer' }],
      [
        { name: 'petId', in: 'path', type: 'integer' },
        { name: 'body', in: 'body', type: 'object' },
        { name: 'photoId', in: 'path' },
      ],
      [
        { name: 'trace', in: 'header', type: 'string' },
        { name: 'limit', in: 'query', type: 'integer' },
        { name: 'page', in: 'query', type: 'integer' },
      ],
      [{ name: 'trace', in: 'header', type: 'string' }],
    ]);
    expect(result.routes[3]).toMatchObject({ operationId: 'listOrders', tags: [] });
    expect(result.routes[4]?.tags).toEqual(['Orders', 'US-7']);
  });

  test('what it tells of, and how each file fared', () => {
    expect(found(result)).toEqual([
      ...['unread_details paths/order.yaml:3', 'unread_details pets.json:3'],
      ...['unread_details shop.yaml:2', 'other_servers shop.yaml:8'],
      'webhooks_left_out shop.yaml:37',
    ]);
    expect([...result.statuses]).toEqual([
      ...[
        ['common.json', 'parsed'],
        ['paths/order.yaml', 'parsed'],
      ],
      ...[
        ['pets.json', 'parsed'],
        ['shop.yaml', 'parsed'],
      ],
    ] as never);
  });

  test('an import counts routes where they stand and keeps them for the catalog', () => {
    const feature = '@US-1\nFeature: f\n  Scenario: s\n    Given g\n';
    const more = filesOf({ 'a.feature': feature, 'notes.yaml': 'a: 1\n' });
    const all = [...files, ...more].map((file) => ({ ...file, format: null }));
    const { catalog, sources, findings } = readSources(all.reverse(), []);
    expect(catalog.routes).toEqual(result.routes);
    expect(catalog.scenarios.map(({ title, storyIds }) => [title, storyIds])).toEqual([
      ['s', ['US-1']],
    ]);
    expect(sources.map(({ path, format, status, items }) => [path, format, status, items])).toEqual(
      [
        ['a.feature', 'gherkin', 'parsed', 1],
        ['common.json', null, 'parsed', 0],
        ['notes.yaml', null, 'ignored', 0],
        ['paths/order.yaml', null, 'parsed', 2],
        ['pets.json', 'openapi', 'parsed', 1],
        ['shop.yaml', 'openapi', 'parsed', 4],
      ],
    );
    // No requirement came with it: what the routes declare to be theirs is in no source.
    expect(found({ findings })).toEqual([
      'unknown_format notes.yaml:0',
      ...['dangling_reference pets.json:8', 'dangling_reference pets.json:8'],
      'dangling_reference shop.yaml:16',
      ...Array.from({ length: 3 }, () => 'dangling_reference shop.yaml:22'),
      ...['unread_details paths/order.yaml:3', 'unread_details pets.json:3'],
      'unread_details shop.yaml:2',
      ...['other_servers shop.yaml:8', 'webhooks_left_out shop.yaml:37'],
    ]);
  });
});

test('an extension names an item by an id as long as ids can be, and by none that is longer [PQRS-14]', () => {
  const id = `login/${'x'.repeat(ID_MOST - 6)}`;
  const text = (named: string) => paths(`  /a: {get: {x-story: "${named}"}}`);
  expect(read(text(id)).routes).toMatchObject([{ storyIds: [id] }]);
  expect(read(text(`${id}x`)).routes).toMatchObject([{ storyIds: [] }]);
});

test('the API document of pqrs itself [PQRS-14]', () => {
  const text = readFileSync(join(FIXTURES, 'openapi.json'), 'utf8');
  const document = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
  const { routes, findings, statuses } = readSet({ 'openapi.json': text });
  const expected = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(named({ routes }).sort()).toEqual(expected.sort());
  expect(findings).toEqual([]);
  expect([...statuses.values()]).toEqual(['parsed']);
  const lines = text.split('\n');
  for (const { method, line } of routes) {
    expect(lines[line - 1]).toContain(`"${method.toLowerCase()}": {`);
  }
});

test.each([
  ['https://api.example.com', ''],
  ['https://api.example.com/', ''],
  ['https://api.example.com:8443/a/b/?x#y', '/a/b'],
  ['//api.example.com/v2', '/v2'],
  ['/v3/', '/v3'],
  ['v3', '/v3'],
  ['.', ''],
  ['../v4', '/v4'],
  ['', ''],
  ['{scheme}://host/x', '/x'],
  ['https://host/{version}', '/{version}'],
])('the server %s', (url, prefix) => {
  const text = `openapi: 3.0.0\nservers: [{url: "${url}"}]\npaths: {/a: {get: {}}}`;
  expect(named(read(text))).toEqual([`GET ${prefix}/a`]);
});

test.each([
  ['swagger: 2.0\nbasePath: /x\npaths: {/a: {get: {}}}', ['GET /x/a']],
  ['openapi: 3.0\nservers: []\npaths: {/a: {get: {}, description: a, x-y: {}}}', ['GET /a']],
  ['openapi: "3.1"\npaths: {/a: {servers: [{url: /p}], head: {}}}', ['HEAD /p/a']],
  ['openapi: 3.0.1\nbasePath: /no\npaths: {/: {trace: {}}, x-a: {get: {}}}', ['TRACE /']],
])('the document %s', (text, expected) => {
  const result = read(text);
  expect(named(result)).toEqual(expected);
  expect(result.findings).toEqual([]);
});

test.each<[string, string[], string]>([
  ['openapi: 4.0.0\npaths: {}', ['unparsed_source api.yaml:1'], 'failed'],
  ['swagger: "1.2"\npaths: {}', ['unparsed_source api.yaml:1'], 'failed'],
  ['info: {}\n', ['unparsed_source api.yaml:1'], 'failed'],
  ['- a\n', ['unparsed_source api.yaml:1'], 'failed'],
  ['openapi: 3.0.0\npaths: {"a": [}\n', ['unparsed_source api.yaml:2'], 'failed'],
  ['info: {}\nopenapi: 3.2.0\npaths: {/a: {get: {}}}', ['unknown_version api.yaml:2'], 'parsed'],
  ['openapi: 3.1.0\ninfo: {}', ['empty_document api.yaml:1'], 'parsed'],
  [
    'openapi: 3.1.0\npaths: [a]',
    ['invalid_field api.yaml:2', 'empty_document api.yaml:1'],
    'partial',
  ],
  [paths('  a: {get: {}}'), ['invalid_path api.yaml:3'], 'parsed'],
  [paths('  /a?b=1: {get: {}}'), ['invalid_path api.yaml:3'], 'parsed'],
  [paths('  /a b: {get: {}}'), ['invalid_path api.yaml:3'], 'partial'],
  [paths('  /a: [get]'), ['invalid_field api.yaml:3'], 'partial'],
  [paths('  /a:\n    get: none'), ['invalid_field api.yaml:4'], 'partial'],
  [paths('  /a: {get: {}}\n  /b: {}\n  /a: {put: {}}'), ['duplicate_field api.yaml:5'], 'partial'],
  [paths('  /a/{x}: {get: {}}\n  /a/{y}: {get: {}}'), ['duplicate_route api.yaml:4'], 'parsed'],
  [
    paths('  /a: {get: {operationId: o}}\n  /b: {get: {operationId: o}}'),
    ['duplicate_operation_id api.yaml:4'],
    'parsed',
  ],
  [paths('  /a: {get: {parameters: [{in: query}]}}'), ['invalid_field api.yaml:3'], 'partial'],
  [paths('  /a: {get: {x-story: [a b, {}]}}'), ['invalid_reference api.yaml:3'], 'partial'],
  [paths('  /a: {get: {}, PUT: {}, psot: {}}'), ['invalid_field api.yaml:3'], 'partial'],
  [paths('  /a: {GET: {}}'), ['invalid_field api.yaml:3'], 'partial'],
  [paths('  /a: {query: {}}'), ['invalid_field api.yaml:3'], 'partial'],
  [
    'openapi: 3.2.0\npaths: {/a: {query: {}, additionalOperations: {}, psot: {}}}',
    ['unknown_version api.yaml:1', 'invalid_field api.yaml:2'],
    'partial',
  ],
  [paths('  /a: *no'), ['dangling_reference api.yaml:3'], 'partial'],
  [paths('  /a: {get: *no}'), ['dangling_reference api.yaml:3'], 'partial'],
  [paths('  /a: {get: {parameters: [*no]}}'), ['dangling_reference api.yaml:3'], 'partial'],
  [paths('  /a: {get: {x-story: *no}}'), ['dangling_reference api.yaml:3'], 'partial'],
  ['openapi: 3.0.0\npaths: *no', ['dangling_reference api.yaml:2'], 'partial'],
  ['openapi: 3.0.0\npaths: {$ref: x.yaml}', ['dangling_reference api.yaml:2'], 'partial'],
  [paths('  /a:\n    $ref: "#/paths/~1b"'), ['dangling_reference api.yaml:4'], 'partial'],
  [paths('  /a:\n    $ref: b.yaml'), ['dangling_reference api.yaml:4'], 'partial'],
  [paths('  /a:\n    $ref: "#anchor"'), ['dangling_reference api.yaml:4'], 'partial'],
  [paths('  /a:\n    $ref: ../b.yaml'), ['outside_reference api.yaml:4'], 'partial'],
  [paths('  /a:\n    $ref: /etc/passwd'), ['outside_reference api.yaml:4'], 'partial'],
  [paths('  /a:\n    $ref: file:///etc/passwd'), ['remote_reference api.yaml:4'], 'partial'],
  [paths('  /a:\n    $ref: https://e.org/b.yaml'), ['remote_reference api.yaml:4'], 'partial'],
  [paths('  /a:\n    $ref: //e.org/b.yaml'), ['remote_reference api.yaml:4'], 'partial'],
  [paths('  /a:\n    $ref: "#/paths/~1a"'), ['reference_cycle api.yaml:4'], 'partial'],
  [
    paths('  /a:\n    $ref: "#/paths/~1b"\n  /b:\n    $ref: "#/paths/~1a"'),
    ['reference_cycle api.yaml:4', 'reference_cycle api.yaml:6'],
    'partial',
  ],
])('finds in %j', (text, codes, status) => {
  const result = read(text);
  expect([...new Set(found(result))].sort()).toEqual(codes.sort());
  expect(result.statuses.get('api.yaml')).toBe(status as 'parsed');
});

test('what is no method is told once, whatever refers to its path [PQRS-14]', () => {
  const { findings, routes } = read(
    `${paths('  /a: {$ref: "#/x"}\n  /b: {$ref: "#/x"}\n')}x:\n  GET: {}\n  post: {}\n`,
  );
  expect(findings).toMatchObject([
    { code: 'invalid_field', line: 6, detail: expect.stringContaining('small letters') },
  ]);
  expect(routes).toHaveLength(2);
});

describe('operations that cannot be told apart [PQRS-14]', () => {
  const SHARED =
    '  /o: {$ref: "#/O"}\n  /v1/o: {$ref: "#/O"}\n  /v2/o: {$ref: "#/O"}\n' +
    '  /other: {get: {operationId: list}}\nO:\n  get: {operationId: list}\n';
  const details = (text: string) =>
    read(text).findings.map(({ code, line, detail }) => [code, line, detail]);

  test('are told by their routes', () => {
    const text = paths('  /a/{x}: {get: {operationId: z}}\n  /a/{y}: {get: {operationId: z}}\n');
    expect(details(text)).toEqual([
      ['duplicate_route', 4, 'GET /a/{y} is the same route as GET /a/{x} of api.yaml.'],
      ['duplicate_operation_id', 4, 'The operationId z is that of GET /a/{x} of api.yaml too.'],
    ]);
  });

  test('are told by their routes where they are of several documents', () => {
    const result = readOpenapi(
      filesOf({
        'a.yaml': paths('  /x: {get: {}}\n  /u/{id}: {get: {}}\n'),
        'b.yaml': paths('  /x: {get: {operationId: o}}\n  /u/{other}: {get: {}, put: {}}\n'),
        'c.yaml': paths('  /x: {get: {}}\n'),
      }),
    );
    expect(result.findings.map(({ path, line, detail }) => [path, line, detail])).toEqual([
      [
        'b.yaml',
        3,
        'GET /x is the same route as GET /x of a.yaml; not kept of this one: operationId.',
      ],
      ['b.yaml', 4, 'GET /u/{other} is the same route as GET /u/{id} of a.yaml.'],
      ['c.yaml', 3, 'GET /x is the same route as GET /x of a.yaml.'],
    ]);
    expect(new Set(result.findings.map(({ code }) => code))).toEqual(new Set(['duplicate_route']));
  });

  test('are told with what is not kept of the second one', () => {
    const route = (over: string) =>
      paths(`  /h: {get: {summary: s, operationId: o, tags: [t]${over}}}\n`);
    const second = 'parameters: [{name: q, in: query}]';
    const result = readOpenapi(
      filesOf({
        'a.yaml': route(''),
        'b.yaml': route(`, ${second}`).replace('summary: s', 'summary: z'),
      }),
    );
    expect(result.findings.map(({ detail }) => detail)).toEqual([
      'GET /h is the same route as GET /h of a.yaml; not kept of this one: summary, parameters.',
    ]);
  });

  test('are one where documents share a part', () => {
    const share = paths('  /x: {$ref: "p.yaml#/x"}\n');
    const parts = { 'a.yaml': share, 'b.yaml': share, 'p.yaml': 'x: {get: {operationId: o}}' };
    const [a, b, part] = filesOf(parts);
    expect(readOpenapi(a && b ? [a, b] : [], part ? [part] : []).findings).toEqual([]);
  });

  test('are told a bounded number of times', () => {
    const many = paths(Array.from({ length: 300 }, (_, at) => `  /${at}: {get: {}}\n`).join(''));
    const { findings } = readOpenapi(filesOf({ 'a.yaml': many, 'b.yaml': many }));
    expect(findings.map(({ path }) => path)).toEqual(Array(201).fill('b.yaml'));
    expect(findings[0]?.detail).toBe('100 more findings of this kind are in the file.');
  });

  test('are told in the same words where their text moves', () => {
    const text = paths(
      `  /a/{x}: {get: {operationId: z}}\n  /a/{y}: {get: {operationId: z}}\n${SHARED}`,
    );
    const prints = (moved: string) =>
      completeFindings(read(moved).findings).map(({ fingerprint }) => fingerprint);
    expect(prints(text)).toHaveLength(4);
    expect(prints(`# c\n\n${text}`)).toEqual(prints(text));
  });

  test('are told once where one is many routes by reference', () => {
    const many = 'GET /o, GET /v1/o, GET /v2/o.';
    expect(details(paths(SHARED))).toEqual([
      ['duplicate_operation_id', 6, 'The operationId list is that of GET /o of api.yaml too.'],
      [
        ...['duplicate_operation_id', 8],
        `One operation is many routes, all with its operationId list: ${many}`,
      ],
    ]);
    const refs = Array.from({ length: 8 }, (_, at) => `  /${at}: {$ref: "#/O"}\n`).join('');
    const [finding, ...others] = details(`${paths(refs)}O:\n  get: {operationId: list}\n`);
    expect(finding?.[2]).toEndWith('GET /3, GET /4 and 3 more.');
    expect(others).toEqual([]);
  });
});

test('a fault in what many paths are by reference is told once [PQRS-14]', () => {
  const refs = '  /a: {$ref: "#/O"}\n  /b: {$ref: "#/O"}\n  /c: {$ref: "#/O"}\n';
  const shared =
    '  servers: [{url: "{x}"}]\n  parameters: [{in: query}]\n  get:\n    tags: t\n' +
    '    x-story: {}\n  put:\n    parameters: {$ref: "#/P"}\n';
  expect(found(read(`${paths(refs)}O:\n${shared}`))).toEqual([
    ...['invalid_field api.yaml:7', 'invalid_field api.yaml:8', 'invalid_field api.yaml:10'],
    ...['invalid_reference api.yaml:11', 'dangling_reference api.yaml:13'],
  ]);
});

test('what is wrong in many places is told for each, also where all is on one line [PQRS-14]', () => {
  const lost = { $ref: '#/nope' };
  const params = [lost, { in: 'query' }, { name: 'a', in: 'query', schema: lost }, lost];
  const document = {
    openapi: '3.1.0',
    paths: {
      ...{
        '/a': lost,
        '/b': lost,
        '/c': { get: {}, parameters: 5 },
        '/d': { get: {}, parameters: 5 },
      },
      ...{ '/e': { get: { parameters: params } }, '/f': { get: lost, put: lost }, '/g': lost },
      ...{ '/h': { $ref: '#/shared' }, '/i': { $ref: '#/shared' } },
    },
    shared: { get: { parameters: [lost, { in: 'query' }] }, parameters: 6 },
  };
  const details = (indent: number) =>
    readSet({ 'api.json': JSON.stringify(document, null, indent) })
      .findings.map(({ detail }) => detail)
      .sort();
  const reference = (owner: string) =>
    `The reference #/nope of ${owner} leads nowhere: there is no /nope in api.json.`;
  const unnamed = (owner: string) => `The ${owner} has no name or does not say where it goes.`;
  expect(details(0)).toEqual(
    [
      ...['/a', '/b', '/g', 'GET /f', 'PUT /f'].map(reference),
      ...[1, 3, 4].map((at) => reference(`parameter ${at} of GET /e`)),
      ...['/c', '/d', '/h'].map((owner) => `\`parameters\` of ${owner} is no list.`),
      ...[unnamed('parameter 2 of GET /e'), unnamed('parameter 2 of GET /h')],
      reference('parameter 1 of GET /h'),
    ].sort(),
  );
  expect(details(1)).toEqual(details(0));
});

test('what an operation says in another type than its own is told [PQRS-14]', () => {
  const operations = [
    ...['post: {tags: billing}', 'put: {summary: [x]}', 'patch: {operationId: {a: b}}'],
    ...['get: {tags: [a, [b]]}', 'head: {parameters: {name: a, in: query}}'],
    'trace: {tags: null, summary: null, operationId: 7, parameters: null}',
  ];
  const { routes, findings, statuses } = read(paths(`  /a:\n    ${operations.join('\n    ')}`));
  expect(findings.map(({ line, detail }) => `${line} ${detail}`)).toEqual([
    ...['4 `tags` of POST /a is no list.', '5 `summary` of PUT /a is no text.'],
    ...['6 `operationId` of PATCH /a is no text.', '7 A value of `tags` of GET /a is no text.'],
    '8 `parameters` of HEAD /a is no list.',
  ]);
  expect(statuses.get('api.yaml')).toBe('partial');
  expect(routes.map(({ tags }) => tags)).toContainEqual(['a']);
  expect(routes.map(({ operationId }) => operationId)).toContain('7');
});

test('QUERY and further methods of OpenAPI 3.2 are routes, and are none before [PQRS-14]', () => {
  const body =
    'paths:\n  /a:\n    query: {operationId: q, x-story: US-1}\n    additionalOperations:\n';
  const more =
    '      COPY: {x-story: US-2}\n      POST: {}\n      "a b": {}\n  /b: {additionalOperations: []}\n';
  const newer = read(`openapi: 3.2.0\n${body}${more}`);
  expect(
    newer.routes.map(({ method, template, line, storyIds }) => [method, template, line, storyIds]),
  ).toEqual([
    ['QUERY', '/a', 4, ['US-1']],
    ['COPY', '/a', 6, ['US-2']],
  ]);
  expect(found(newer)).toEqual([
    'unknown_version api.yaml:1',
    ...[7, 8, 9].map((line) => `invalid_field api.yaml:${line}`),
  ]);
  const small = read('openapi: 3.2.0\npaths: {/a: {additionalOperations: {Merge: {}}}}');
  expect(named(small)).toEqual(['MERGE /a']);
  expect(small.findings.map(({ severity, detail }) => `${severity} ${detail}`)).toContain(
    'info `Merge` of `additionalOperations` is read in capitals.',
  );
  const older = read(`openapi: 3.1.0\n${body}${more}`);
  expect(older.routes).toEqual([]);
  expect(found(older)).toEqual([4, 5, 9].map((line) => `invalid_field api.yaml:${line}`));
});

describe('servers [PQRS-14]', () => {
  const details = (text: string) =>
    read(text).findings.map(({ code, severity, line, detail }) =>
      [code, severity, line, detail].join(' '),
    );
  const document = (servers: string) =>
    `openapi: 3.0.0\npaths: {/a: {get: {}}}\nservers:\n${servers}`;

  test('with other paths than that of the first are told once for each owner', () => {
    const urls = ['https://a.org/v1', '/v1/', '/v2', 'https://b.org', '/v2'];
    const list = urls.map((url) => `  - url: ${url}\n`).join('');
    expect(details(document(list))).toEqual([
      'other_servers info 6 The routes of the document are read below /v1, the path of its first ' +
        'server, and not below /v2, /.',
    ]);
    const item = '  /a: {servers: [{url: /p}, {url: /q}], get: {}, put: {servers: [{url: /r}]}}';
    expect(details(paths(`${item}\n`))).toEqual([
      'other_servers info 3 The routes of /a are read below /p, the path of its first server, and not below /q.',
    ]);
    const many = Array.from({ length: 9 }, (_, at) => `  - url: /v${at}\n`).join('');
    expect(details(document(many))[0]).toEndWith('/v1, /v2, /v3, /v4, /v5 and 3 more.');
  });

  test.each([
    ['  url: /x', '4 `servers` of the document is no list, and is not read.', '/a'],
    ['  - url: 5', '4 A server of the document whose `url` is no text is not read.', '/a'],
    [
      '  - url: 5\n  - url: /y',
      '4 A server of the document whose `url` is no text is not read.',
      '/y/a',
    ],
    ['  - {}', '4 A server of the document without a `url` is not read.', '/a'],
    ['  - /x', '4 A server of the document that is no map is not read.', '/a'],
  ])('%j are told', (servers, detail, template) => {
    const result = read(document(servers));
    expect(details(document(servers))).toEqual([
      `invalid_field warning ${detail.replace(/^4 `servers`/, '3 `servers`')}`,
    ]);
    expect(named(result)).toEqual([`GET ${template}`]);
  });

  test.each([
    ['  /a: {get: {servers: /x}}', '`servers` of GET /a is no list, and is not read.'],
    ['  /a: {servers: 5, get: {}, put: {}}', '`servers` of /a is no list, and is not read.'],
  ])('of a path or an operation in %s are told', (body, detail) => {
    expect(details(paths(body))).toEqual([`invalid_field warning 3 ${detail}`]);
  });

  test('a number in JSON is no address, and neither is one as basePath', () => {
    const [json] = [
      readSet({ 'a.json': '{"openapi":"3.0.0","servers":[{"url":5}],"paths":{"/y":{"get":{}}}}' }),
    ];
    expect(named(json)).toEqual(['GET /y']);
    expect(found(json)).toEqual(['invalid_field a.json:1']);
    const old = read('swagger: "2.0"\nbasePath: 5\npaths: {/y: {get: {}}}');
    expect(named(old)).toEqual(['GET /y']);
    expect(found(old)).toEqual(['invalid_field api.yaml:2']);
  });
});

test('callbacks are told once for each file, with their number [PQRS-14]', () => {
  const one = 'get: {callbacks: {a: {x: {post: {}}}, b: {$ref: "#/C"}, x-c: 1}}';
  const text = paths(`  /a: {put: {callbacks: {}}}\n  /b: {$ref: "#/P"}\n  /c: {$ref: "#/P"}\n`);
  const { findings, statuses, routes } = readSet({
    'api.yaml': `${text}  /d:\n    post: {callbacks: 5}\n  /e: {$ref: p.yaml}\nP:\n  ${one}\n  put: {callbacks: {c: {}}}`,
    'p.yaml': 'get: {callbacks: {a: {}}}',
  });
  expect(
    findings.map(({ code, path, line, detail }) => `${code} ${path} ${line} ${detail}`),
  ).toEqual([
    'invalid_field api.yaml 7 `callbacks` of POST /d is no map.',
    'callbacks_left_out api.yaml 10 3 callbacks are left out: callbacks are no routes of the service itself.',
    'callbacks_left_out p.yaml 1 One callback is left out: callbacks are no routes of the service itself.',
  ]);
  expect(statuses.get('p.yaml')).toBe('parsed');
  expect(routes).toHaveLength(7);
});

test.each([
  ['"current_version":"1","versions":{}', 'unread_needs a.json:2'],
  ['"current_version":"1","needs":{}', 'unread_needs a.json:2'],
])('needs in an API document are told: %s [PQRS-14]', (more, finding) => {
  const result = readSet({ 'a.json': `{"openapi":"3.0.0","paths":{"/a":{"get":{}}},\n${more}}` });
  expect(found(result)).toEqual([finding]);
  expect(result.statuses.get('a.json')).toBe('partial');
});

test('a file of two YAML documents is told in words of its own [PQRS-14]', () => {
  const { findings } = read('openapi: 3.0.0\npaths: {}\n---\na: 1\n');
  expect(findings.map(({ code, line, detail }) => `${code} ${line} ${detail}`)).toEqual([
    'unparsed_source 3 A second YAML document begins here: only a file that holds one is read.',
  ]);
});

test.each([
  'openapi: 3.0.0\npaths: {/a: {get: {}}}\n---\n',
  '---\n---\nopenapi: 3.0.0\npaths: {/a: {get: {}}}\n',
  'openapi: 3.0.0\npaths: {/a: {get: {}}}\n---\n# none\n---\nnull\n...\n',
])('of several YAML documents the one with content is read: %j [PQRS-14]', (text) => {
  const result = read(text);
  expect(result.routes.map(({ template, line }) => [template, line])).toEqual([
    ['/a', text.startsWith('---') ? 4 : 2],
  ]);
  expect(result.findings).toEqual([]);
});

test('a newer version says what is read of it [PQRS-14]', () => {
  expect(read('openapi: 3.2.0\npaths: {/a: {query: {}}}').findings[0]?.detail).toBe(
    'Of OpenAPI 3.2.0 the routes are read as 3.2 has them; what else is newer than 3.1 is not known here.',
  );
});

describe('references [PQRS-14]', () => {
  test.each([
    ['b.yaml#/p', 'dangling_reference'],
    ['https://e.org/b.yaml', 'remote_reference'],
    ['../b.yaml', 'outside_reference'],
    ['#/paths/~1a~1%7Bid%7D', 'reference_cycle'],
  ])('what stands beside %s is kept', (ref, code) => {
    const result = read(
      paths(`  /a/{id}:\n    $ref: "${ref}"\n    get: {x-story: US-1}\n    psot: {}\n`),
    );
    expect(named(result)).toEqual(['GET /a/{id}']);
    expect(result.routes[0]?.storyIds).toEqual(['US-1']);
    expect(found(result)).toEqual([`${code} api.yaml:4`, 'invalid_field api.yaml:6']);
  });

  test('of paths, operations and lists, with what stands beside them, and percent-encoded', () => {
    const result = readSet({
      'api/main.yaml': 'openapi: 3.0.0\npaths:\n  $ref: ../parts/all%20paths.yml#/paths\n',
      'parts/all paths.yml':
        'paths:\n  /a/{id}:\n    $ref: "#/shared/a~1b"\n    put: {}\n' +
        'shared:\n  a/b:\n    get: {$ref: "ops.json#/list/1"}\n    put: {summary: not this}\n',
      'parts/ops.json':
        '{"list": [{}, {"summary": "Gets", "parameters": {"$ref": "#/ps"}}],\n"ps": []}',
    });
    expect(
      result.routes.map(({ method, summary, path, line }) => [method, summary, path, line]),
    ).toEqual([
      ['PUT', '', 'parts/all paths.yml', 4],
      ['GET', 'Gets', 'parts/ops.json', 1],
    ]);
    expect(
      result.findings.map(({ code, path, line, detail }) => [code, path, line, detail]),
    ).toEqual([
      [
        ...['duplicate_field', 'parts/all paths.yml', 8],
        '`put` is not read here: /a/{id}, which refers to it, has one of its own.',
      ],
    ]);
  });

  test('a part that cannot be read is told of at both ends', () => {
    const result = readSet({
      'a.yaml': paths('  /a:\n    $ref: b.json'),
      'b.json': '{"get": \n{,}',
      'c.json': '{',
    });
    expect(found(result)).toEqual(['dangling_reference a.yaml:4', 'unparsed_source b.json:2']);
    expect([...result.statuses.keys()]).toEqual(['a.yaml', 'b.json']);
  });

  test('a part that was sent as a document is none by itself', () => {
    const files = filesOf({ 'a.yaml': paths('  /a:\n    $ref: b.yaml'), 'b.yaml': 'get: {}' });
    const result = readOpenapi(files);
    expect(named(result)).toEqual(['GET /a']);
    expect(result.findings).toEqual([]);
  });
});

describe('YAML', () => {
  test('aliases and merges are followed, the last anchor of a name counts', () => {
    const text =
      'x-a: &p {get: {summary: first}}\nx-b: &p {get: {summary: second}}\n' +
      'x-c: &c {put: {}}\nopenapi: 3.0.0\npaths:\n  /a: *p\n  /b: {<<: [*p, *c], put: {summary: own}}\n';
    expect(
      read(text).routes.map(({ method, template, summary }) => [method, template, summary]),
    ).toEqual([
      ['GET', '/a', 'second'],
      ['GET', '/b', 'second'],
      ['PUT', '/b', 'own'],
    ]);
  });

  test('a map that is merged into itself', () => {
    const result = read(paths('  /a:\n    get: {}\n  <<: *b\n'));
    expect(found(result)).toEqual(['dangling_reference api.yaml:5']);
    const own = read('openapi: 3.0.0\npaths: &p\n  <<: *p\n  /a: &a {<<: *a, get: {}}\n');
    expect(named(own)).toEqual(['GET /a']);
  });
});

test.each([
  ['[US-3] Users', ['US-3']],
  ['US-3', ['US-3']],
  ['@US-3', ['US-3']],
  ['stories12', []],
  ['Users', []],
  ['RFC-9110', []],
  ['(@REQ_7)', ['REQ_7']],
])('ids of the tag %s', (tag, ids) => {
  expect(idsOfTag(tag)).toEqual(ids);
});

test.each([
  ['Lists [US-3, US-4] by @req-5.', ['US-3', 'US-4', 'req-5']],
  ['US-1: Lists', ['US-1']],
  ['Mails to me@US-3 [x]', []],
  [`Lists @US-${'1'.repeat(198)}`, []],
])('ids of the summary %s', (summary, ids) => {
  expect(markedIds(summary)).toEqual(ids);
});

describe('what is not kept [PQRS-14]', () => {
  const told = (texts: Record<string, string>) => {
    const [first, ...others] = filesOf(texts);
    return readOpenapi(first ? [first] : [], others).findings.map(
      ({ code, severity, path, line, detail }) => `${code} ${severity} ${path} ${line} ${detail}`,
    );
  };

  test('of a document is told in one finding a file, by its names', () => {
    const text = [
      ...['openapi: 3.1.0', 'info: {title: t}', 'security: null', 'x-a: ""', 'tags: [{name: t}]'],
      'servers: [{url: "/{v}", description: d, variables: {v: {default: v1, enum: [v1]}}}]',
      ...['paths:', '  x-b: 1', '  /a:', '    summary: s', '    x-c: 1', '    x-story: US-1'],
      ...['    get:', '      description: d', '      responses: {200: {description: no}}'],
      '      parameters: [{name: a, in: query, required: true, schema: {type: [string, number], maximum: 1}}]',
      ...['    put: {$ref: "p.yaml", summary: s, x-story: US-2}', '    post: {description: d}'],
    ].join('\n');
    const rest = 'Routes are kept with what they refer to; this is not:';
    expect(told({ 'a.yaml': text, 'p.yaml': '# c\ndeprecated: true\n' })).toEqual([
      `unread_details info a.yaml 2 ${rest} info of the document, tags of the document, description of servers, ` +
        'enum of variables of servers, x-b of the paths, summary of paths, x-c of paths, ' +
        'description of operations, responses of operations, required of parameters, ' +
        'maximum of schemas of parameters, type of parameters beside the first, ' +
        'summary of references, x-story of references.',
      `unread_details info p.yaml 2 ${rest} deprecated of operations.`,
    ]);
  });

  test('of a document of 2.0 is told, and what is no field of the version', () => {
    expect(
      told({
        'a.yaml': 'swagger: "2.0"\nhost: h\nservers: []\npaths: {/a: {get: {consumes: [a]}}}',
      }),
    ).toEqual([
      'unread_details info a.yaml 2 Routes are kept with what they refer to; this is not: ' +
        'host of the document, servers of the document, consumes of operations.',
    ]);
  });

  test('is told by its number where there are many names', () => {
    const many = Array.from({ length: 120_000 }, (_, at) => `x-${at}: 1\n`).join('');
    const [detail, ...others] = told({ 'a.yaml': `openapi: 3.0.0\n${many}paths: {/a: {get: {}}}` });
    expect(detail).toEndWith(', x-49 of the document, and 119950 more.');
    expect(others).toEqual([]);
  });

  const long = 'w'.repeat(2001);
  const list = (count: number, make: (at: number) => string) =>
    `[${Array.from({ length: count }, (_, at) => make(at)).join(', ')}]`;
  test.each([
    [
      `summary: ${long} US-7`,
      '`summary` of GET /a is longer than 2000 characters: the rest is not kept.',
    ],
    [
      `operationId: ${long}`,
      '`operationId` of GET /a is longer than 2000 characters: the rest is not kept.',
    ],
    [`tags: [a, ${long}]`, 'A tag of GET /a is longer than 2000 characters: the rest is not kept.'],
    [`tags: ${list(101, (at) => `t${at}`)}`, 'GET /a has 101 tags: the first 100 are read.'],
    [`x-story: ${list(1001, () => 'US-1')}`, 'x-story has 1001 values: the first 1000 are read.'],
    [
      `parameters: [{name: ${long}, in: query}]`,
      'The name of parameter 1 of GET /a is longer than 2000 characters: the rest is not kept.',
    ],
    [
      `parameters: [{name: a, in: query, schema: {type: ${long}}}]`,
      'The type of parameter 1 of GET /a is longer than 2000 characters: the rest is not kept.',
    ],
    [
      `parameters: ${list(301, (at) => `{name: n${at}, in: query}`)}`,
      'GET /a has more than 300 parameters: the first ones are kept.',
    ],
  ])('of a text or a list that is too long is told: %#', (member, detail) => {
    expect(told({ 'a.yaml': paths(`  /a: {get: {${member}}}`) })).toEqual([
      `too_much warning a.yaml 3 ${detail}`,
    ]);
  });

  test('of parameters of a path and an operation together is told', () => {
    const params = (prefix: string) => list(200, (at) => `{name: ${prefix}${at}, in: query}`);
    const text = paths(`  /a: {parameters: ${params('a')}, get: {parameters: ${params('b')}}}`);
    const more = 'GET /a has more than 300 parameters: the first ones are kept.';
    expect(told({ 'a.yaml': text })).toEqual([`too_much warning a.yaml 3 ${more}`]);
  });

  test('of a text is no id of an item: the ids behind its end are read', () => {
    const members = `{summary: "${long} [US-7]", tags: ["${long} [US-8]"]}`;
    const { routes } = read(paths(`  /a: {get: ${members}}`));
    expect(routes[0]?.storyIds).toEqual(['US-8', 'US-7']);
    expect(routes[0]?.summary).toBe('w'.repeat(2000));
  });

  test.each([
    [
      'servers',
      `[{url: "/${'x'.repeat(2001)}"}]`,
      'A server of the document whose `url` is too long is not read.',
    ],
    [
      'servers',
      `[{url: "/{a}{a}{a}{a}{a}{a}", variables: {a: {default: ${long}}}}]`,
      'A server of the document whose `url` is too long is not read.',
    ],
    [
      'basePath',
      `/${'x'.repeat(2001)}`,
      '`basePath` is longer than 2000 characters, and is not read.',
    ],
  ])('of an address is none of it: %s (%#)', (key, value, detail) => {
    const version = key === 'servers' ? 'openapi: 3.0.0' : 'swagger: "2.0"';
    const text = `${version}\n${key}: ${value}\npaths: {/a: {get: {}}}`;
    expect(told({ 'a.yaml': text })).toEqual([`invalid_field warning a.yaml 2 ${detail}`]);
    expect(named(read(text))).toEqual(['GET /a']);
  });

  test('of an address with a default of megabytes takes no memory', () => {
    const text = `openapi: 3.0.0\nservers: [{url: "/${'{a}'.repeat(3000)}", variables: {a: {default: ${'x'.repeat(2_000_000)}}}}]\npaths: {/a: {get: {}}}`;
    expect(found(read(text))).toEqual(['invalid_field api.yaml:2']);
  });

  test.each([
    [
      'parameters: [{name: a, in: quary}]',
      'invalid_field warning a.yaml 3 The parameter 1 of GET /a goes to no place of parameters: quary',
    ],
    [
      'x-story: "US-1, and the login"',
      'invalid_reference warning a.yaml 3 This of a value of x-story names no item: and the login',
    ],
  ])('of %s is told', (member, finding) => {
    expect(told({ 'a.yaml': paths(`  /a: {get: {${member}}}`) })).toEqual([finding]);
  });

  test('of a parameter that stands twice is told, and of one that is another for the operation is not', () => {
    const param = (type: string) => `{name: a, in: query, schema: {type: ${type}}}`;
    const text = paths(
      `  /a: {parameters: [${param('string')}], get: {parameters: [${param('number')}, ${param('integer')}]}}`,
    );
    expect(told({ 'a.yaml': text })).toEqual([
      'duplicate_field warning a.yaml 3 The parameter 2 of GET /a, a in query, stands before in the list: the last one holds.',
    ]);
    expect(read(text).routes[0]?.params).toEqual([{ name: 'a', in: 'query', type: 'integer' }]);
  });

  test('of servers is the host, and those of a path for operations that have their own', () => {
    const text = paths(
      '  /a:\n    servers: [{url: //h/p}]\n    get: {servers: [{url: /g}]}\n    put: {}\n',
    );
    expect(told({ 'a.yaml': text })).toEqual([
      'unread_details info a.yaml 4 Routes are kept with what they refer to; this is not: ' +
        'servers of paths for operations with their own, host of servers.',
    ]);
    expect(named(read(text))).toEqual(['GET /g/a', 'PUT /p/a']);
  });

  test('of a file that is referred to is all that nothing refers to', () => {
    const part = 'x: {get: {}}\ny: {get: {}}\nmore:\n  a: {get: {}}\n  b: {put: {}}\nnone: null\n';
    const text = paths(
      '  /a: {$ref: "p.yaml#/x"}\n  /b: {$ref: "p.yaml#/more/a"}\n  /c: {$ref: "q.yaml"}\n',
    );
    expect(told({ 'a.yaml': text, 'p.yaml': part, 'q.yaml': 'put: {}\n' })).toEqual([
      'unread_details info p.yaml 2 Routes are kept with what they refer to; this is not: ' +
        'y of the file, to which nothing refers, b of more, to which nothing refers.',
    ]);
  });

  test('of servers of a path is what stands beside a reference to it', () => {
    const part = 'servers: [{url: /q}]\nget: {}\n';
    const text = paths('  /a:\n    $ref: p.yaml\n    servers: [{url: /p}]\n');
    expect(told({ 'a.yaml': text, 'p.yaml': part })).toEqual([
      'duplicate_field warning p.yaml 1 `servers` is not read here: /a, which refers to it, has one of its own.',
    ]);
  });

  test('of tags are ids that stand together, which link nothing', () => {
    const text = paths('  /a: {get: {tags: ["US-1,US-2", "story:US-3", "a, b"]}}');
    expect(told({ 'a.yaml': text })).toEqual([
      'invalid_reference warning a.yaml 3 The tag US-1,US-2 of GET /a links nothing: ids need a tag each.',
    ]);
    expect(read(text).routes[0]?.storyIds).toEqual(['US-3']);
  });

  test('of a chain of references is what lies beyond the most that are followed', () => {
    const part = Array.from({ length: 40 }, (_, at) => `P${at}: {$ref: "#/P${at + 1}"}\n`).join('');
    const text = `${paths('  /a: {$ref: "#/P0"}\n')}${part}P40: {get: {}}`;
    expect(read(text).findings).toMatchObject([
      {
        ...{ code: 'too_much', line: 35 },
        detail:
          'The reference #/P32 is not followed: more than 32 lead to it, one after the other.',
      },
    ]);
  });

  test('of paths that are none is told: beside a reference, and without operations', () => {
    const text =
      'openapi: 3.0.0\npaths:\n  $ref: "#/x"\n  /a: {get: {}}\nx:\n  /b: {x-story: US-1}\n  /c: {}\n';
    expect(told({ 'a.yaml': text })).toEqual([
      'unread_details info a.yaml 4 Routes are kept with what they refer to; this is not: ' +
        'x of the document, /a of references, /b of the paths without operations, /c of the paths without operations.',
    ]);
  });

  test('of YAML is the tag of a value told', () => {
    const text = paths('  /a:\n    get: {summary: !a/b text, tags: !x [t], x-story: !!str 7}');
    expect(told({ 'a.yaml': text })).toEqual([
      ...['!a/b', '!x'].map((tag) => `unknown_tag info a.yaml 4 The tag ${tag} is ignored.`),
    ]);
    expect(read(text).routes).toMatchObject([{ summary: 'text', tags: ['t'] }]);
  });

  test('of a path is its query told, also that of a template', () => {
    const text = paths('  "/search{?q,page}": {get: {}}\n  /a?b=1: {get: {}}\n');
    const says = (path: string, read: string) =>
      `A path starts with / and has neither ? nor #: ${path} does not. It is read as ${read}.`;
    expect(told({ 'a.yaml': text })).toEqual([
      `invalid_path warning a.yaml 3 ${says('/search{?q,page}', '/search')}`,
      `invalid_path warning a.yaml 4 ${says('/a?b=1', '/a')}`,
    ]);
    expect(named(read(text))).toEqual(['GET /search', 'GET /a']);
  });

  test('of a path that is too long is told', () => {
    const [finding] = told({ 'a.yaml': paths(`  ? /${'a'.repeat(2000)}\n  : {get: {}}`) });
    expect(finding).toEndWith('aaa is longer than 2000 characters, and is not read.');
  });
});

test('an operationId that is a number keeps its digits [PQRS-14]', () => {
  const text = '{"openapi":"3.0.0","paths":{"/a":{"get":{"operationId":12345678901234567890}}}}';
  expect(readSet({ 'a.json': text }).routes[0]?.operationId).toBe('12345678901234567890');
});

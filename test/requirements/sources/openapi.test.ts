// Reading API documents: versions, prefixes, parameters, references, ids of stories, and what is odd.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { referredFrom } from '../../../src/requirements/sources/openapi/library.ts';
import { readOpenapi } from '../../../src/requirements/sources/openapi/reader.ts';
import { readSources } from '../../support/read-sources.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const FIXTURES = join(import.meta.dir, '..', '..', 'fixtures');
const DOCUMENTS = ['pets.json', 'shop.yaml'];

/** What is read of the first file; without what it says that is no route, which has a test of its own. */
function readSet(texts: Record<string, string>) {
  const [first, ...others] = filesOf(texts);
  const result = readOpenapi(first ? [first] : [], others);
  return {
    ...result,
    findings: result.findings.filter(
      ({ code, severity }) => code !== 'not_kept' || severity !== 'info',
    ),
  };
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

  test('what is not kept, and how each file fared', () => {
    expect(found(result)).toEqual([
      ...['not_kept paths/order.yaml:2', 'not_kept pets.json:3', 'not_kept shop.yaml:2'],
    ]);
    expect([...result.statuses]).toEqual([
      ['paths/order.yaml', 'parsed'],
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
        ['common.json', null, 'ignored', 0],
        ['notes.yaml', null, 'ignored', 0],
        ['paths/order.yaml', null, 'parsed', 2],
        ['pets.json', 'openapi', 'parsed', 1],
        ['shop.yaml', 'openapi', 'parsed', 4],
      ],
    );
    // No requirement came with it: what the routes declare to be theirs is in no source.
    expect(found({ findings })).toEqual([
      ...['dangling_reference pets.json:8', 'dangling_reference pets.json:8'],
      'dangling_reference shop.yaml:16',
      ...Array.from({ length: 3 }, () => 'dangling_reference shop.yaml:22'),
      ...['unknown_format common.json:0', 'unknown_format notes.yaml:0'],
      ...['not_kept paths/order.yaml:2', 'not_kept pets.json:3', 'not_kept shop.yaml:2'],
    ]);
  });
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
  ['openapi: 3.0.1\npaths: {/: {trace: {}}, x-a: {get: {}}}', ['TRACE /']],
])('the document %s', (text, expected) => {
  const result = read(text);
  expect(named(result)).toEqual(expected);
  expect(result.findings).toEqual([]);
});

test.each<[string, string[], string]>([
  ['openapi: 4.0.0\npaths: {}', ['unparsed_source 1'], 'failed'],
  ['swagger: "1.2"\npaths: {}', ['unparsed_source 1'], 'failed'],
  ['info: {}\n', ['unparsed_source 1'], 'failed'],
  ['- a\n', ['unparsed_source 1'], 'failed'],
  ['openapi: 3.0.0\npaths: {"a": [}\n', ['unparsed_source 2'], 'failed'],
  ['openapi: 3.0.0\npaths: {}\n---\na: 1\n', ['unparsed_source 3'], 'failed'],
  [paths('  /a: *no'), ['unparsed_source 3'], 'failed'],
  [paths('  /a: &p {<<: *p}'), ['unparsed_source 3'], 'failed'],
  ['openapi: 3.1.0\ninfo: {}', ['empty_document 1'], 'parsed'],
  ['openapi: 3.1.0\npaths: {}', ['empty_document 1'], 'parsed'],
  ['openapi: 3.1.0\npaths: [a]', ['not_kept 2'], 'partial'],
  [paths('  /a b: {get: {}}'), ['not_kept 3'], 'partial'],
  [paths(`  ? /${'a'.repeat(2000)}\n  : {get: {}}`), ['not_kept 3'], 'partial'],
  [paths('  /a: [get]'), ['not_kept 3'], 'partial'],
  [paths('  /a:\n    get: none'), ['not_kept 4'], 'partial'],
  [paths('  /a: {get: {}}\n  /b: {}\n  /a: {put: {}}'), ['not_kept 5'], 'partial'],
  [paths('  /a: {get: {}, PUT: {}, psot: {}}'), ['not_kept 3', 'not_kept 3'], 'partial'],
  [paths('  /a: {query: {}}'), ['not_kept 3'], 'partial'],
  [paths('  /a: {x-story: US-1}'), ['not_kept 3'], 'partial'],
  [paths('  /a: {get: {x-story: [a b, {}]}}'), ['not_kept 3'], 'partial'],
  [paths('  /a: {get: {x-story: "US-1, and the login"}}'), ['not_kept 3'], 'partial'],
  ['openapi: 3.0.0\npaths: {$ref: x.yaml}', ['missing_file 2'], 'partial'],
  [paths('  /a:\n    $ref: b.yaml'), ['missing_file 4'], 'partial'],
  [paths('  /a:\n    $ref: ../b.yaml'), ['missing_file 4'], 'partial'],
  [paths('  /a:\n    $ref: /etc/passwd'), ['missing_file 4'], 'partial'],
  [paths('  /a:\n    $ref: file:///etc/passwd'), ['missing_file 4'], 'partial'],
  [paths('  /a:\n    $ref: https://e.org/b.yaml'), ['missing_file 4'], 'partial'],
  [paths('  /a:\n    $ref: //e.org/b.yaml'), ['missing_file 4'], 'partial'],
  [paths('  /a:\n    $ref: "#/paths/~1b"'), ['dangling_reference 4'], 'partial'],
  [paths('  /a:\n    $ref: "#anchor"'), ['dangling_reference 4'], 'partial'],
  [paths('  /a:\n    $ref: "#/paths/~1a"'), ['reference_cycle 4'], 'partial'],
  [
    paths('  /a:\n    $ref: "#/paths/~1b"\n  /b:\n    $ref: "#/paths/~1a"'),
    ['reference_cycle 4', 'reference_cycle 6'],
    'partial',
  ],
])('finds in %j', (text, codes, status) => {
  const result = read(text);
  expect(result.findings.map(({ code, line }) => `${code} ${line}`)).toEqual(codes);
  expect(result.statuses.get('api.yaml')).toBe(status as 'parsed');
});

test('QUERY and further methods of OpenAPI 3.2 are routes, and are none before [PQRS-14]', () => {
  const body =
    'paths:\n  /a:\n    query: {operationId: q, x-story: US-1}\n    additionalOperations:\n' +
    '      COPY: {x-story: US-2}\n      POST: {}\n      "a b": {}\n  /b: {additionalOperations: []}\n';
  const newer = read(`openapi: 3.2.0\n${body}`);
  expect(newer.routes.map(({ method, line, storyIds }) => [method, line, storyIds])).toEqual([
    ['QUERY', 4, ['US-1']],
    ['COPY', 6, ['US-2']],
  ]);
  expect(found(newer)).toEqual([7, 8, 9].map((line) => `not_kept api.yaml:${line}`));
  const older = read(`openapi: 3.1.0\n${body}`);
  expect(older.routes).toEqual([]);
  expect(found(older)).toEqual([4, 5].map((line) => `not_kept api.yaml:${line}`));
});

describe('servers [PQRS-14]', () => {
  const document = (servers: string) =>
    `openapi: 3.0.0\npaths: {/a: {get: {}}}\nservers:\n${servers}`;

  test.each<[string, string, string[]]>([
    ['  url: /x', '/a', ['not_kept api.yaml:3']],
    ['  - url: 5', '/a', ['invalid_value api.yaml:4']],
    ['  - {}', '/a', ['invalid_value api.yaml:4']],
    ['  - /x', '/a', ['invalid_value api.yaml:4']],
    ['  - url: "/{v}"', '/{v}/a', ['invalid_value api.yaml:4']],
    ['  - url: "/{v}"\n    variables: {v: {default: w}}', '/w/a', []],
    ['  - url: "/{v}"\n    variables: {v: {enum: [e, f]}}', '/{v}/a', ['invalid_value api.yaml:4']],
    ['  - url: /v1\n  - url: /v2', '/v1/a', []],
    [`  - url: /${'x'.repeat(2001)}`, '/a', ['limit_exceeded api.yaml:4']],
    [
      `  - url: "/${'{a}'.repeat(3000)}"\n    variables: {a: {default: ${'x'.repeat(2_000_000)}}}`,
      '/a',
      ['limit_exceeded api.yaml:4'],
    ],
  ])('%# %.30j', (servers, template, findings) => {
    const result = read(document(servers));
    expect(named(result)).toEqual([`GET ${template}`]);
    expect(found(result)).toEqual(findings);
  });
});

describe('references [PQRS-14]', () => {
  test.each([
    ['b.yaml#/p', 'missing_file'],
    ['https://e.org/b.yaml', 'missing_file'],
    ['#/nope', 'dangling_reference'],
    ['#/paths/~1a~1%7Bid%7D', 'reference_cycle'],
  ])('what stands beside %s is kept', (ref, code) => {
    const result = read(
      paths(`  /a/{id}:\n    $ref: "${ref}"\n    get: {x-story: US-1}\n    psot: {}\n`),
    );
    expect(named(result)).toEqual(['GET /a/{id}']);
    expect(result.routes[0]?.storyIds).toEqual(['US-1']);
    expect(found(result)).toEqual([`${code} api.yaml:4`, 'not_kept api.yaml:6']);
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
    expect(found(result)).toEqual(['not_kept parts/all paths.yml:8']);
  });

  test('a part that cannot be read is reported at both ends', () => {
    const result = readSet({
      'a.yaml': paths('  /a:\n    $ref: b.json'),
      'b.json': '{"get": \n{,}',
      'c.json': '{',
    });
    expect(found(result)).toEqual(['dangling_reference a.yaml:4', 'unparsed_source b.json:2']);
    expect([...result.statuses.keys()]).toEqual(['a.yaml', 'b.json']);
  });

  test('more than 32, one after the other, are not followed', () => {
    const part = Array.from({ length: 40 }, (_, at) => `P${at}: {$ref: "#/P${at + 1}"}\n`).join('');
    const text = `${paths('  /a: {$ref: "#/P0"}\n')}${part}P40: {get: {}}`;
    expect(found(read(text))).toEqual(['limit_exceeded api.yaml:35']);
  });

  test('the files that a file refers to, without reading it', () => {
    const text =
      '{"$ref":"a.json#\\/x"}\n$ref: ../b/c.yaml # c\n$ref: \'d.yaml\'\n$ref: https://e.org/f.yaml\n$ref: "#/own"\n';
    const [file] = filesOf({ 'api/main.yaml': text });
    expect(file && referredFrom(file)).toEqual(['api/a.json', 'b/c.yaml', 'api/d.yaml']);
  });
});

describe('what is not kept [PQRS-14]', () => {
  test('of what is no route is one info a file, and the file is parsed', () => {
    const text = [
      ...['openapi: 3.1.0', 'info: {title: t}', 'security: null', 'x-a: ""', 'tags: [{name: t}]'],
      'servers: [{url: "/{v}", description: d, variables: {v: {default: v1, enum: [v1]}}}]',
      ...['webhooks: {w: {post: {}}}', 'paths:', '  x-b: 1', '  /a:', '    summary: s'],
      ...['    get:', '      responses: {200: {description: no}}', '      callbacks: {c: {}}'],
      '      parameters: [{name: a, in: query, required: true, schema: {type: [string, number], maximum: 1}}]',
      ...['    put: {$ref: "p.yaml"}', '    post: {description: d}', 'components: {a: {}}'],
    ].join('\n');
    const [first, ...others] = filesOf({
      'a.yaml': text,
      'p.yaml': '# c\ndeprecated: true\n',
    });
    const { findings, statuses } = readOpenapi(first ? [first] : [], others);
    expect(findings.map(({ code, severity, path, line }) => [code, severity, path, line])).toEqual([
      ['not_kept', 'info', 'a.yaml', 2],
      ['not_kept', 'info', 'p.yaml', 2],
    ]);
    for (const what of ['/info', '/webhooks', 'operation/responses'])
      expect(findings[0]?.detail).toContain(what);
    expect([...statuses.values()]).toEqual(['parsed', 'parsed']);
  });

  const long = 'w'.repeat(2001);
  const list = (count: number, make: (at: number) => string) =>
    `[${Array.from({ length: count }, (_, at) => make(at)).join(', ')}]`;
  test.each([
    [`summary: ${long} US-7`, 'limit_exceeded'],
    [`operationId: ${long}`, 'limit_exceeded'],
    [`x-story: ${list(1001, () => 'US-1')}`, 'not_kept'],
  ])('of a text or a list that is too long: %#', (member, code) => {
    const result = read(paths(`  /a: {get: {${member}}}`));
    expect(found(result)).toEqual([`${code} api.yaml:3`]);
    expect(result.statuses.get('api.yaml')).toBe('partial');
  });
});

test('an operationId that is a number keeps its digits [PQRS-14]', () => {
  const text = '{"openapi":"3.0.0","paths":{"/a":{"get":{"operationId":12345678901234567890}}}}';
  expect(readSet({ 'a.json': text }).routes[0]?.operationId).toBe('12345678901234567890');
});

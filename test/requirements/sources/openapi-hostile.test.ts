// API documents that are cut off, random, huge or made to exhaust: the reader ends soon, throws
// nothing, and gives each file its state.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import type { SourceFile } from '../../../src/requirements/sources/model.ts';
import { readOpenapi } from '../../../src/requirements/sources/openapi/reader.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const fixtures = filesIn(join(import.meta.dir, '..', '..', 'fixtures', 'openapi'));
const YAML = ['x.yaml', 'x.yml'];

function invariants(file: SourceFile, others: readonly SourceFile[] = []) {
  const result = readOpenapi([file], others);
  const { routes, findings, statuses } = result;
  const status = statuses.get(file.path);
  expect(['parsed', 'partial', 'failed']).toContain(String(status));
  if (status !== 'parsed') expect(findings.some(({ path }) => path === file.path)).toBe(true);
  const lines = new TextDecoder().decode(file.bytes).split(/\r\n|\n|\r/).length;
  for (const { method, template, path, line } of routes) {
    expect(method).toMatch(/^[A-Z]+$/);
    expect(template).toStartWith('/');
    expect(line).toBeGreaterThan(0);
    if (path === file.path) expect(line).toBeLessThanOrEqual(lines);
  }
  for (const { path, line } of findings) {
    if (path === file.path) expect(line).toBeLessThanOrEqual(lines);
  }
  return result;
}

test('a fixture that is cut off anywhere [PQRS-15]', () => {
  for (const { path, bytes } of fixtures) {
    for (let length = 0; length <= bytes.length; length++) {
      invariants(
        { path, bytes: bytes.subarray(0, length) },
        fixtures.filter((one) => one.path !== path),
      );
    }
  }
}, 60_000);

const WORDS = fc.constantFrom(
  ...[
    'openapi: 3.0.0\n',
    'swagger: "2.0"\n',
    'paths:\n',
    '  /a:\n',
    '  /b/{x}: ',
    'get',
    ': ',
    '{',
    '}',
    '[',
    ']',
  ],
  ...[
    '    get:\n',
    '    $ref: "#/paths/~1a"\n',
    '"$ref":',
    '"#/paths"',
    '&a ',
    '*a',
    '<<: ',
    '- ',
    '? ',
    '|\n',
    '>\n',
  ],
  ...[
    'parameters:\n',
    'servers: [{url: "{a}/"}]\n',
    'x-story: ',
    'US-1',
    '\n',
    '  ',
    '    ',
    '"',
    ',',
    '!t ',
    '---\n',
    '#',
  ],
);

test('random bytes and random words of the format', () => {
  const words = fc
    .array(WORDS, { maxLength: 50 })
    .map((all) => new TextEncoder().encode(all.join('')));
  const headed = words.map((bytes) =>
    Buffer.concat([Buffer.from('openapi: 3.0.0\npaths:\n'), bytes]),
  );
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), words, headed);
  const path = fc.constantFrom('x.json', 'x', ...YAML);
  fc.assert(
    fc.property(path, bytes, (name, one) => void invariants({ path: name, bytes: one })),
    { numRuns: 1500 },
  );
});

test('any JSON under the names of the format', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const item = fc.dictionary(
    fc.constantFrom('get', 'put', 'parameters', 'servers', '$ref', 'x-story'),
    fc.oneof(value, fc.dictionary(fc.constantFrom('tags', 'summary', 'parameters', 'name'), value)),
  );
  const paths = fc.oneof(
    value,
    fc.dictionary(
      fc.string().map((text) => `/${text}`),
      fc.oneof(value, item),
    ),
  );
  fc.assert(
    fc.property(paths, value, (given, servers) => {
      const text = JSON.stringify({ openapi: '3.1.0', servers, paths: given });
      const files = filesOf({ 'x.json': text, 'x.yaml': text });
      const [json, yaml] = files.map((file) => invariants(file).routes);
      const bare = (routes = json) => routes?.map((route) => ({ ...route, path: '' }));
      expect(bare(yaml)).toEqual(bare(json));
    }),
  );
});

test('the order in which files come changes nothing', () => {
  const documents = fixtures.filter(({ path }) => ['shop.yaml', 'pets.json'].includes(path));
  const others = fixtures.filter((file) => !documents.includes(file));
  expect(readOpenapi(documents.toReversed(), others.toReversed())).toEqual(
    readOpenapi(documents, others),
  );
});

const many = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join('');
const HEAD = 'openapi: 3.0.0\npaths:\n';

describe('what is made to exhaust [PQRS-15]', () => {
  test.each([
    ['open brackets', `${HEAD}  /a: ${'['.repeat(200_000)}`],
    ['open maps', `${HEAD}  /a: ${'{a: '.repeat(100_000)}`],
    ['nested lists', `${HEAD}  /a: ${'- '.repeat(50_000)}x`],
    [
      'nested JSON',
      `{"openapi":"3.0.0","paths":${'{"/a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    ],
    ['nested and closed', `${HEAD}  /a: {get: ${'['.repeat(3000)}${']'.repeat(3000)}}`],
    [
      'aliases of aliases',
      `x0: &x0 [a,a]\n${many(40, (at) => `x${at + 1}: &x${at + 1} [*x${at}, *x${at}]\n`)}${HEAD}  /a: {parameters: *x40, get: {tags: *x40}}`,
    ],
    [
      'merges of merges',
      `x0: &x0 {a: 1}\n${many(2000, (at) => `x${at + 1}: &x${at + 1} {<<: [*x${at}, *x${at}], k${at}: 1}\n`)}${HEAD}  /a: *x2000`,
    ],
    [
      'one path item a hundred thousand times',
      `x: &x {parameters: [${many(300, (at) => `{name: n${at}, in: query},`)}], get: {}, put: {}, post: {}}\n${HEAD}${many(20_000, (at) => `  /a${at}: *x\n`)}`,
    ],
    [
      'parameters of no name, all over',
      `x: &x {parameters: [${'{},'.repeat(300)}], get: {}, put: {}}\n${HEAD}${many(20_000, (at) => `  /a${at}: *x\n`)}`,
    ],
    [
      'a chain of references',
      `${HEAD}${many(5000, (at) => `  /a${at}: {$ref: "#/paths/~1a${at + 1}"}\n`)}`,
    ],
    [
      'references of one to all',
      `${HEAD}${many(5000, (at) => `  /a${at}: {$ref: "#/components/a"}\n`)}components: {a: {get: {}}}`,
    ],
    ['long names', `${HEAD}  ? /${'a'.repeat(500_000)}\n  : {get: {}}`],
    [
      'braces',
      `openapi: 3.0.0\nservers: [{url: "${'{'.repeat(100_000)}"}]\npaths: {"/${'{'.repeat(1500)}": {get: {summary: "${'['.repeat(100_000)}"}}}`,
    ],
    ['many keys', `${HEAD}${many(50_000, (at) => `  k${at}: 1\n`)}`],
    ['comments', '# x\n'.repeat(100_000)],
  ])(
    '%s',
    (_name, text) => {
      const path = text.startsWith('{') ? 'x.json' : 'x.yaml';
      const { statuses, routes } = invariants({ path, bytes: new TextEncoder().encode(text) });
      expect(statuses.size).toBe(1);
      expect(routes.length).toBeLessThanOrEqual(60_000);
    },
    60_000,
  );
});

test('documents of 5,000 paths, with all their routes', () => {
  const document = {
    openapi: '3.1.0',
    paths: Object.fromEntries(
      Array.from({ length: 5000 }, (_, at) => [
        `/things${at}/{id}`,
        {
          parameters: [{ $ref: '#/components/parameters/Id' }],
          get: {
            operationId: `get${at}`,
            tags: ['Things'],
            responses: { 200: { description: 'ok' } },
          },
          delete: { summary: `Takes it away [US-${at}]` },
        },
      ]),
    ),
    components: { parameters: { Id: { name: 'id', in: 'path', schema: { type: 'string' } } } },
  };
  const json = JSON.stringify(document, null, 1);

  for (const [path, text] of [
    ['x.json', json],
    ['x.yaml', json],
  ] as const) {
    const began = performance.now();
    const { routes } = readOpenapi(filesOf({ [path]: text }));
    console.log(
      `${path}: ${text.length} characters in ${Math.round(performance.now() - began)} ms`,
    );
    expect(routes.length).toBe(10_000);
    expect(routes.filter(({ storyIds }) => storyIds.length === 1).length).toBe(5000);
    expect(routes.every(({ params }) => params[0]?.type === 'string')).toBe(true);
  }
}, 60_000);

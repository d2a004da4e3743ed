// Files that are cut off, random, huge or made to exhaust: every reader ends soon, throws nothing, and
// gives each file its status.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { detectFormat } from '../../../src/requirements/sources/detect.ts';
import type {
  SourceFile,
  SourceFormat,
  SourceResult,
} from '../../../src/requirements/sources/model.ts';
import { READERS } from '../../../src/requirements/sources/readers.ts';
import { XML_LIMITS } from '../../../src/requirements/sources/tree/xml.ts';
import {
  object,
  place,
  readSmallReqif,
  reqifFile,
  reqifText,
  specification,
  value,
} from '../../support/reqif-documents.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const FIXTURES = join(import.meta.dir, '..', '..', 'fixtures');
const ROOT = 'settings: {prefix: SYS, sep: "-"}\n';
const SDOC = '[DOCUMENT]\nTITLE: D\n\n';
const OPENAPI = 'openapi: 3.0.0\npaths:\n';
const many = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join('');

interface Format {
  /** The file whose content is hostile, and those around it. */
  path: string;
  around?: Record<string, string>;
  /** What a random content begins with, and words of the format. */
  head?: string;
  words: string;
  bombs?: Record<string, string>;
  /** A text of so many items. */
  large: (count: number) => string;
}

const FORMATS: Record<SourceFormat, Format> = {
  doorstop: {
    path: 'SYS-1.yml',
    around: { '.doorstop.yml': ROOT },
    words: 'text: |links:\n|- |level: 1.0\n|reviewed: |: |&a |*a|!t |---\n|__proto__: |{|}|[|]|\n',
    bombs: {
      'aliases in themselves': 'a: &a [*a]',
      'a long text many times': `a: &a ${'x'.repeat(900_000)}\nb: [${'{a: *a},'.repeat(3000)}]`,
      'a long file': `text: ${'x'.repeat(3_000_000)}`,
    },
    large: (count) => `text: a\nlinks:\n${many(count, (at) => `- SYS-${at + 2}\n`)}`,
  },
  strictdoc: {
    path: 'x.sdoc',
    head: SDOC,
    words:
      `[REQUIREMENT]|[TEXT]|[[SECTION]]|[[/SECTION]]|[SECTION]|[/SECTION]|[GRAMMAR]|[FREETEXT]|[/FREETEXT]|[DOCUMENT_FROM_FILE]|FILE: x.sdoc|ELEMENTS:|- TAG: REQUIREMENT|  FIELDS:|  - TITLE: UID|    REQUIRED: True|UID: A|UID: B|STATEMENT: >>>|<<<|RELATIONS:|- TYPE: Parent|- TYPE: Child|  VALUE: A|OPTIONS:|  A: b|[LINK: A]|IMPORT_FROM_FILE: g.sgra`.replaceAll(
        '|',
        '\n|',
      ),
    bombs: {
      'sections in sections': `${SDOC}${'[[SECTION]]\nTITLE: a\n\n'.repeat(20_000)}`,
      'texts that do not end': `${SDOC}${'[TEXT]\nSTATEMENT: >>>\n'.repeat(20_000)}`,
      'lines that fit nowhere': `${SDOC}[TEXT]\n${'?\n'.repeat(100_000)}`,
      'relations without end': `${SDOC}[TEXT]\n${'RELATIONS:\n- TYPE: Parent\n'.repeat(20_000)}`,
      'a grammar of many fields': `${SDOC}[GRAMMAR]\nELEMENTS:\n- TAG: X\n  FIELDS:\n${many(10_000, (at) => `  - TITLE: A${at}\n    REQUIRED: True\n`)}${'[X]\n'.repeat(10_000)}`,
      'a long line': `${SDOC}[TEXT]\nSTATEMENT:${' '.repeat(500_000)}\u2028${'[LINK: '.repeat(100_000)}\n`,
      'dashes in metadata': `[DOCUMENT]\nTITLE: D\nMETADATA:\n  ${'-'.repeat(300_000)} x y\n`,
    },
    large: (count) =>
      SDOC +
      many(
        count,
        (at) =>
          `[REQUIREMENT]\nUID: R-${at}\nSTATEMENT: >>>\nThe ${at}th.\n<<<\nRELATIONS:\n- TYPE: Parent\n  VALUE: R-${at >> 1}\n\n`,
      ),
  },
  'needs-json': {
    path: 'x',
    head: '{"current_version":"1","versions":{"1":{"needs":{',
    words: '{|}|[|]|"|:|,|"needs"|"versions"|"id"|"links"|"parent_need"|"A"|\\|1|null',
    large: (count) =>
      `{"current_version":"1","versions":{"1":{"needs":{${many(count, (at) => `"N${at}":{"parent_need":"Z"},`)}"Z":{}}}}}`,
  },
  reqif: {
    path: 'x.reqif',
    words: '<|>|</|/>|"|=|<REQ-IF|SPEC-OBJECT|IDENTIFIER|<!--|-->|<![CDATA[|]]>|&|;|<?xml|x',
    bombs: {
      'elements nested too deep': reqifText({
        objects: object('o', value('XHTML', 'text', '<xhtml:b>'.repeat(100_000))),
      }),
      'very many elements in one value': reqifText({
        objects: object(
          'o',
          value('XHTML', 'text', '<xhtml:b/>'.repeat(XML_LIMITS.recordElements + 1)),
        ),
      }),
      'very many objects': reqifText({ objects: '<SPEC-OBJECT/>'.repeat(XML_LIMITS.records) }),
      'values of one attribute': reqifText({
        objects: object('o', value('STRING', 'id', 'x').repeat(20_000)),
      }),
      'objects of one IDENTIFIER': reqifText({
        objects: object('o', value('STRING', 'id', 'x')).repeat(20_000),
      }),
      'nested tables': reqifText({
        objects: object(
          'o',
          value(
            'XHTML',
            'text',
            `${'<xhtml:table><xhtml:tr><xhtml:td>x'.repeat(100)}${'y \t'.repeat(200_000)}${'</xhtml:td></xhtml:tr></xhtml:table>'.repeat(100)}`,
          ),
        ),
      }),
    },
    large: (count) =>
      reqifText({
        objects: many(count, (at) => object(`o${at}`, value('STRING', 'id', `R-${at}`))),
        specifications: specification(
          'S',
          many(count, (at) => place(`o${at}`)),
        ),
      }),
  },
  openfasttrace: {
    path: 'x',
    words: '`req~a~1`|Covers:\n|Needs: |Tags: |oft:off|oft:on|\n|# |===\n|- |Status: draft\n|x',
    large: (count) =>
      many(count, (at) => `\`req~a${at}~1\`\n\nText.\n\nCovers:\n- req~a${at >> 1}~1\n\n`),
  },
  gherkin: {
    path: 'x',
    words: 'Feature: f\n|Scenario: s\n|Given g\n|@US-1\n|| a |\n|"""\n|Examples:\n|Rule: r\n|  |\n',
    bombs: {
      tags: `Feature: x\n${'@a\n'.repeat(100_000)}`,
      'bad steps': `Feature: x\nScenario: y\n${'bad\n'.repeat(50_000)}`,
    },
    large: (count) =>
      `Feature: f\n${many(count, (at) => `@US-${at}\nScenario: s${at}\nGiven g\n`)}`,
  },
  markdown: {
    path: 'x',
    words:
      'US-1:|# |### REQ-2|- |  |\n|\n\n|```|~~~\n|<!--|-->|> |[US-3]|Status: x|Refines:|Acceptance criteria:|- [ ] |**|---\n|| id | a |\n|1. ',
    bombs: {
      'many brackets': `# US-1: ${'['.repeat(50_000)}`,
      'an entry of brackets': `- US-1: ${'['.repeat(50_000)}`,
      'many definitions': many(20_000, (at) => `[r${at}]: http://e.org\n`),
      'many rows': `| ID | Text |\n|---|---|\n${many(20_000, (at) => `| REQ-${at} | t |\n`)}`,
      'much emphasis': `- **US-1 ${'*a **b '.repeat(50_000)}`,
      'many code marks': `# US-1: t\n\n${'`a``b```c [US-2]'.repeat(50_000)}`,
      'many commas': `# US-1: t\n\nTags: a,\n${'b,\n'.repeat(50_000)}`,
      'many blanks': `# US-1: t\n\na:${' '.repeat(100_000)}x`,
      'many comments': `# US-1: t\n\nx ${'<!-- '.repeat(100_000)}[US-2]`,
      'many addresses': `# US-1: t\n\nRefines: ${'](a(b'.repeat(100_000)}`,
      'many ids': `# US-1: t\n\nRefines: US-2, a${'-'.repeat(500_000)}1_`,
    },
    large: (count) => many(count, (at) => `## US-${at}: T\n\nText.\n\nRefines: US-${at >> 1}\n\n`),
  },
  'srs-json': {
    path: 'x',
    head: '{"format":"pqrs-srs","version":1,"nodes":[',
    words: '{|}|[|]|"|:|,|"nodes"|"edges"|"id"|"kind"|"story"|"A"|\\|1|null',
    large: (count) =>
      `{"format":"pqrs-srs","version":1,"edges":[],"nodes":[${many(count, (at) => `{"id":"N${at}","kind":"story","title":"t"},`)}{"id":"Z","kind":"story","title":"t"}]}`,
  },
  openapi: {
    path: 'x.yaml',
    head: OPENAPI,
    words:
      'swagger: "2.0"\n|paths:\n|  /a:\n|  /b/{x}: |get|: |{|}|[|]|    get:\n|    $ref: "#/paths/~1a"\n|&a |*a|<<: |- |? |parameters:\n|servers: [{url: "{a}/"}]\n|x-story: |US-1|\n|  |"|,|!t |---\n|#',
    bombs: {
      'aliases of aliases': `x0: &x0 [a,a]\n${many(40, (at) => `x${at + 1}: &x${at + 1} [*x${at}, *x${at}]\n`)}${OPENAPI}  /a: {parameters: *x40, get: {tags: *x40}}`,
      'merges of merges': `x0: &x0 {a: 1}\n${many(2000, (at) => `x${at + 1}: &x${at + 1} {<<: [*x${at}, *x${at}], k${at}: 1}\n`)}${OPENAPI}  /a: *x2000`,
      'one path item many times': `x: &x {parameters: [${many(300, (at) => `{name: n${at}, in: query},`)}], get: {}, put: {}, post: {}}\n${OPENAPI}${many(20_000, (at) => `  /a${at}: *x\n`)}`,
      'parameters of no name': `x: &x {parameters: [${'{},'.repeat(300)}], get: {}}\n${OPENAPI}${many(20_000, (at) => `  /a${at}: *x\n`)}`,
      'a chain of references': `${OPENAPI}${many(5000, (at) => `  /a${at}: {$ref: "#/paths/~1a${at + 1}"}\n`)}`,
      braces: `openapi: 3.0.0\nservers: [{url: "${'{'.repeat(100_000)}"}]\npaths: {"/${'{'.repeat(1500)}": {get: {summary: "${'['.repeat(100_000)}"}}}`,
      'many keys': `${OPENAPI}${many(50_000, (at) => `  k${at}: 1\n`)}`,
    },
    large: (count) =>
      OPENAPI + many(count, (at) => `  /things${at}/{id}: {get: {summary: "[US-${at}]"}}\n`),
  },
};

/** Common to all that read lines, lists or maps. */
const BOMBS: Record<string, string> = {
  'open brackets': '['.repeat(200_000),
  'open objects': '{"a":'.repeat(100_000),
  'one long line': `# ${'a '.repeat(300_000)}`,
  spaces: `# ${' '.repeat(300_000)}x`,
  hashes: '#'.repeat(300_000),
  stars: '*a **b '.repeat(50_000),
  backticks: '`a``b```c'.repeat(50_000),
  quotes: `${'> '.repeat(20_000)}x\n${'\n'.repeat(20_000)}`,
  'lists in lists': `${'- '.repeat(20_000)}x\n${'\n'.repeat(20_000)}`,
  'indented lists': many(600, (at) => `${'  '.repeat(at)}- US-${at}: x\n`),
  'an open comment': `<!--${'x\n'.repeat(100_000)}`,
  'an open fence': `\`\`\`\n${'# US-1: x\n\n'.repeat(50_000)}`,
  'blank lines': '\n'.repeat(500_000),
  html: '<div>\n'.repeat(50_000),
  aliases: `---\na0: &a0 [x,x]\n${many(20, (at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]\n`)}---\n`,
  'brackets in front matter': `---\na: ${'['.repeat(50_000)}\n---\n`,
  references: '[US-1]'.repeat(50_000),
  ids: `US-${'1-'.repeat(100_000)}`,
  tildes: `req~${'a.'.repeat(100_000)}~1`,
  'status lines': `### US-1: x\n${'Status: a\n'.repeat(50_000)}`,
};

describe.each(Object.entries(FORMATS))('%s [PQRS-15]', (name, format) => {
  const read = READERS[name as SourceFormat];
  const isDocument = ({ path }: SourceFile) =>
    name !== 'openapi' || /^(?:shop\.yaml|pets\.json)$/.test(path);
  const readAll = (files: readonly SourceFile[]) =>
    read(
      files.filter(isDocument),
      files.filter((file) => !isDocument(file)),
    );
  const fixtures = filesIn(join(FIXTURES, name));
  const encode = (text: string) => new TextEncoder().encode(text);
  const around = filesOf(format.around ?? {});
  const readOne = (bytes: Uint8Array) => {
    const files = [...around, { path: format.path, bytes }];
    return check(read(files), files);
  };

  test('a fixture that is cut off anywhere', () => {
    for (const file of fixtures) {
      const step = file.bytes.length > 4000 ? 13 : 1;
      for (let end = 0; end < file.bytes.length; end += step) {
        const cut = { path: file.path, bytes: file.bytes.slice(0, end) };
        const files = fixtures.map((other) => (other === file ? cut : other));
        check(readAll(files), files);
      }
    }
  }, 60_000);

  test('random bytes, and random words of the format', () => {
    const word = fc.constantFrom(...format.words.split('|'));
    const words = fc.array(word, { maxLength: 50 }).map((all) => all.join(''));
    const headed = words.map((text) => `${format.head ?? ''}${text}`);
    const texts = fc.oneof(words, headed).map(encode);
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), texts), (one) => void readOne(one)),
      { numRuns: 600 },
    );
  }, 60_000);

  test('the order in which files come changes nothing', () => {
    expect(readAll(fixtures.toReversed())).toEqual(readAll(fixtures));
  });

  test.each(Object.entries({ ...BOMBS, ...format.bombs }))(
    '%s',
    (_, text) => {
      const { findings } = readOne(encode(text));
      expect(findings.length).toBeLessThan(1000);
    },
    60_000,
  );

  test('10,000 items', () => {
    const count = 10_000;
    const { items, routes, scenarios, links, statuses } = readOne(encode(format.large(count)));
    expect(statuses.get(format.path)).toBe('parsed');
    const read = [items, routes, scenarios, links].map(({ length }) => length);
    expect(Math.max(...read)).toBeGreaterThanOrEqual(count - 1);
  }, 60_000);
});

const UNREAD = new Set<string>(['partial', 'failed']);
const STATUSES = new Set<string>(['parsed', 'ignored', ...UNREAD]);

/** What holds of whatever is read of some files. */
function check(result: SourceResult, files: readonly SourceFile[]): SourceResult {
  const { items, findings, routes, links, statuses } = result;
  const lines = new Map(
    files.map(({ path, bytes }) => [
      path,
      new TextDecoder().decode(bytes).split(/\r\n?|\n/).length,
    ]),
  );
  const named = new Set(findings.map(({ path }) => path));
  const ids = new Set(items.map(({ id }) => id));
  // One look at what is wrong: a million calls of expect would take longer than the readers.
  const wrong = [
    ...[...statuses].filter(([, status]) => !STATUSES.has(status)),
    ...[...statuses].filter(([path, status]) => UNREAD.has(status) && !named.has(path)),
    ...[items, findings, links, routes]
      .flatMap((all: readonly { path: string; line: number }[]) => all)
      .filter(({ path, line }) => line > (lines.get(path) ?? Number.POSITIVE_INFINITY)),
    ...items.filter(({ id, parentId }) => id === '' || (parentId !== null && !ids.has(parentId))),
    ...routes.filter(
      ({ method, template }) => !/^[A-Z]+$/.test(method) || !template.startsWith('/'),
    ),
  ];
  expect(wrong).toEqual([]);
  return result;
}

test('any JSON under the names of OpenAPI is read alike as JSON and as YAML', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const names = fc.constantFrom('get', 'put', 'parameters', 'servers', '$ref', 'x-story');
  const fields = fc.constantFrom('tags', 'summary', 'parameters', 'name');
  const item = fc.dictionary(names, fc.oneof(json, fc.dictionary(fields, json)));
  const path = fc.string().map((text) => `/${text}`);
  fc.assert(
    fc.property(fc.dictionary(path, fc.oneof(json, item)), json, (paths, servers) => {
      const text = JSON.stringify({ openapi: '3.1.0', servers, paths });
      const [one, other] = filesOf({ 'x.json': text, 'x.yaml': text }).map((file) =>
        READERS.openapi([file]).routes.map((route) => ({ ...route, path: '' })),
      );
      expect(other).toEqual(one as never);
    }),
  );
});

describe('XML [PQRS-15]', () => {
  test('a document that is cut off fails at the line where it ends', () => {
    const text = '<xhtml:p>&lt;ü<![CDATA[x]]><!-- y --></xhtml:p>';
    const objects = object('ö', value('XHTML', 'text', text));
    const [file] = reqifFile({ objects, specifications: specification('S', place('ö')) });
    const bytes = file?.bytes ?? new Uint8Array();
    for (let end = 0; end < bytes.lastIndexOf(0x3e); end += 1) {
      const cut = bytes.subarray(0, end);
      const { items, findings } = readSmallReqif([{ path: 'a.reqif', bytes: cut }]);
      const line = cut.filter((byte) => byte === 0x0a).length + 1;
      expect(items).toEqual([]);
      expect(findings).toMatchObject([{ code: 'unparsed_source', line }]);
    }
  });

  test('a hierarchy as deep as may be is read', () => {
    const levels = Math.floor((XML_LIMITS.depth - 8) / 2);
    const objects = many(levels, (at) => object(`o${at}`));
    let nested = place(`o${levels - 1}`);
    for (let at = levels - 2; at >= 0; at -= 1) nested = place(`o${at}`, nested);
    const specifications = specification('S', nested);
    const { items, findings } = readSmallReqif(reqifFile({ objects, specifications }));
    expect(findings).toEqual([]);
    expect(items.at(-1)?.parentId).toBe(`o${levels - 2}`);
  });

  test('entities are not expanded', () => {
    const entities = many(10, (at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`);
    const prolog = `<?xml version="1.0"?><!DOCTYPE REQ-IF [<!ENTITY e0 "x">${entities}]>`;
    const objects = object('o', value('XHTML', 'text', '&e10;'));
    expect(readSmallReqif(reqifFile({ prolog, objects })).items[0]?.statement).toBe('&e10;');
  });
});

test('finding the format never throws [PQRS-15]', () => {
  const path = fc.constantFrom('a.json', 'a.md', 'a.yml', 'a.xml', 'a', 'a.txt', '.doorstop.yml');
  fc.assert(
    fc.property(path, fc.uint8Array({ maxLength: 200 }), (name, bytes) => {
      const format = detectFormat({ path: name, bytes });
      expect(format === null || typeof format === 'string').toBe(true);
    }),
  );
  expect(filesOf({ 'a.json': '{"a":'.repeat(100_000) }).map(detectFormat)).toEqual([null]);
});

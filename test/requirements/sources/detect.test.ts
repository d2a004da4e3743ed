// Telling formats apart by path and content.
import { expect, test } from 'bun:test';
import { detectFormat } from '../../../src/requirements/sources/detect.ts';
import { sharedData } from '../../support/shared-data.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const ITEM = 'active: true\nderived: false\nheader: ""\nlevel: 1.0\nlinks: []\n';

test.each([
  ['reqs/.doorstop.yml', 'settings: {}', 'doorstop'],
  ['reqs/.doorstop.skip', '', 'doorstop'],
  ['REQ001.yml', ITEM, 'doorstop'],
  ['REQ001.yml', 'level: 1\nreviewed: null\n', 'doorstop'],
  ['REQ001.md', `---\n${ITEM}---\n# Title\n`, 'doorstop'],
  ['a.yml', 'links: []\n', null],
  ['a.yaml', '# api\nopenapi: 3.1.0\ninfo: {}\n', 'openapi'],
  ['a.yml', '"swagger": "2.0"\n', 'openapi'],
  ['a.yml', 'x:\n  openapi: 1\n', null],
  ['a.yaml', '{openapi: 3.0.0, paths: {}}', 'openapi'],
  ['a.yaml', '# api\n---\n{ x: 1,\n  "swagger" : "2.0" }', 'openapi'],
  ['a.yaml', '{x: {openapi: 3.0.0}}', null],
  ['a.yaml', '{noopenapi: 3.0.0}', null],
  ['a.yaml', `${'#'.repeat(60_000)}`, null],
  ['a.yaml', '{openapi'.repeat(8000), null],
  ['api.json', '{"openapi":"3.1.0"}', 'openapi'],
  ['api.json', '{"swagger":"2.0"}', 'openapi'],
  ['a.json', '{"x":{"openapi":"3.1.0"}}', null],
  ['a.json', '{"format":"pqrs-srs","version":1}', 'srs-json'],
  ['a.json', '{ "version": 1, "format" : "pqrs-srs" ', 'srs-json'],
  ['needs.json', '{"current_version":"1","versions":{}}', 'needs-json'],
  ['a.json', '{"needs":{},"current_version":"1"}', 'needs-json'],
  ['package.json', '{"name":"x"}', null],
  ['a.json', 'no json', null],
  ['a.sdoc', '', 'strictdoc'],
  ['a.sgra', '', 'strictdoc'],
  ['a', '[DOCUMENT]\nTITLE: x\n', 'strictdoc'],
  ['A.REQIF', '', 'reqif'],
  ['a.reqifz', 'PK', 'reqif'],
  ['a.xml', '<?xml version="1.0"?>\n<REQ-IF xmlns="x">', 'reqif'],
  ['a.xml', '<r:REQ-IF>', 'reqif'],
  ['junit.xml', '<testsuite/>', null],
  ['a.feature', '', 'gherkin'],
  ['a.md', '# US-1: x', 'markdown'],
  ['README.markdown', '', 'markdown'],
  ['a.md', '---\ntitle: x\nstatus: y\n---\n', 'markdown'],
  ['a.md', '# T\n`req~a~1`\n', 'openfasttrace'],
  ['a.md', '`arch-->dsn:req~a~1`', 'openfasttrace'],
  ['a.md', 'See `req~a~1` there', 'markdown'],
  ['a.md', '```\nreq~a~1\n```\n', 'markdown'],
  ['a.png', '\u0000', null],
  ['Makefile', 'all:', null],
])('%s with %j', (path, text, format) => {
  expect(filesOf({ [path]: text }).map(detectFormat)).toEqual([format as 'markdown']);
});

test('UTF-16 and a byte order mark hide nothing', () => {
  const text = '\uFEFF{"openapi":"3.1.0"}';
  const wide = new Uint8Array(Uint16Array.from([...text].map((char) => char.charCodeAt(0))).buffer);
  expect(detectFormat({ path: 'a.json', bytes: wide })).toBe('openapi');
  expect(filesOf({ 'a.json': text }).map(detectFormat)).toEqual(['openapi']);
});

test.each([
  ['doorstop', 'doorstop', 62, 2],
  ['strictdoc', 'strictdoc', 30, 0],
  ['reqif', 'reqif', 11, 0],
  ['gherkin', 'gherkin', 3, 0],
  ['needs-json', 'needs-json', 4, 1],
  ['junit', null, 13, 13],
])('real files of %s', (folder, format, known, unknown) => {
  const path = sharedData(folder);
  if (path === undefined) return;
  const formats = filesIn(path).map(detectFormat);
  expect(formats.filter((one) => one === format).length).toBe(known);
  expect(formats.filter((one) => one === null).length).toBe(unknown);
});

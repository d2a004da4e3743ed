// What a file is among the others of its set: items of a Doorstop document, by their names.
import { expect, test } from 'bun:test';
import { detectFormat, openDetector } from '../../../src/requirements/sources/detect.ts';
import { sharedData } from '../../support/shared-data.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const YAML = 'settings:\n  digits: 3\n  prefix: REQ\n';
const MARKDOWN = `${YAML}  itemformat: markdown\n`;
const HYPHENS = 'settings: {prefix: SW-REQ}\n';
const BROKEN = 'settings: {prefix: [\n';

test.each([
  [{ 'r/.doorstop.yml': YAML }, 'r/REQ001.yml', 'level: 1.0\ntext: |\n  It shall.\n', 'doorstop'],
  [{ 'r/.doorstop.yml': YAML }, 'r/REQ001.yml', 'active: true\nderived: false\nlev', 'doorstop'],
  [{ 'r/.doorstop.yml': YAML }, 'r/REQ001.yaml', 'active: [', 'doorstop'],
  [{ 'r/.doorstop.yml': YAML }, 'r/req-1.YML', '', 'doorstop'],
  [{ 'r/.doorstop.yml': YAML.replaceAll('\n', '\r\n') }, 'r/REQ_name.yml', '', 'doorstop'],
  [{ 'r/.doorstop.yml': HYPHENS }, 'r/SW-REQ001.yml', '', 'doorstop'],
  [{ '.doorstop.yml': YAML }, 'a/b/REQ001.yml', '', 'doorstop'],
  [{ 'r/.doorstop.yml': YAML, 'r/s/.doorstop.yml': BROKEN }, 'r/s/REQ001.yml', '', 'doorstop'],
  [{ 'r/.doorstop.yml': YAML, 'r/s/.doorstop.yml': HYPHENS }, 'r/s/REQ001.yml', '', null],
  [{ 'r/.doorstop.yml': MARKDOWN }, 'r/REQ001.md', '# US-1: no front matter\n', 'doorstop'],
  [{ 'r/.doorstop.yml': MARKDOWN }, 'r/REQ001.md', '# T\n`req~a~1`\n', 'doorstop'],
  [{ 'r/.doorstop.yml': MARKDOWN }, 'r/REQ001.yml', 'level: 1.0\n', 'doorstop'],
  [{ 'r/.doorstop.yml': MARKDOWN }, 'r/README.md', '', 'markdown'],
  [{ 'r/.doorstop.yml': YAML }, 'r/REQ001.md', '', 'markdown'],
  [{ 'r/.doorstop.yml': YAML }, 'r/REQUEST1.yml', '', null],
  [{ 'r/.doorstop.yml': YAML }, 'r/docker-compose.yml', 'services: {}\n', null],
  [{ 'r/.doorstop.yml': YAML }, 'r/REQ001.yml', 'openapi: 3.1.0\n', 'openapi'],
  [{ 'r/.doorstop.yml': YAML }, 'r/REQ001.json', '{}', null],
  [{ 'r/.doorstop.yml': YAML }, 'other/REQ001.yml', '', null],
  [{ 'r/.doorstop.yaml': YAML }, 'r/REQ001.yml', '', null],
  [{ 'r/.doorstop.yml': YAML + '#'.repeat(70_000) }, 'r/REQ001.yml', '', null],
  [{}, 'REQ001.yml', 'level: 1.0\n', null],
])('beside %j: %s with %j', (beside, path, text, format) => {
  const files = filesOf({ ...(beside as Record<string, string>), [path]: text });
  const [file] = filesOf({ [path]: text });
  expect(openDetector(files)(file!)).toBe(format as 'doorstop');
});

test('real files are in a set what they are alone', () => {
  const path = sharedData('doorstop');
  if (path === undefined) return;
  const files = filesIn(path);
  expect(files.map(openDetector(files))).toEqual(files.map((file) => detectFormat(file)));
});

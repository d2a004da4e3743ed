// Paths of sources stay inside their set.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { eachOnce, sourcePath } from '../../../src/requirements/import/source-path.ts';

describe('source paths [PQRS-15]', () => {
  test.each([
    ['a.md', 'a.md'],
    ['./docs//a.md', 'docs/a.md'],
    ['docs\\a.md', 'docs/a.md'],
    ['Cafe\u0301.md', 'Caf\u00e9.md'],
    ['a:b*?.md', 'a:b*?.md'],
    ['C:x.md', 'C:x.md'],
    ['a/C:/x.md', 'a/C:/x.md'],
  ])('%j is %j', (given, path) => {
    expect(sourcePath('/path', given)).toBe(path);
  });

  test.each([
    '',
    '.',
    '..',
    '../a',
    'a/../../b',
    '/etc/passwd',
    '\\\\host\\share',
    'C:\\a',
    'C:/a',
    './c:/a',
    'C:',
    'a\0b',
    'a\nb',
    'x'.repeat(1025),
  ])('%j is refused', (given) => {
    expect(() => sourcePath('/path', given)).toThrow('inside the source set');
  });

  test('no two sources have one', () => {
    const sources = [{ path: 'a.md' }, { path: 'b/a.md' }];
    const pointerOf = (at: number) => `/files/${at}/path`;
    expect(eachOnce(sources, pointerOf)).toBe(sources);
    expect(() => eachOnce([...sources, { path: 'a.md' }], pointerOf)).toThrow(
      '/files/2/path: a.md is given twice',
    );
  });

  test('whatever is taken has no part that leads elsewhere, and is taken again as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (given) => {
        let path: string;
        try {
          path = sourcePath('/path', given);
        } catch {
          return;
        }
        expect(path.split('/').some((part) => ['', '.', '..'].includes(part))).toBe(false);
        expect(sourcePath('/path', path)).toBe(path);
      }),
    );
  });
});

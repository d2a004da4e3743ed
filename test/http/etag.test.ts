// Entity tags and the headers that compare them (RFC 9110, 8.8.3 and 13.1).
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Problem } from '../../src/errors.ts';
import { etagOf, requireMatch } from '../../src/model/etag.ts';

const matches = (header: string | null, version: number): boolean => {
  try {
    requireMatch(header, version);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    expect((error as Problem).code).toBe('precondition_failed');
    return false;
  }
};

describe('a tag [PQRS-77]', () => {
  test('tells versions and bodies apart', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.string(), fc.string(), (one, two, a, b) => {
        expect(etagOf(one, a)).toMatch(/^"\d+-[\w-]{16}"$/);
        expect(etagOf(one, a) === etagOf(two, b)).toBe(one === two && a === b);
      }),
    );
  });
});

describe('If-Match [PQRS-77]', () => {
  test('compares the version, strongly, in lists, and takes a star or nothing', () => {
    for (const header of [
      null,
      '*',
      ' * ',
      '"3"',
      '"3-x"',
      etagOf(3, 'whatever'),
      '"1", "3-a"',
      '"a,b","3"',
    ]) {
      expect(matches(header, 3)).toBe(true);
    }
    for (const header of [
      '',
      '3',
      'W/"3"',
      'W/"3-x"',
      '"4"',
      '"03"',
      '"3x"',
      '"-3"',
      '"3',
      '3"',
      '"30"',
      '""',
      '"3-a',
    ]) {
      expect(matches(header, 3)).toBe(false);
    }
  });

  test('never lets a tag of another version through', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.string(), (known, version, body) => {
        expect(matches(etagOf(known, body), version)).toBe(known === version);
      }),
    );
  });

  test('takes no other text for a tag', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(text.trim() !== '*' && !/"7(?:-[^"]*)?"/.test(text));
        expect(matches(text, 7)).toBe(false);
      }),
    );
  });
});

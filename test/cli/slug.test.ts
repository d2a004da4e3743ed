// The slug of a project that a command makes, and the texts of its tables.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { slugFor } from '../../src/cli/administration/slug.ts';
import { plainText, UsageError } from '../../src/cli/command.ts';
import { requireOneLine } from '../../src/cli/one-line.ts';
import { Slug } from '../../src/requirements/projects/model.ts';

test('a slug is made of every name that has a letter or digit of ASCII [PQRS-69]', () => {
  expect(slugFor('Émile & Söhne – 2', undefined)).toBe('emile-sohne-2');
  expect(slugFor(`${'a'.repeat(62)} b`, undefined)).toBe('a'.repeat(62));
  expect(slugFor('日本', 'nihon')).toBe('nihon');
  const name = fc.string({ unit: 'grapheme', maxLength: 100 });
  fc.assert(
    fc.property(name, fc.constantFrom('a', 'Z', '7'), name, (before, letter, after) => {
      const slug = slugFor(before + letter + after, undefined);
      expect(slug).toMatch(new RegExp(Slug.pattern ?? ''));
      expect(slug.length).toBeLessThanOrEqual(63);
    }),
  );
});

test('where none can be made, a person is told what to give', () => {
  const says = 'must be lower-case letters, digits and inner hyphens, 63 at most';
  expect(() => slugFor('日本', undefined)).toThrow(
    new UsageError(`no slug can be made of this name; --slug gives one: it ${says}`),
  );
  for (const given of ['', 'A', '-a', 'a-', 'a'.repeat(64)])
    expect(() => slugFor('A', given)).toThrow(new UsageError(`--slug ${says}`));
});

test('a label or name is one line that a terminal only shows', () => {
  expect(requireOneLine('--label', '👩‍🔬 of the lab')).toBe('👩‍🔬 of the lab');
  expect(requireOneLine('--label', '😀'.repeat(300))).toHaveLength(600);
  for (const bad of ['', ' \u00a0', 'a\nb', '\u001b[2J', 'a\u2028b', 'a\u009bb', 'a'.repeat(301)])
    expect(() => requireOneLine('--label', bad)).toThrow(/^--label must /);
  expect(plainText('a\u001b[2J\nb\u009b é')).toBe('a\\x1b[2J\\x0ab\\x9b é');
});

// The texts of a command: what it says of how it failed, and the slug, label and name that it is given.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { CommandFailed, plainText, requireOneLine, UsageError } from '../../src/cli/command.ts';
import { slugFor } from '../../src/cli/commands/project.ts';
import { failureText, withoutSecrets } from '../../src/cli/run.ts';
import { Problem } from '../../src/errors.ts';
import { Slug } from '../../src/requirements/projects/model.ts';
import { LibraryUnavailable } from '../../src/runtime/native.ts';
import { FolderInUse, StoreUnavailable } from '../../src/store/errors.ts';

const AT = 'the data folder /lab/pqrs-data';

const withCode = (message: string, code: string, more = {}) =>
  Object.assign(new Error(message), { code, ...more });

describe('a failure [PQRS-84]', () => {
  const full = withCode('database or disk is full', 'SQLITE_FULL');
  const FULL = `${AT} cannot be written or read: database or disk is full (SQLITE_FULL)`;
  test.each([
    [FULL, full],
    [FULL, new StoreUnavailable(full)],
    [FULL, new Error('pragma journal_mode = wal: (SQLITE_FULL, 13)', { cause: full })],
    [
      `${AT} cannot be written or read: ENOSPC: no space left on device, open`,
      new StoreUnavailable(withCode('ENOSPC: no space left on device, open', 'ENOSPC')),
    ],
    [
      `${AT} cannot be written or read: the store is closed`,
      new StoreUnavailable('the store is closed'),
    ],
    ['EISDIR: rename', withCode('EISDIR: rename', 'EISDIR', { syscall: 'rename' })],
    ['The library cannot be loaded.', new LibraryUnavailable('The library cannot be loaded.')],
    ['another pqrs process uses this data folder', new FolderInUse()],
    ['It failed.', new CommandFailed('It failed.')],
    ['There is none.', new Problem('not_found', 'There is none.')],
  ])('that is known is one line: %s', (text, error) => {
    expect(failureText(error, AT)).toBe(text);
  });

  test('that nobody knows keeps its stack, and no values of a statement', () => {
    expect(failureText(new TypeError('x is not a function'), AT)).toMatch(
      /^TypeError: x is not a function\n(?:.*\n)*? +at /,
    );
    const params = { params: ['the hash of a secret'] };
    const query = Object.assign(new Error('insert, the hash of a secret'), params, {
      cause: withCode('NOT NULL constraint failed', 'SQLITE_CONSTRAINT_NOTNULL'),
    });
    const text = failureText(query, AT);
    expect(text).toContain('NOT NULL constraint failed');
    expect(text).not.toContain('secret');
    expect(failureText('a text', AT)).toBe('a text');
  });

  test('repeats no secret of a token', () => {
    const id = '01m80azsfxe50828jhbq6sbewk';
    const token = `pqrs_${id}_1m050tzfc6g39mpz1s0bbfz7hj367akfx4r5qkjzh8zwpktmeds3`;
    // One that was not copied to its end gives away as much.
    const shown = withoutSecrets(`no "${token}" and no ${token.slice(0, -9)}.`);
    expect(shown).toBe(`no "pqrs_${id}_…" and no pqrs_${id}_….`);
    expect(withoutSecrets('pqrs_data and pqrs: no')).toBe('pqrs_data and pqrs: no');
  });
});

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
  expect(() => slugFor('日本', undefined)).toThrow(UsageError);
  for (const given of ['', 'A', '-a', 'a-', 'a'.repeat(64)])
    expect(() => slugFor('A', given)).toThrow(/^--slug must /);
});

test('a label or name is one line that a terminal only shows', () => {
  expect(requireOneLine('--label', '👩‍🔬 of the lab')).toBe('👩‍🔬 of the lab');
  for (const bad of ['', ' \u00a0', 'a\nb', '\u001b[2J', 'a\u2028b', 'a\u009bb', 'a'.repeat(301)])
    expect(() => requireOneLine('--label', bad)).toThrow(/^--label must /);
  expect(plainText('a\u001b[2J\nb\u009b é')).toBe('a\\x1b[2J\\x0ab\\x9b é');
});

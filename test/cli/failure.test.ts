// What a command says of how it has failed: a line where it is known, a stack where it is not.
import { describe, expect, test } from 'bun:test';
import { CommandFailed } from '../../src/cli/command.ts';
import { failureText } from '../../src/cli/failure.ts';
import { Problem } from '../../src/errors.ts';
import { LibraryUnavailable } from '../../src/runtime/native.ts';
import { FolderInUse, StoreUnavailable } from '../../src/store/errors.ts';
import { StorageUnavailable } from '../../src/store/files/errors.ts';

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
      new StorageUnavailable(withCode('ENOSPC: no space left on device, open', 'ENOSPC')),
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
    expect(failureText(error, AT, false)).toBe(text);
    const traced = failureText(error, AT, true);
    expect(traced).toStartWith(`${text}\n`);
    expect(traced).toContain('failure.test.ts');
  });

  test('that nobody knows keeps its stack, and no values of a statement', () => {
    expect(failureText(new TypeError('x is not a function'), AT, false)).toMatch(
      /^TypeError: x is not a function\n(?:.*\n)*? +at /,
    );
    const params = { params: ['the hash of a secret'] };
    const query = Object.assign(new Error('insert, the hash of a secret'), params, {
      cause: withCode('NOT NULL constraint failed', 'SQLITE_CONSTRAINT_NOTNULL'),
    });
    const text = failureText(query, AT, false);
    expect(text).toContain('NOT NULL constraint failed');
    expect(text).not.toContain('secret');
    expect(failureText('a text', AT, false)).toBe('a text');
  });
});

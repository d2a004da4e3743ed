// The file of a token and the commit that makes it: the file first, and gone again where it is certain
// that nothing was committed.
import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepToken } from '../../src/cli/administration/token-file.ts';
import { Problem } from '../../src/errors.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const file = () => join(temporaryFolder('token'), 'owner.token');
const withCode = (code: string) => Object.assign(new Error(code), { code });

describe('the file of a token [PQRS-84]', () => {
  test('is whole, and for its user alone, when the commit begins', async () => {
    const path = file();
    writeFileSync(path, 'of a start that made none, and longer\n', { mode: 0o644 });
    const made = await keepToken(path, 'pqrs_x', async () => {
      expect(readFileSync(path, 'utf8')).toBe('pqrs_x\n');
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readdirSync(join(path, '..'))).toEqual(['owner.token']);
      return 7;
    });
    expect(made).toBe(7);
    expect(readFileSync(path, 'utf8')).toBe('pqrs_x\n');
  });

  test.each([
    ['is refused', new Problem('slug_taken', 'Taken.'), false],
    ['meets a full disk', new StoreUnavailable(withCode('SQLITE_FULL')), false],
    ['fails in its sync', new StoreUnavailable(withCode('SQLITE_IOERR_FSYNC')), true],
    ['is answered by nobody', new StoreUnavailable(withCode('ECONNRESET')), true],
  ])('where the commit %s', async (_, error, stays) => {
    const path = file();
    const failed = await keepToken(path, 'pqrs_x', () => Promise.reject(error)).catch((e) => e);
    expect(failed).toBe(error);
    expect(existsSync(path)).toBe(stays);
  });

  test('that cannot be written lets nothing be committed', async () => {
    const path = file();
    mkdirSync(path);
    let committed = false;
    const kept = keepToken(path, 'pqrs_x', async () => {
      committed = true;
    });
    await expect(kept).rejects.toThrow('EISDIR');
    expect(committed).toBe(false);
    expect(readdirSync(join(path, '..'))).toEqual(['owner.token']);
  });
});

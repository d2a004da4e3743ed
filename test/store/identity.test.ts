// Which data folders, keys, files and databases belong together.
import { describe, expect, test } from 'bun:test';
import { StoreRefused } from '../../src/store/errors.ts';
import { decideId, type Found } from '../../src/store/identity.ts';

type Case = Partial<Omit<Found, 'hasContent' | 'namesContent'>> & {
  content?: boolean;
  names?: boolean;
};

const A = 'aaaaaaaa';
const B = 'bbbbbbbb';
const WHOLE = { folder: A, files: A, keys: A };

/** The id that is decided on, or the refusal. */
function decided({ content = false, names = false, ...found }: Case): Promise<string> {
  return decideId(
    {
      dataDir: '/data',
      ids: {},
      hasOwnerToken: false,
      databaseName: 'the database',
      database: undefined,
      hasContent: async () => content,
      namesContent: async () => names,
      ...found,
    },
    'new',
  ).catch((error) => {
    if (!(error instanceof StoreRefused)) throw error;
    expect(error.message).not.toContain('\n');
    return error.message;
  });
}

const empty = (id?: string) => ({ id, hasProjects: false });
const filled = (id?: string) => ({ id, hasProjects: true });

describe('a start', () => {
  test.each<[string, Case, string]>([
    ['nothing', {}, 'new'],
    ['a first start that was killed before its database', { ids: { folder: A } }, A],
    [
      'one that was killed before its id was in the database',
      { ids: { folder: A, files: A }, database: empty() },
      A,
    ],
    [
      'one that was killed at the token',
      { ids: WHOLE, database: empty(A), hasOwnerToken: true },
      A,
    ],
    ['the whole', { ids: WHOLE, database: filled(A), content: true }, A],
    ['lost keys', { ids: { folder: A, files: A }, database: filled(A) }, A],
    ['an older folder', { database: filled(), content: true }, 'new'],
    ['a new folder for a database that names no files', { database: filled(B) }, B],
    ['an older folder over a server', { ids: { folder: A }, database: filled() }, A],
    [
      'one that was killed while it got its id',
      { ids: { folder: A, files: A }, database: filled() },
      A,
    ],
  ])('goes on with %s', async (_, found, id) => {
    expect(await decided(found)).toBe(id);
  });

  test.each<[string, Case, RegExp]>([
    [
      'a database of another folder',
      { ids: WHOLE, database: filled(B) },
      /^the database belongs to the data folder bbbbbbbb, and \/data is aaaaaaaa: put/,
    ],
    ['an empty one of another folder', { ids: WHOLE, database: empty(B) }, /belongs/],
    [
      'files of another folder',
      { ids: { ...WHOLE, files: B }, database: filled(A) },
      /^\/data\/files belongs/,
    ],
    [
      'keys of another folder',
      { ids: { ...WHOLE, keys: B }, database: filled(A) },
      /^\/data\/keys belongs/,
    ],
    [
      'keys of another folder beside files alone',
      { ids: { files: A, keys: B } },
      /^\/data\/keys belongs/,
    ],
    ['no database beside files', { content: true }, /is not there, and \/data has files/],
    [
      'no project beside files',
      { ids: WHOLE, database: empty(A), content: true },
      /has no project, and \/data has files/,
    ],
    ['no database beside the token of an owner', { hasOwnerToken: true }, /owner\.token/],
    ['no database beside its keys', { ids: WHOLE }, /has keys/],
    ['an empty database beside its keys', { ids: WHOLE, database: empty() }, /has keys/],
    ['an older database beside keys', { ids: WHOLE, database: filled() }, /has no id/],
    [
      'no files of its database',
      { database: filled(B), names: true },
      /files has no id.* write bbbbbbbb /,
    ],
    [
      'files that are not mounted',
      { ids: { folder: A, keys: A }, database: filled(A) },
      /files has no id.* write aaaaaaaa /,
    ],
  ])('is refused with %s', async (_, found, pattern) => {
    expect(await decided(found)).toMatch(pattern);
  });
});

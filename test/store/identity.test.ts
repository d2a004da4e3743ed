// Which data folders, keys, files and databases belong together.
import { describe, expect, test } from 'bun:test';
import { StoreRefused } from '../../src/store/errors.ts';
import { decideId, type Found } from '../../src/store/identity.ts';

type Case = Partial<Omit<Found, 'hasContent' | 'countNamed'>> & {
  content?: boolean;
  named?: [named: number, present: number];
};

const A = 'aaaaaaaa';
const B = 'bbbbbbbb';
const WHOLE = { folder: A, files: A, keys: A };

/** The id that is decided on, or the refusal. */
function decided({ content = false, named, ...found }: Case): Promise<string> {
  return decideId(
    {
      dataDir: '/data',
      ids: {},
      hasOwnerToken: false,
      databaseName: 'the database',
      database: undefined,
      hasContent: async () => content,
      async countNamed() {
        if (!named) throw new Error('the files need not be counted');
        return { named: named[0], present: named[1] };
      },
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
    [
      'an older folder with its files',
      { database: filled(), named: [100, 95], content: true },
      'new',
    ],
    ['an older folder without files', { database: filled(), named: [0, 0] }, 'new'],
    ['an older folder over a server', { ids: { folder: A }, database: filled(), named: [9, 9] }, A],
    ['an adoption that was killed', { ids: { folder: A, files: A }, database: filled() }, A],
    ['an older copy of its database', { ids: WHOLE, database: filled(), named: [9, 9] }, A],
    ['a folder that was put together by hand', { database: filled(B), named: [9, 9] }, B],
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
    [
      'an older database whose files are elsewhere',
      { database: filled(), named: [100, 94] },
      /names 100 files.* has 94 .*write new /,
    ],
    [
      'an older database beside files that it does not name',
      { database: filled(), named: [0, 0], content: true },
      /names 0 files/,
    ],
    [
      'a database that its folder lacks the files of',
      { database: filled(B), named: [9, 0] },
      /write bbbbbbbb /,
    ],
    [
      'files that are not mounted',
      { ids: { folder: A, keys: A }, database: filled(A), named: [9, 0] },
      /has 0 of them/,
    ],
  ])('is refused with %s', async (_, found, pattern) => {
    expect(await decided(found)).toMatch(pattern);
  });
});

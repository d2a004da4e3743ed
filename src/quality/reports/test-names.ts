// What people call a test by when they do not know its key: its own name, or that behind its suites
// and its file. Unlike a key such a name may be that of several tests.
import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, gt } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { type TestRow, tests } from '../../store/tables/quality.ts';

const TEST_KEY = /^t1:[\w-]{27}$/;

export function isTestKey(text: string): boolean {
  return TEST_KEY.test(text);
}

/** A name as names are compared: they come decomposed from some file systems. */
export function asCalled(name: string): string {
  return name.normalize('NFC');
}

export function joinedName(path: readonly string[], name: string): string {
  return [...path, name].join(' > ');
}

export type StoredTest = Pick<TestRow, 'name' | 'path' | 'file'>;

/** All that a test may be called, as names are compared. */
export function namesOfTest({ name, path, file }: StoredTest): string[] {
  const own = path.length === 0 ? [name] : [name, joinedName(path, name)];
  const names = file === null ? own : [...own, ...own.map((one) => joinedName([file], one))];
  return [...new Set(names.map(asCalled))];
}

export interface CalledTest {
  seq: number;
  key: string;
  names: string[];
}

const TESTS_AT_ONCE = 2000;

export async function* readCalledTests(
  db: Db,
  projectId: string,
  names: ReadonlySet<string>,
): AsyncGenerator<CalledTest[]> {
  if (names.size === 0) return;
  for (let behind = ''; ; ) {
    const rows = await db
      .select({
        seq: tests.seq,
        key: tests.testKey,
        name: tests.name,
        path: tests.path,
        file: tests.file,
      })
      .from(tests)
      .where(and(eq(tests.projectId, projectId), gt(tests.testKey, behind)))
      .orderBy(asc(tests.testKey))
      .limit(TESTS_AT_ONCE);
    const found = rows.flatMap((row) => {
      const own = namesOfTest(row).filter((name) => names.has(name));
      return own.length === 0 ? [] : [{ seq: row.seq, key: row.key, names: own }];
    });
    if (found.length > 0) yield found;
    if (rows.length < TESTS_AT_ONCE) return;
    behind = rows.at(-1)?.key ?? behind;
    await setImmediate();
  }
}

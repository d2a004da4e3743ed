// What people call a test by when they do not know its key: its own name, or that behind its suites
// and its file. Unlike a key such a name may be that of several tests.
import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, gt } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { type TestRow, tests } from '../../store/tables/quality.ts';

export function isTestKey(text: string): boolean {
  return /^t1:[\w-]{27}$/.test(text);
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

const TESTS_AT_ONCE = 2000;

export async function* readCalledTests(db: Db, projectId: string, names: ReadonlySet<string>) {
  if (names.size === 0) return;
  const { seq, testKey, name, path, file } = tests;
  for (let behind = ''; ; ) {
    const rows = await db
      .select({ seq, key: testKey, name, path, file })
      .from(tests)
      .where(and(eq(tests.projectId, projectId), gt(testKey, behind)))
      .orderBy(asc(testKey))
      .limit(TESTS_AT_ONCE);
    const found = rows
      .map((row) => ({ ...row, names: namesOfTest(row).filter((name) => names.has(name)) }))
      .filter((row) => row.names.length > 0);
    if (found.length > 0) yield found;
    if (rows.length < TESTS_AT_ONCE) return;
    behind = rows.at(-1)?.key ?? behind;
    await setImmediate();
  }
}

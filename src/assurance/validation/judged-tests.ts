// The tests that verdicts went by, which may be linked to no story.

import { isTestKey } from '../../quality/reports/test-names.ts';
import type { Db } from '../../store/database.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { readNamedTests } from '../results/named-tests.ts';
import type { AssuranceState } from '../state/state.ts';
import type { JudgedTest } from './view.ts';

const idsOfRow = new WeakMap<ValidationRow, readonly string[]>();

function idsOf(row: ValidationRow): readonly string[] {
  const known = idsOfRow.get(row);
  if (known) return known;
  const tests = row.tests.includes('"test"') ? (JSON.parse(row.tests) as JudgedTest[]) : [];
  const ids = tests.flatMap(({ kind, id }) => (kind === 'test' ? id : []));
  idsOfRow.set(row, ids);
  return ids;
}

/** The tests that something else names, with those that the last verdicts went by. */
export function withJudgedTests(
  ids: ReadonlySet<string>,
  verdictsOf: ReadonlyMap<string, readonly ValidationRow[]>,
): ReadonlySet<string> {
  const all = new Set(ids);
  for (const verdicts of verdictsOf.values()) {
    const last = verdicts.at(-1);
    if (last) for (const id of idsOf(last)) all.add(id);
  }
  return all.size === ids.size ? ids : all;
}

/** The contents of tests as their newest results gave them, by their keys. */
export type TestContents = ReadonlyMap<string, string>;

/** Reads the contents of tests that verdicts are to go by and that no story knows of. */
export async function readTestContents(
  db: Db,
  { effective, tests }: AssuranceState,
  results: readonly { tests?: readonly { kind: string; id: string }[] }[],
): Promise<TestContents> {
  const named = results.flatMap((result) =>
    (result.tests ?? []).flatMap(({ kind, id }) => (kind === 'test' ? id : [])),
  );
  const unknown = [...new Set(named)].filter((id) => isTestKey(id) && !tests.tests.has(id));
  const contents = new Map<string, string>();
  for await (const rows of readNamedTests(db, effective.projectId, unknown)) {
    for (const { testKey, own } of rows) {
      if (own.contentSha256 !== null) contents.set(testKey, own.contentSha256);
    }
  }
  return contents;
}

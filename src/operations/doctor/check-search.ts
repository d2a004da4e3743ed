// The search indexes against the rows that they index.
import type { Query } from './check-database.ts';
import { type Findings, REPAIRS } from './findings.ts';

/** Each index with its table. */
export const INDEXES = { issues_text: 'issues', log_entries_text: 'log_entries' } as const;
export type IndexName = keyof typeof INDEXES;

/** Rows that are not in an index. Those after its last one are not indexed yet. */
export function missingRows(index: IndexName): string {
  return `select seq from ${INDEXES[index]} where seq < (select max(id) from ${index}_docsize) and seq not in (select id from ${index}_docsize)`;
}

/** Entries of an index whose rows are gone. */
export function extraRows(index: IndexName): string {
  return `select id from ${index}_docsize where id not in (select seq from ${INDEXES[index]})`;
}

/** Compares them, row by row; what an index holds of a row is not stored twice, and so not compared. */
export async function checkSearch(query: Query, findings: Findings): Promise<void> {
  for (const index of Object.keys(INDEXES) as IndexName[]) {
    for (const [sql, what] of [
      [missingRows(index), 'rows are not in it'],
      [extraRows(index), 'of its entries have no row'],
    ] as const) {
      const count = Number((await query(`select count(*) from (${sql})`))[0]?.[0]);
      if (count > 0) findings.add('search_wrong', index, `${count} ${what}`, REPAIRS);
    }
  }
}

// The database: whether its pages are sound, of this version, and at one with its search indexes.
import { MIGRATIONS } from '../../store/migrations.ts';
import type { Findings } from './findings.ts';

export type Query = (sql: string) => Promise<unknown[][]>;

const MAX_ROWS = 100;

export async function checkIntegrity(query: Query, findings: Findings): Promise<void> {
  for (const [text] of await query(`pragma integrity_check(${MAX_ROWS})`))
    for (const line of String(text).split('\n'))
      if (line !== 'ok' && !line.startsWith('*** in database'))
        findings.add('database_damaged', 'database', line);
}

/** Rows that name a row which is not there. */
export async function checkForeignKeys(query: Query, findings: Findings): Promise<void> {
  const sql = `select "table", rowid, parent from pragma_foreign_key_check limit ${MAX_ROWS}`;
  for (const [table, row, parent] of await query(sql))
    findings.add('foreign_key', `${table} ${row}`, `it names a row of ${parent} that is not there`);
}

/** Whether the database is of this version. */
export async function checkMigrations(query: Query, findings: Findings): Promise<boolean> {
  const rows = await query('select name from migrations');
  const applied = new Set(rows.map(([name]) => String(name)));
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  for (const name of applied.difference(known))
    findings.add('database_newer', name, 'this version does not know it');
  for (const name of known.difference(applied))
    findings.add('migrations_pending', name, 'it is not applied yet, so rows are not checked');
  return known.symmetricDifference(applied).size === 0;
}

const INDEXES = { issues_text: 'issues', log_entries_text: 'log_entries' } as const;

/** Rows that are not in an index, but for those after its last one: they wait; and entries of no row. */
export async function checkSearch(query: Query, findings: Findings): Promise<void> {
  for (const [index, table] of Object.entries(INDEXES)) {
    const indexed = `(select id from ${index}_docsize)`;
    const [counts] = await query(`select
      (select count(*) from ${table} where seq < (select max(id) from ${index}_docsize) and seq not in ${indexed}),
      (select count(*) from ${indexed} where id not in (select seq from ${table}))`);
    const [missing, extra] = (counts ?? []).map(Number);
    if (missing || extra)
      findings.add(
        'search_wrong',
        index,
        `${missing} rows are not in it, ${extra} of its entries have no row`,
      );
  }
}

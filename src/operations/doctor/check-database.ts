// The database as a whole: whether its pages and keys are sound, and whether it is of this version.
import { MIGRATIONS } from '../../store/migrations.ts';
import type { Findings } from './findings.ts';

/** Runs one statement that reads; gives its rows as lists of values. */
export type Query = (sql: string) => Promise<unknown[][]>;

const RESTORE =
  'restore a backup (pqrs restore); what it lacks may be read from this database still';
const MAX_ROWS = 100;

/** Pages, indexes and search indexes, as far as the database can tell. */
export async function checkIntegrity(query: Query, findings: Findings): Promise<void> {
  const trees = new Map<unknown, string>();
  for (const [root, name, table] of await query(
    'select rootpage, name, tbl_name from sqlite_schema where rootpage > 0',
  ))
    trees.set(Number(root), name === table ? `table ${name}` : `index ${name} of ${table}`);
  for (const [text] of await query(`pragma integrity_check(${MAX_ROWS})`)) {
    for (const line of String(text).split('\n')) {
      if (line === 'ok' || line.startsWith('*** in database')) continue;
      const subject = trees.get(Number(/^Tree (\d+)/.exec(line)?.[1])) ?? 'database';
      findings.add('database_damaged', subject, line, RESTORE);
    }
  }
}

/** Rows that name a row which is not there. */
export async function checkForeignKeys(query: Query, findings: Findings): Promise<void> {
  const sql = `select "table", rowid, parent from pragma_foreign_key_check limit ${MAX_ROWS}`;
  for (const [table, row, parent] of await query(sql))
    findings.add(
      'foreign_key',
      `${table} ${row}`,
      `it names a row of ${parent} that is not there`,
      RESTORE,
    );
}

/** Whether the rows can be checked: the schema is that of this executable. */
export async function checkMigrations(query: Query, findings: Findings): Promise<boolean> {
  const applied = new Set(
    (await query('select name from migrations')).map(([name]) => String(name)),
  );
  const pending = MIGRATIONS.filter(({ name }) => !applied.has(name));
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  for (const name of applied) {
    if (known.has(name)) continue;
    const text = 'this version does not know it';
    findings.add('database_newer', name, text, 'use the version that last served this folder');
  }
  for (const { name } of pending) {
    const text = 'it is not applied yet, so rows are not checked';
    findings.add(
      'migrations_pending',
      name,
      text,
      'the next start applies it, after a copy is set aside',
    );
  }
  return pending.length === 0 && known.size === applied.size;
}

/** An error of a check that says that what it read is damaged. */
export function addDamage(findings: Findings, subject: string, error: unknown): void {
  const detail = error instanceof Error ? error.message : String(error);
  findings.add('database_damaged', subject, detail, RESTORE);
}

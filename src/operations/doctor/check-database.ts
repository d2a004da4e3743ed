// The database: whether its pages are sound, whether it is of this version, and whether what rows
// and search indexes say of other rows is so.
import { BATCH_SPAN } from '../../quality/runs/result-rows.ts';
import { MIGRATIONS } from '../../store/migrations.ts';
import { type Findings, REPAIRS } from './findings.ts';

export type Query = (sql: string) => Promise<unknown[][]>;

const RESTORE =
  'restore a backup (pqrs restore); what it lacks may be read from this database still';
const MAX_ROWS = 100;

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
  for (const [table, row, parent] of await query(sql)) {
    const detail = `it names a row of ${parent} that is not there`;
    findings.add('foreign_key', `${table} ${row}`, detail, RESTORE);
  }
}

export async function checkMigrations(query: Query, findings: Findings): Promise<boolean> {
  const applied = new Set(
    (await query('select name from migrations')).map(([name]) => String(name)),
  );
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  for (const name of applied.difference(known)) {
    const repair = 'use the version that last served this folder';
    findings.add('database_newer', name, 'this version does not know it', repair);
  }
  for (const name of known.difference(applied)) {
    const repair = 'the next start applies it, after a copy is set aside';
    const detail = 'it is not applied yet, so rows are not checked';
    findings.add('migrations_pending', name, detail, repair);
  }
  return known.symmetricDifference(applied).size === 0;
}

export function addDamage(findings: Findings, subject: string, error: unknown): void {
  const detail = error instanceof Error ? error.message : String(error);
  findings.add('database_damaged', subject, detail, RESTORE);
}

const INDEXES = { issues_text: 'issues', log_entries_text: 'log_entries' } as const;
export type IndexName = keyof typeof INDEXES;

/** Rows that are not in an index. Those after its last one are not indexed yet. */
export function missingRows(index: IndexName): string {
  return `select seq from ${INDEXES[index]} where seq < (select max(id) from ${index}_docsize) and seq not in (select id from ${index}_docsize)`;
}

export function extraRows(index: IndexName): string {
  return `select id from ${index}_docsize where id not in (select seq from ${INDEXES[index]})`;
}

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

const STATUSES = ['passed', 'failed', 'broken', 'skipped', 'unknown'];
const COUNTED = [
  'count(*) tests',
  ...STATUSES.map((status) => `sum(status = '${status}') ${status}`),
  'sum(flaky = 1) flaky',
];
const TOTALS = ['tests', ...STATUSES, 'flaky'];

const STORIES = 'select distinct value from json_each(issues.story_ids)';
const STORY_ROWS = 'select story_id from issue_stories where issue_id = issues.id';

const COUNTERS: Record<string, string> = {
  'projects.revision': `select id, revision, counted from (
    select id, revision, (select coalesce(max(number), 0) from revisions where project_id = projects.id) counted from projects)
    where revision <> counted`,
  'issues.occurrences': `select id, occurrences, counted from (
    select id, occurrences, 1 + (select count(*) from issues other where other.duplicate_of = issues.id) counted from issues)
    where occurrences <> counted`,
  issue_stories: `select id, (select count(*) from (${STORY_ROWS})), (select count(*) from (${STORIES})) from issues
    where exists (${STORIES} except ${STORY_ROWS}) or exists (${STORY_ROWS} except ${STORIES})`,
  log_groups: `select coalesce(g.fingerprint, e.fingerprint), coalesce(g.occurrences, 0), coalesce(e.counted, 0)
    from log_groups g full join (select project_id, fingerprint, count(*) counted from log_entries group by 1, 2) e
    on e.project_id = g.project_id and e.fingerprint = g.fingerprint
    where g.occurrences is not e.counted`,
  'plan_items.attempts': `select seq, attempts, counted from (
    select seq, attempts, (select count(*) from run_states where run_states.plan_id = plan_items.plan_id and run_states.position = plan_items.position) counted from plan_items)
    where attempts <> counted`,
  'test_runs.totals': `select id, totals, coalesce(tests, 0) || ' results' from test_runs
    left join (select seq / ${BATCH_SPAN} of_batch, ${COUNTED.join()} from test_results group by 1) on of_batch = batch
    where ${TOTALS.map((name) => `json_extract(totals, '$.${name}') is not coalesce(${name}, 0)`).join(' or ')}`,
  'run_batches.sequence': `select 'run_batches', seq, counted from (
    select coalesce((select seq from sqlite_sequence where name = 'run_batches'), 0) seq, coalesce((select max(batch) from test_runs), 0) counted)
    where seq < counted`,
};

export async function checkCounters(query: Query, findings: Findings): Promise<void> {
  const repair = 'what it counts is sound: report it; a backup from before has the right figure';
  for (const [name, sql] of Object.entries(COUNTERS)) {
    for (const [key, stored, counted] of await query(sql)) {
      const detail = `it is ${stored}, and ${counted} are there`;
      findings.add('counter_wrong', `${name} ${key}`, detail, repair);
    }
  }
}

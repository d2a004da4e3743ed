// The database: whether its pages are sound, of this version, and at one with its search indexes.
import { BATCH_SPAN } from '../../quality/runs/model.ts';
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
  for (const [name, sql] of Object.entries(COUNTERS))
    for (const [key, stored, counted] of await query(sql))
      findings.add('counter_wrong', `${name} ${key}`, `it is ${stored}, and ${counted} are there`);
}

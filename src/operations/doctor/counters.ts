// What rows count of other rows: which of it is wrong, and how it is counted again.
import { type SQL, sql } from 'drizzle-orm';
import { BATCH_SPAN } from '../../quality/runs/result-rows.ts';
import type { Query } from './check-database.ts';
import { type Findings, REPAIRS } from './findings.ts';

interface Counter {
  /** Reads `key, stored, counted` of the rows that are wrong. */
  wrong: string;
  /** Counts one again. */
  recount(key: string): SQL[];
}

const TOTALS = ['tests', 'passed', 'failed', 'broken', 'skipped', 'unknown', 'flaky'] as const;
const COUNTS = TOTALS.map((name) => {
  if (name === 'tests') return 'count(*) tests';
  return name === 'flaky'
    ? 'coalesce(sum(flaky = 1), 0) flaky'
    : `coalesce(sum(status = '${name}'), 0) ${name}`;
}).join(', ');
const TOTALS_JSON = TOTALS.map((name) => `'${name}', coalesce(counted.${name}, 0)`).join(', ');
const NAMED = 'select distinct value from json_each(issues.story_ids)';
const WRITTEN = 'select story_id from issue_stories where issue_id = issues.id';

const COUNTERS: Record<string, Counter> = {
  'projects.revision': {
    wrong: `select id, revision, counted from (
      select id, revision, (select coalesce(max(number), 0) from revisions where project_id = projects.id) counted from projects)
      where revision <> counted`,
    recount: (key) => [
      sql`update projects set revision = (select coalesce(max(number), 0) from revisions where project_id = projects.id) where id = ${key}`,
    ],
  },
  'issues.occurrences': {
    wrong: `select id, occurrences, counted from (
      select id, occurrences, 1 + (select count(*) from issues other where other.duplicate_of = issues.id) counted from issues)
      where occurrences <> counted`,
    recount: (key) => [
      sql`update issues set occurrences = 1 + (select count(*) from issues other where other.duplicate_of = ${key}) where id = ${key}`,
    ],
  },
  issue_stories: {
    wrong: `select id, (select count(*) from (${WRITTEN})), (select count(*) from (${NAMED})) from issues
      where exists (${NAMED} except ${WRITTEN}) or exists (${WRITTEN} except ${NAMED})`,
    recount: (key) => [
      sql`delete from issue_stories where issue_id = ${key}`,
      sql`insert into issue_stories (project_id, story_id, issue_id) select distinct project_id, value, issues.id from issues, json_each(story_ids) where issues.id = ${key}`,
    ],
  },
  log_groups: {
    wrong: `select coalesce(g.project_id, e.project_id) || ' ' || coalesce(g.fingerprint, e.fingerprint), coalesce(g.occurrences, 0), coalesce(e.counted, 0)
      from log_groups g full join (select project_id, fingerprint, count(*) counted from log_entries group by 1, 2) e
      on e.project_id = g.project_id and e.fingerprint = g.fingerprint
      where g.occurrences is not e.counted`,
    recount(key) {
      const [project, fingerprint] = key.split(' ');
      const own = sql`project_id = ${project} and fingerprint = ${fingerprint}`;
      return [
        sql`delete from log_groups where ${own} and not exists (select 1 from log_entries where ${own})`,
        sql`insert into log_groups (project_id, fingerprint, level, source, message, occurrences, first_at, last_at, last_seq)
          select last.project_id, last.fingerprint, last.level, last.source, last.message, counted.n, counted.first, counted.last, last.seq
          from (select max(seq) seq, count(*) n, min(at) first, max(at) last from log_entries where ${own}) counted
          join log_entries last on last.seq = counted.seq where true
          on conflict (project_id, fingerprint) do update set occurrences = excluded.occurrences`,
      ];
    },
  },
  'plan_items.attempts': {
    wrong: `select seq, attempts, counted from (
      select seq, attempts, (select count(*) from run_states where run_states.plan_id = plan_items.plan_id and run_states.position = plan_items.position) counted from plan_items)
      where attempts <> counted`,
    recount: (key) => [
      sql`update plan_items set attempts = (select count(*) from run_states where run_states.plan_id = plan_items.plan_id and run_states.position = plan_items.position) where seq = ${Number(key)}`,
    ],
  },
  'test_runs.totals': {
    wrong: `select id, totals, json_object(${TOTALS_JSON}) from test_runs
      left join (select seq / ${BATCH_SPAN} of_batch, ${COUNTS} from test_results group by 1) counted on of_batch = batch
      where ${TOTALS.map((name) => `json_extract(totals, '$.${name}') is not coalesce(counted.${name}, 0)`).join(' or ')}`,
    recount: (key) => [
      sql`update test_runs set totals = (select json_object(${sql.raw(TOTALS_JSON)}) from (
        select ${sql.raw(COUNTS)} from test_results where seq >= test_runs.batch * ${BATCH_SPAN} and seq < (test_runs.batch + 1) * ${BATCH_SPAN}) counted)
        where id = ${key}`,
    ],
  },
  'run_batches.sequence': {
    wrong: `select 'run_batches', seq, counted from (
      select coalesce((select seq from sqlite_sequence where name = 'run_batches'), 0) seq, coalesce((select max(batch) from test_runs), 0) counted)
      where seq < counted`,
    recount: () => [
      sql`delete from sqlite_sequence where name = 'run_batches'`,
      sql`insert into sqlite_sequence (name, seq) select 'run_batches', max(batch) from test_runs`,
    ],
  },
};

/** Counts everything again, in one snapshot a counter. */
export async function checkCounters(query: Query, findings: Findings): Promise<void> {
  for (const [name, { wrong }] of Object.entries(COUNTERS)) {
    for (const [key, stored, counted] of await query(wrong))
      findings.add(
        'counter_wrong',
        `${name} ${key}`,
        `it is ${stored}, and ${counted} are there`,
        REPAIRS,
      );
  }
}

/** The statements that mend a finding of `checkCounters`, by its subject. */
export function recountOf(subject: string): SQL[] {
  const at = subject.indexOf(' ');
  return COUNTERS[subject.slice(0, at)]?.recount(subject.slice(at + 1)) ?? [];
}

// Issues, log entries and runs to filter, written into the database of a data folder whose server has
// stopped: a million of each would take long to send.
import { join } from 'node:path';
import Database from 'libsql';

/** The time of the first of each; the next follow after a minute each. */
export const FIRST_AT = Date.UTC(2024, 0, 1);
export const STEP_MS = 60_000;

const SEVERITIES = '\'["major","minor","trivial","critical"]\'';

/** Writes so many of each, of the only project: one in a hundred is as few are, and none has the value `none`. */
export function seedLists(dataDir: string, count: number): void {
  const database = new Database(join(dataDir, 'pqrs.db'));
  try {
    database.exec('pragma synchronous = off; pragma cache_size = -262144');
    const { id } = database.prepare('select id from projects').get() as { id: string };
    const at = `${FIRST_AT} + i * ${STEP_MS}`;
    const few = 'i % 100 = 7';
    const rows = (into: string, columns: Record<string, string>) =>
      database.exec(`insert into ${into} (id, project_id, created_at, ${Object.keys(columns)})
        with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
        select '${into}' || i, '${id}', ${at}, ${Object.values(columns)} from n`);
    database.exec('begin');
    rows('issues', {
      number: 'i + 100',
      title: `'The page ' || (i % 977) || iif(${few}, ' of zirconium', ' of checkout') || ' does not answer'`,
      severity: `iif(${few}, 'blocker', ${SEVERITIES} ->> (i % 4))`,
      status: `iif(${few}, 'resolved', 'open')`,
      resolution: `iif(${few}, 'fixed', null)`,
      priority: `iif(${few}, 'p0', 'p2')`,
      story_ids: `json_array('US-' || (i % 100))`,
      labels: `json_array('web', iif(${few}, 'few', 'area-' || (i % 10)))`,
      assignee: `iif(${few}, 'few', 'a' || (i % 5))`,
      reporter: `iif(${few}, 'few', 'r' || (i % 50))`,
      url: `'https://shop.example/' || (i % 100)`,
      route: `'GET /r/' || (i % 100)`,
      build: `'2026.' || (i / 1000)`,
      environment: `iif(${few}, 'few', 'staging')`,
      run_id: `'run_' || (i / 100)`,
      occurred_at: at,
      fixed_in_build: `iif(${few}, '2026.1', null)`,
      fingerprint: `'f' || (i % 100)`,
      duplicate_of: `iif(i % 100 = 8, 'issues7', null)`,
      possible_regression: few,
      author_token: `'tok_bench'`,
      updated_at: at,
    });
    rows('log_entries', {
      at,
      level: `iif(${few}, 'fatal', iif(i % 10, 'info', 'warn'))`,
      source: `'app' || (i % 10)`,
      message: `'payment ' || i || iif(${few}, ' zirconium', ' taken')`,
      route: `'POST /r/' || (i % 100)`,
      run_id: `'run_' || (i / 100)`,
      issue_id: `'issues' || (i / 100)`,
      fingerprint: `'f' || (i % 100)`,
      state: `iif(${few}, 'resolved', 'open')`,
    });
    rows('test_runs', {
      batch: 'i',
      body_sha256: `'none'`,
      name: `'nightly ' || i`,
      external_id: `'ci-' || i`,
      plan_id: `'pln_' || (i / 1000)`,
      suite_id: `'ste_' || (i / 100)`,
      agent: `json_object('name', iif(${few}, 'few', 'ci-' || (i % 5)), 'version', null)`,
      status: `iif(${few}, 'broken', iif(i % 3, 'passed', 'failed'))`,
      late: few,
      counts: '1',
      ordinal: 'i',
      started_at: at,
      finished_at: at,
      duration_ms: '1000',
      commit_id: `'c' || (i / 2)`,
      branch: `iif(${few}, 'few', iif(i % 4, 'main', 'next'))`,
      environment: `iif(${few}, 'few', 'staging')`,
      revision: '1',
      totals: `'{"tests":0,"passed":0,"failed":0,"broken":0,"skipped":0,"unknown":0,"flaky":0}'`,
      harness_errors: `'[]'`,
      properties: `'{}'`,
      author_token: `'tok_bench'`,
    });
    database.exec(`insert into time_blocks select 'log_entries', seq >> 10, min(at), max(at) from log_entries
      where true group by 2 on conflict do update set earliest = excluded.earliest, latest = excluded.latest`);
    database.exec('commit; pragma wal_checkpoint(truncate)');
  } finally {
    database.close();
  }
}

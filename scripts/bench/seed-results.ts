// Test runs to measure with, written into the database of a data folder whose server has stopped:
// a million results would take long to submit, and how they came does not matter to who reads.
import { join } from 'node:path';
import Database from 'libsql';

export interface SeededResults {
  /** Ids of runs, spread over all. */
  runIds: string[];
  /** Keys of tests, spread over all. */
  testKeys: string[];
}

/** The database computes with it as with whole numbers. */
const SPAN = 131_072;
/** Runs at one commit. */
const AT_A_COMMIT = 2;
const SHOWN = 25;

/**
 * Writes runs of the only project, each with a result of every test.
 *
 * @param runs - how many runs
 * @param tests - how many tests
 */
export function seedResults(dataDir: string, runs: number, tests: number): SeededResults {
  const database = new Database(join(dataDir, 'pqrs.db'));
  try {
    database.exec('pragma synchronous = off');
    const { id } = database.prepare('select id from projects').get() as { id: string };
    const counted = (last: number) =>
      `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${last - 1})`;
    database.exec(`begin;
      ${counted(tests)} insert into tests (seq, project_id, test_key, name, path, file, line)
        select ${SPAN} + i, '${id}', 't1:' || printf('%027d', i), 'takes a card of kind ' || i, '["checkout", "cards"]',
          'test/checkout-' || (i % 40) || '.test.ts', i % 500 from n;
      ${counted(runs)} insert into test_runs (id, project_id, batch, body_sha256, name, status, counts, ordinal,
          started_at, finished_at, duration_ms, commit_id, branch, environment, revision, totals, harness_errors,
          format, tool, properties, agent, author_token, author_label, created_at)
        select 'run_' || printf('%026d', i), '${id}', i + 1, 'none', 'nightly ' || i, iif(i % 3, 'failed', 'passed'), 1,
          i + 1, 1769860800000 + i * 60000, 1769860860000 + i * 60000, 60000, 'commit-' || (i / ${AT_A_COMMIT}),
          iif(i % 4, 'main', 'next'), 'staging', 1,
          '{"tests":${tests},"passed":${tests},"failed":0,"broken":0,"skipped":0,"unknown":0,"flaky":0}', '[]', 'junit',
          'bun test', '{}', '{"name":"ci-' || (i % 5) || '","version":null}', 'tok_bench', 'bench',
          1769860860000 + i * 60000 from n;
      commit;`);
    const insert = (from: number, to: number) =>
      database.exec(`with recursive run (r) as (select ${from} union all select r + 1 from run where r < ${to - 1}),
        test (t) as (select 0 union all select t + 1 from test where t < ${tests - 1})
        insert into test_results (seq, test_seq, status, duration_ms, flaky, story_ids, message, trace)
        select (r + 1) * ${SPAN} + t, ${SPAN} + t, iif((r * 7 + t) % 50 = 0, 'failed', 'passed'),
          (r * 31 + t * 17) % 900, 0, iif(t % 3 = 0, '["US-' || (t % 200) || '"]', null),
          iif((r * 7 + t) % 50 = 0, 'expected 200, got 502 of the gateway ' || r, null),
          iif((r * 7 + t) % 50 = 0, replace(hex(zeroblob(500)), '00', 'at'), null) from run cross join test`);
    for (let from = 0; from < runs; from += 100) insert(from, Math.min(runs, from + 100));
  } finally {
    database.close();
  }
  const spread = (count: number) =>
    Array.from({ length: Math.min(SHOWN, count) }, (_, at) => Math.floor((at * count) / SHOWN));
  return {
    runIds: spread(runs).map((at) => `run_${String(at).padStart(26, '0')}`),
    testKeys: spread(tests).map((at) => `t1:${String(at).padStart(27, '0')}`),
  };
}

// Commands with their runs and results as rows, as many as a large project has after a while.
import { join } from 'node:path';
import Database from 'libsql';
import { remember } from '../../src/quality/commands/rows.ts';

export const COMMANDS = 10_000;
export const STORIES = 5000;
const RUNS_EACH = 2;
const RESULTS_A_RUN = 25;
export const RESULTS = COMMANDS * RUNS_EACH * RESULTS_A_RUN;
const SPAN = 131_072;

interface Graph {
  nodes: { id: string; fingerprint: string; deepFingerprint: string }[];
}

/** The stories, as Markdown. */
export function storySource(): string {
  return Array.from({ length: STORIES }, (_, at) => {
    const priority = ['high', 'medium', 'low'][at % 3];
    return `## US-${at}: Story ${at}\n\nAs a user I have story ${at}.\n\nPriority: ${priority}\n`;
  }).join('\n');
}

/** Writes commands, what is learned of them, runs, tests and results into the one project's database. */
export function seedRuns(dataDir: string, { nodes }: Graph): void {
  const database = new Database(join(dataDir, 'pqrs.db'));
  const pinned = new Map(
    nodes.map(({ id, fingerprint, deepFingerprint }) => [id, [fingerprint, deepFingerprint]]),
  );
  const commands = Array.from({ length: COMMANDS }, (_, at) => {
    const storyIds = [`US-${at % STORIES}`, `US-${(at * 7919) % STORIES}`];
    let outcomes = '';
    for (let run = 0; run < 40; run += 1) {
      const outcome = (at * 31 + run * run) % 11 === 0 ? 'failed' : 'passed';
      outcomes = remember(outcomes, { outcome, flaky: (at + run) % 97 === 0 });
    }
    const durations = Array.from({ length: 100 }, (_, run) => 500 + ((at * 17 + run * 29) % 9000));
    const pins = Object.fromEntries(storyIds.map((id) => [id, pinned.get(id)]));
    return [at, storyIds, outcomes, JSON.stringify(durations), JSON.stringify(pins)];
  });
  const rows = JSON.stringify(commands);
  const project = '(select id from projects)';
  const numbers = (count: number) =>
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})`;
  const runs = COMMANDS * RUNS_EACH;
  const steps: [sql: string, ...values: string[]][] = [
    [
      `insert into test_commands (seq, id, project_id, key, name, kind, argv, env, timeout_ms, report, story_ids,
        routes, tags, credentials, on_lease_lost, max_attempts, state, fingerprint, author_token, created_at, updated_at)
      select (value->>0) + 1, 'cmd_' || (value->>0), ${project}, 'key-' || (value->>0), 'Command ' || (value->>0),
        'shell', '["true"]', '{}', 600000, '{"format":"junit","path":"junit.xml"}', value->1, '["GET /a"]', '["smoke"]',
        '[]', 'retry', 3, 'active', 'c1:1', 'tok', 1, 1 from json_each(?)`,
      rows,
    ],
    [
      `insert into command_stats (command_id, project_id, runs, passed, flaky, outcomes, durations, last_run_id,
        last_batch, last_status, last_at, last_duration_ms, last_ordinal, last_fingerprint)
      select 'cmd_' || (value->>0), ${project}, 40, 36, 1, value->>2, value->>3, 'run', (value->>0) + ${runs - COMMANDS} + 1,
        'passed', 1, 1000, (value->>0) + ${runs - COMMANDS} + 1, 'c1:1' from json_each(?)`,
      rows,
    ],
    [
      `insert into run_pins (batch, pins) select (value->>0) + ${runs - COMMANDS} + 1, value->>4 from json_each(?)`,
      rows,
    ],
    [
      `${numbers(runs)} insert into test_runs (id, project_id, batch, body_sha256, name, command_id, status, late, counts,
        ordinal, duration_ms, commit_id, revision, totals, harness_errors, properties, author_token, created_at)
      select 'run_' || i, ${project}, i + 1, 'x', 'Run', 'cmd_' || (i % ${COMMANDS}), 'passed', 0, 1, i + 1, 1000,
        'commit-' || (i / 500), 1, '{"flaky":0}', '[]', '{}', 'tok', 1 from n`,
    ],
    [
      `${numbers(COMMANDS * RESULTS_A_RUN)} insert into tests (seq, project_id, test_key, name, path, file)
      select i + 1, ${project}, 't1:' || i, 'does the ' || i || 'th of its things', '["suite"]', 'test/a.test.ts' from n`,
    ],
    [
      `${numbers(RESULTS)} insert into test_results (seq, test_seq, status, duration_ms, flaky)
      select (i / ${RESULTS_A_RUN} + 1) * ${SPAN} + i % ${RESULTS_A_RUN}, i % ${COMMANDS * RESULTS_A_RUN} + 1,
        iif(i % 20 = 0, 'failed', 'passed'), i % 900, 0 from n`,
    ],
  ];
  database.exec('begin');
  for (const [sql, ...values] of steps) database.prepare(sql).run(values);
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)');
  database.close();
}

/** Looks at every one of these rows once, in SQL, and answers numbers: what a plan is measured against. */
export function passInSql(dataDir: string): { run(): number; close(): void } {
  const database = new Database(join(dataDir, 'pqrs.db'), { readonly: true } as never);
  const results = database.prepare(
    `select count(*), sum(status in ('failed', 'broken')), sum(duration_ms), sum(flaky) from test_results`,
  );
  const commands = database.prepare(
    `select count(*), sum(length(c.story_ids)), sum(length(s.outcomes)), sum(length(s.durations)), sum(length(p.pins))
    from test_commands c join command_stats s on s.command_id = c.id join run_pins p on p.batch = s.last_batch`,
  );
  return {
    run() {
      const began = performance.now();
      results.get();
      commands.get();
      return performance.now() - began;
    },
    close: () => database.close(),
  };
}

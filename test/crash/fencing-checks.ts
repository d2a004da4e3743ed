// Holds the data folder of a service that has stopped against what it said to its agents: one accepted
// result for each item, no item leased twice at the same time, nothing overwritten, nothing lost.
import { join } from 'node:path';
import Database from 'libsql';
import type { Observed } from './fencing-agents.ts';

interface ItemRow {
  position: number;
  state: string;
  outcome: string | null;
  attempts: number;
  run_id: string;
  on_lease_lost: string;
}
interface RunRow {
  id: string;
  position: number;
  attempt: number;
  state: string;
  created_at: number;
}
interface ReportRow {
  id: string;
  position: number;
  status: string;
  late: number;
  counts: number;
  message: string | null;
}

export interface FencingFigures {
  items: number;
  attempts: number;
  /** Items that ended without a result: their lease was lost as often as their command allows. */
  broken: number;
  late: number;
}

/**
 * Looks at everything that was promised.
 *
 * @param seen - the state of each run as a listener was observed it last
 * @returns what is not as it must be goes to `complaints`
 */
export function checkFencing(
  dataDir: string,
  {
    planId,
    observed,
    seen,
  }: { planId: string; observed: Observed; seen: ReadonlyMap<string, string> },
): FencingFigures {
  const database = new Database(join(dataDir, 'pqrs.db'));
  const all = <T>(sql: string, ...values: unknown[]) => database.prepare(sql).all(values) as T[];
  const items = all<ItemRow>(
    `select i.*, c.on_lease_lost from plan_items i join test_commands c on c.id = i.command_id
     where plan_id = ? order by position`,
    planId,
  );
  const runs = all<RunRow>('select * from run_states where plan_id = ? order by seq', planId);
  const reports = all<ReportRow>(
    `select r.id, s.position, r.status, r.late, r.counts, t.message from test_runs r
     join run_states s on s.command_id = r.command_id and s.plan_id = ?1 and s.attempt = 1
     join test_results t on t.seq between r.batch * 131072 and r.batch * 131072 + 131071`,
    planId,
  );
  const complain = (text: string) => void observed.complaints.push(text);
  const runsOf = Map.groupBy(runs, ({ position }) => position);
  const reportsOf = Map.groupBy(reports, ({ position }) => position);
  const promises = new Map(observed.runs.map((run) => [run.runId, run]));
  let broken = 0;

  for (const item of items) {
    const { position } = item;
    const own = runsOf.get(position) ?? [];
    const accepted = (reportsOf.get(position) ?? []).filter(({ counts }) => counts === 1);
    const is = (what: boolean, otherwise: string) =>
      what ||
      complain(`item ${position}: ${otherwise} (${JSON.stringify({ item, own, accepted })})`);
    is(item.state === 'ended', 'has not ended');
    is(item.attempts === own.length, 'has as many attempts as runs');
    is(
      own.every(({ attempt }, at) => attempt === at + 1),
      'its attempts are not counted up',
    );
    is(own.at(-1)?.id === item.run_id, 'is not of its newest attempt');
    if (accepted.length === 0) {
      broken += 1;
      is(item.outcome === 'broken', 'has neither a result nor been given up');
      is(item.on_lease_lost === 'fail' || item.attempts >= MAX_ATTEMPTS, 'was given up too early');
      is(
        own.every(({ state }) => state === 'lost'),
        'has a run that is not lost',
      );
    } else {
      is(accepted.length === 1, 'has more than one accepted result');
      is(accepted[0]?.id === item.run_id, 'has its result by another than its newest attempt');
      is(accepted[0]?.status === item.outcome, 'did not end as its result says');
      is(own.at(-1)?.state === item.outcome, 'its run did not end as its result says');
      is(
        own.slice(0, -1).every(({ state }) => state === 'lost'),
        'has an attempt that was not lost before the next one',
      );
    }
    for (const [at, run] of own.entries()) {
      const next = own[at + 1];
      const until = promises.get(run.id)?.heldUntil ?? 0;
      if (next && next.created_at < until)
        complain(`item ${position}: claimed ${until - next.created_at} ms before its lease ended`);
    }
  }

  const reportIds = new Map(reports.map((report) => [report.id, report]));
  for (const { id, runId, late, status, nonce } of observed.reports) {
    const report = reportIds.get(id);
    if (!report) complain(`the report ${id} of ${runId} was acknowledged and is not there`);
    else if (report.message !== nonce || report.status !== status)
      complain(`the report ${id} of ${runId} was overwritten`);
    else if ((report.late === 1) !== late || (report.counts === 1) === late)
      complain(`the report ${id} of ${runId} was late ${late} and is late ${report.late}`);
  }
  for (const { runId } of observed.runs)
    if (!runs.some(({ id }) => id === runId)) complain(`the run ${runId} is not there`);
  for (const { id, state } of runs)
    if (seen.get(id) !== state)
      complain(`${id} is ${state}; listeners were observed ${seen.get(id)}`);
  for (const [what, sql] of Object.entries(LEFT_OVER)) {
    const left = all(sql).length;
    if (left > 0) complain(`${left} ${what}`);
  }
  const [integrity] = all<{ integrity_check: string }>('pragma integrity_check');
  if (integrity?.integrity_check !== 'ok') complain(`integrity: ${JSON.stringify(integrity)}`);
  database.close();
  const late = reports.filter((report) => report.late === 1).length;
  return { items: items.length, attempts: runs.length, broken, late };
}

/** Of the commands of a round: more than any item of it can lose by chance. */
export const MAX_ATTEMPTS = 10;

const LEFT_OVER = {
  'leases that have not ended': 'select id from leases where ended_at is null',
  'suites that have not ended': 'select id from suites where ended_at is null',
  'reports that were left half done': 'select batch from run_batches',
  'runs whose stories were left unjudged': 'select batch from unjudged_runs',
  'results that no run has': `select seq from test_results where seq / 131072 not in (select batch from test_runs)`,
  'commands whose statistics count other runs than those accepted': `select command_id from command_stats s
    where runs <> (select count(*) from test_runs r where r.command_id = s.command_id and counts = 1)`,
};

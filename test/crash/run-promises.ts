// Holds a running server, and the data folder of a stopped one, against the runs that it was sent:
// each is there whole or not at all, and what was answered with success is there.
import { join } from 'node:path';
import Database from 'libsql';
import { openClient } from '../../scripts/bench/client.ts';
import type { PromisedRun } from '../../scripts/bench/ledger.ts';
import type { RunningPqrs } from '../../scripts/bench/running.ts';
import { type ReportPlan, sendAgain } from './report-load.ts';

export interface RunFindings {
  runs: number;
  results: number;
  /** Runs that were under way when the server died, and were sent again. */
  again: number;
  broken: string[];
}

interface ShownRun {
  id: string;
  externalId: string;
  status: string;
  totals: { tests: number; passed: number };
  attachments: { sha256: string }[];
  results: { items: { testKey: string }[]; nextCursor: string | null };
}

/** Asks a running server for runs that it has promised, with all of their results. */
export async function checkRuns(
  server: RunningPqrs,
  runs: readonly PromisedRun[],
  findings: RunFindings,
): Promise<void> {
  const client = await openClient(server.port);
  for (const run of runs) {
    if (run.id === undefined) continue;
    findings.runs += 1;
    const keys = new Set<string>();
    let cursor = '';
    do {
      const path = `/api/test-runs?id=${run.id}&limit=200${cursor}`;
      const answer = await client.ask({ method: 'GET', path, token: server.token });
      if (answer.status !== 200) {
        findings.broken.push(`run ${run.id} is answered with ${answer.status}`);
        break;
      }
      const shown = JSON.parse(answer.body.toString()) as ShownRun;
      if (cursor === '') checkHead(run, shown, findings);
      for (const { testKey } of shown.results.items) keys.add(testKey);
      const { nextCursor } = shown.results;
      cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`;
    } while (cursor !== '');
    findings.results += keys.size;
    if (keys.size !== run.cases)
      findings.broken.push(`run ${run.id} has ${keys.size} of ${run.cases} results`);
  }
  client.close();
}

function checkHead(run: PromisedRun, shown: ShownRun, { broken }: RunFindings): void {
  const { status, totals, attachments } = shown;
  const whole = totals.tests === run.cases && totals.passed === run.cases && status === 'passed';
  if (shown.externalId !== run.name || !whole)
    broken.push(`run ${run.id} is another: ${JSON.stringify({ status, totals })}`);
  const files = attachments.map(({ sha256 }) => sha256).join();
  if (files !== (run.fileSha256 ?? '')) broken.push(`the files of run ${run.id} are others`);
}

/** Sends again what was never answered, as its sender would; from then on it is promised. */
export async function repeatRuns(
  server: RunningPqrs,
  plan: Pick<ReportPlan, 'token' | 'command'>,
  runs: readonly PromisedRun[],
  findings: RunFindings,
): Promise<void> {
  const client = await openClient(server.port);
  for (const run of runs) {
    if (run.id !== undefined) continue;
    const { status, body } = await sendAgain(client, plan, run);
    findings.again += 1;
    if (status === 200 || status === 201)
      run.id = (JSON.parse(body.toString()) as { id: string }).id;
    else findings.broken.push(`a report that is sent again is answered with ${status}: ${body}`);
  }
  client.close();
}

/** How many batches a stopped server has left to its next start. */
export function batchesLeft(dataDir: string): number {
  const database = new Database(join(dataDir, 'pqrs.db'), { readonly: true });
  const [row] = database.prepare('select count(*) as n from run_batches').all([]);
  database.close();
  return (row as { n: number }).n;
}

/** What there must be none of. */
const NONE: Record<string, string> = {
  'results without a run':
    'select count(*) as n from test_results where seq / 131072 not in (select batch from test_runs)',
  'tests without a result':
    'select count(*) as n from tests where not exists (select 1 from test_results r where r.test_seq = tests.seq)',
  'runs with fewer or more results than they say': `
    select count(*) as n from test_runs t where json_extract(t.totals, '$.tests') <>
      (select count(*) from test_results r where r.seq >= t.batch * 131072 and r.seq < (t.batch + 1) * 131072)`,
  'results that are no latest one': `
    select count(*) as n from test_results r where true
      and not exists (select 1 from latest_results l where l.test_seq = r.test_seq and l.result_seq = r.seq)`,
  'latest results without a result':
    'select count(*) as n from latest_results where result_seq not in (select seq from test_results)',
  'runs without pins or pins without a run': `
    select (select count(*) from test_runs where batch not in (select batch from run_pins))
      + (select count(*) from run_pins where batch not in (select batch from test_runs)) as n`,
  'commands that learned of a run twice or never': `
    select count(*) as n from command_stats s
      where s.runs <> (select count(*) from test_runs t where t.command_id = s.command_id and t.counts = 1)`,
  'ordinals that are not 1, 2, 3 ...': `
    select count(*) - coalesce(max(ordinal), 0) + count(*) - count(distinct ordinal) as n from test_runs where counts = 1`,
};

/** Looks into the data folder of a stopped server that has left no batches. */
export function checkRunRows(
  dataDir: string,
  runs: readonly PromisedRun[],
  { broken }: Pick<RunFindings, 'broken'>,
): void {
  const database = new Database(join(dataDir, 'pqrs.db'), { readonly: true });
  try {
    for (const [what, query] of Object.entries(NONE)) {
      const [row] = database.prepare(query).all([]);
      const { n } = row as { n: number };
      if (n !== 0) broken.push(`${n} ${what}`);
    }
    const rows = database.prepare('select external_id, id from test_runs').all([]);
    const ids = new Map(
      (rows as { external_id: string; id: string }[]).map((row) => [row.external_id, row.id]),
    );
    const lost = runs.filter(({ id, name }) => id !== undefined && ids.get(name) !== id);
    if (lost.length > 0) broken.push(`${lost.length} runs are lost`);
  } finally {
    database.close();
  }
}

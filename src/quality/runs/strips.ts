// How tests and commands went in their newest runs that count: of a page of them, in one query.
import type { Static } from '@sinclair/typebox';
import { timestamp } from '../../clock.ts';
import { yieldToEventLoop } from '../../runtime/scheduler.ts';
import { executeRaw } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import { isFailing } from './flaky.ts';
import { BATCH_SPAN, type FailingSince, type Outcome } from './model.ts';

const STRIP = 20;
/** Of one that fails in all of its strip, how far back is looked for its first failure. */
const MAX_RUNS = 100;
/** Looked up at a time: of each there may be a hundred results, each on a page of its own. */
const SLICE = 50;

export interface Strip {
  strip: Static<typeof Outcome>[];
  failingSince: Static<typeof FailingSince> | null;
}

export const NO_STRIP: Strip = { strip: [], failingSince: null };

const RUN = 'u.id, u.commit_id, coalesce(u.finished_at, u.started_at, u.created_at)';

const NEWEST = {
  test: `
    select k.value, r.status, r.flaky, ${RUN} from json_each(?) k
    cross join test_results r on r.seq in (
      select o.seq from test_results o indexed by test_results_test
      cross join test_runs c on c.batch = o.seq / ${BATCH_SPAN}
      where o.test_seq = k.value and c.counts = 1 order by o.seq desc limit ?)
    cross join test_runs u on u.batch = r.seq / ${BATCH_SPAN}
    order by r.seq`,
  command: `
    select k.value, u.status, u.totals ->> 'flaky' > 0, ${RUN} from json_each(?) k
    cross join test_runs u on u.seq in (
      select seq from test_runs indexed by test_runs_command
      where command_id = k.value and counts = 1 order by seq desc limit ?)
    order by u.seq`,
};

/** @param keys - the `seq` of tests, the ids of commands */
export async function stripsOf<K extends number | string>(
  db: Db,
  kind: keyof typeof NEWEST,
  keys: readonly K[],
): Promise<(key: K) => Strip> {
  const newest = await outcomesOf(db, kind, keys, STRIP);
  const long = [...newest].filter(([, all]) => all.length === STRIP && all.every(mayGoOn));
  const further = await outcomesOf(
    db,
    kind,
    long.map(([key]) => key),
    MAX_RUNS,
  );
  return (key) => {
    const strip = newest.get(key) ?? [];
    return { strip, failingSince: firstFailure(further.get(key) ?? strip) };
  };
}

/** The oldest first, by test or command. */
async function outcomesOf<K extends number | string>(
  db: Db,
  kind: keyof typeof NEWEST,
  keys: readonly K[],
  limit: number,
): Promise<Map<K, Strip['strip']>> {
  const found = new Map<K, Strip['strip']>();
  for (let from = 0; from < keys.length; from += SLICE) {
    if (from > 0) await yieldToEventLoop();
    const some = JSON.stringify(keys.slice(from, from + SLICE));
    const rows = await executeRaw(db, NEWEST[kind], [some, limit]);
    for (const [key, status, flaky, runId, commit, at] of rows as unknown as Row<K>[]) {
      const outcome = { status, flaky: flaky === 1, runId, commit, at: timestamp(at) };
      const known = found.get(key);
      if (known) known.push(outcome);
      else found.set(key, [outcome]);
    }
  }
  return found;
}

type Row<K> = [
  ...[key: K, status: Outcome['status'], flaky: number],
  ...[runId: string, commit: string | null, at: number],
];

function mayGoOn({ status }: Outcome): boolean {
  return status !== 'passed';
}

/** The first failure of those that no pass ends; skipped ones end nothing. */
function firstFailure(outcomes: readonly Outcome[]): Strip['failingSince'] {
  if (!isFailing(outcomes.at(-1)?.status ?? '')) return null;
  const passed = outcomes.findLastIndex(({ status }) => status === 'passed');
  const first = outcomes.slice(passed + 1).find(({ status }) => isFailing(status));
  if (!first) return null;
  const { runId, commit, at } = first;
  return { runId, commit, at };
}

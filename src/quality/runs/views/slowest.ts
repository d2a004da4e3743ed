// The tests that take longest over the newest runs.
import type { Static } from '@sinclair/typebox';
import type { Db } from '../../../store/database.ts';
import { percentile } from '../../commands/stats.ts';
import { SlowTest } from '../model.ts';
import type { RunFilters } from '../query.ts';
import { shareOf } from '../share.ts';
import { firstTests, readWindow, type View, type WindowSample, withTests } from './window.ts';

export async function findSlowest(
  db: Db,
  projectId: string,
  filters: RunFilters,
): Promise<View<Static<typeof SlowTest>>> {
  const { window, samples } = await readWindow(db, projectId, filters);
  let all = 0;
  for (const own of samples.values()) for (const ms of durationsOf(own)) all += ms;
  const timed = (own: WindowSample[]) => {
    const times = durationsOf(own);
    if (times.length === 0) return undefined;
    const sum = times.reduce((so, ms) => so + ms, 0);
    const [p50Ms, p95Ms] = [percentile(times, 0.5) ?? 0, percentile(times, 0.95) ?? 0];
    return { runs: times.length, p50Ms, p95Ms, maxMs: Math.max(...times), time: shareOf(sum, all) };
  };
  const { first, total } = await firstTests(
    samples,
    timed,
    (a, b) => b.p50Ms - a.p50Ms || b.p95Ms - a.p95Ms,
  );
  return { window, total, items: await withTests(db, SlowTest, first) };
}

function durationsOf(samples: readonly WindowSample[]): number[] {
  return samples.flatMap(({ status, durationMs }) =>
    durationMs === null || status === 'skipped' || status === 'unknown' ? [] : durationMs,
  );
}

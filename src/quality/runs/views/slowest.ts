// The tests that take longest over the newest runs.
import type { Static } from '@sinclair/typebox';
import type { Db } from '../../../store/database.ts';
import { percentile } from '../../commands/stats.ts';
import { shownBy } from '../../shown.ts';
import { SlowTest } from '../model.ts';
import type { RunFilters } from '../query.ts';
import { shareOf } from '../share.ts';
import { firstInOrder, openWindow, resultsOf, testsBySeq, type View } from './window.ts';

export async function findSlowest(
  db: Db,
  projectId: string,
  filters: RunFilters,
): Promise<View<Static<typeof SlowTest>>> {
  const window = await openWindow(db, projectId, filters);
  const durations = new Map<number, number[]>();
  let sum = 0;
  for await (const { results } of resultsOf(db, window)) {
    for (const [testSeq, status, , durationMs] of results) {
      if (durationMs === null || status === 'skipped' || status === 'unknown') continue;
      sum += durationMs;
      const own = durations.get(testSeq);
      if (own) own.push(durationMs);
      else durations.set(testSeq, [durationMs]);
    }
  }
  const { first, total } = await firstInOrder(
    durations,
    ([testSeq, own]) => ({
      testSeq,
      runs: own.length,
      p50Ms: percentile(own, 0.5) ?? 0,
      p95Ms: percentile(own, 0.95) ?? 0,
      maxMs: Math.max(...own),
      time: shareOf(
        own.reduce((so, ms) => so + ms, 0),
        sum,
      ),
    }),
    (a, b) => b.p50Ms - a.p50Ms || b.p95Ms - a.p95Ms || a.testSeq - b.testSeq,
  );
  const seqs = first.map(({ testSeq }) => testSeq);
  const testOf = await testsBySeq(db, seqs);
  return {
    window: window.size,
    total,
    items: first.map((slow) => ({
      key: slow.testSeq,
      item: shownBy(SlowTest, { ...testOf(slow.testSeq), ...slow }),
    })),
  };
}

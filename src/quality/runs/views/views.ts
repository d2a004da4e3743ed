// The views of test runs: cached until there are other results, a page of them at a time.
import { invalid } from '../../../errors.ts';
import { encodeCursor } from '../../../model/pages.ts';
import { readContentVersions } from '../../../requirements/projects/content-versions.ts';
import type { Db } from '../../../store/database.ts';
import type { Quality } from '../../quality.ts';
import { createVersionCache } from '../../version-cache.ts';
import type { RunQuery, RunView } from '../query.ts';
import type { ResultBounds } from '../results.ts';
import { findFlaky, findSlowest } from './tests.ts';
import { followTrend } from './trend.ts';
import type { View } from './window.ts';

const VIEWS: Record<RunView, (db: Db, projectId: string, query: RunQuery) => Promise<View>> = {
  flaky: findFlaky,
  slowest: findSlowest,
  trend: (db, projectId, query) => followTrend(db, projectId, query, query.by ?? 'run'),
};

export function openRunViews({ database }: Quality) {
  const cache = createVersionCache<View>(database, ({ items }) => items.length);
  let last: Promise<unknown> = Promise.resolve();

  /** @throws Problem `invalid` for a cursor behind what is no longer there */
  return async (view: RunView, projectId: string, query: RunQuery, bounds: ResultBounds) => {
    const { results } = await readContentVersions(database.read, projectId);
    const found = await cache.get(`${projectId} ${bounds.hash}`, [results], () => {
      // One at a time: each holds the results of its window.
      const find = () => VIEWS[view](database.read, projectId, query);
      const made = last.then(find, find);
      last = made;
      return made;
    });
    return pageOfView(found, bounds);
  };
}

function pageOfView({ items, ...view }: View, { hash, behind, limit }: ResultBounds) {
  const at = behind === undefined ? -1 : items.findIndex(({ key }) => key === behind);
  if (behind !== undefined && at < 0)
    throw invalid('/cursor', 'is behind what the view no longer holds: start again without it');
  const rows = items.slice(at + 1, at + 1 + limit);
  const last = rows.at(-1);
  const more = last !== undefined && at + 1 + limit < items.length;
  return {
    items: rows.map(({ item }) => item),
    nextCursor: more ? encodeCursor(hash, last.key) : null,
    ...view,
  };
}

// The tests that wished links name: what is known of a project's tests are those that links name already.
import type { Db } from '../../store/database.ts';
import type { AssuranceState } from '../state/state.ts';
import type { TraceWish } from '../traceability/model.ts';
import { loadResults } from './load-results.ts';
import type { ResultIndex } from './result-index.ts';

/**
 * Reads the tests that links would name, before these are written.
 *
 * @returns what a state knows of tests with those; the same where there are no others
 */
export async function testsNamedBy(
  db: Db,
  { effective, tests }: Pick<AssuranceState, 'effective' | 'tests'>,
  wishes: readonly TraceWish[],
): Promise<ResultIndex> {
  const ids = wishes.flatMap(({ target }) => (target.kind === 'test' ? target.id : []));
  if (ids.every((id) => tests.wanted.has(id))) return tests;
  return loadResults(
    db,
    effective.projectId,
    tests,
    async () => new Set([...tests.wanted, ...ids]),
  );
}

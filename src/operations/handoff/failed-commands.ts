// The commands by which stories fail, and that could be run again.
import { and, eq, inArray } from 'drizzle-orm';
import { pastOf } from '../../agents/plan/history.ts';
import { DEFAULT_SETTINGS } from '../../agents/plan/settings.ts';
import { listGaps } from '../../assurance/coverage/gaps.ts';
import { chunksOf } from '../../assurance/state/chunks.ts';
import type { AssuranceState } from '../../assurance/state/state.ts';
import type { Db } from '../../store/database.ts';
import { planItems } from '../../store/tables/agents.ts';
import { commandStats } from '../../store/tables/quality.ts';

/**
 * Counts the commands that a plan of failures would hold for the sake of stories that fail: what made
 * these fail was their run, and they are in no plan yet. A test that no command ran is no plan's.
 *
 * @param planIds - of the plans that are not worked off
 */
export async function countFailedCommands(
  db: Db,
  state: AssuranceState,
  planIds: readonly string[],
): Promise<number> {
  const failed = new Set<string>();
  for (const some of chunksOf([...commandsOfFailures(state)])) {
    const rows = await db
      .select({ id: commandStats.commandId, outcomes: commandStats.outcomes })
      .from(commandStats)
      .where(inArray(commandStats.commandId, some));
    for (const { id, outcomes } of rows)
      if (pastOf({ outcomes, lastOrdinal: null }, DEFAULT_SETTINGS).failures > 0) failed.add(id);
  }
  if (failed.size === 0) return 0;
  for (const planId of planIds) {
    const planned = await db
      .select({ id: planItems.commandId })
      .from(planItems)
      .where(and(eq(planItems.planId, planId), inArray(planItems.state, ['open', 'claimed'])));
    for (const { id } of planned) failed.delete(id);
  }
  return failed.size;
}

function commandsOfFailures(state: AssuranceState): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { gaps } of listGaps(state).items) {
    for (const { gap, target } of gaps) {
      const ran = gap === 'failing_test' && target ? state.results.of(target)?.commandId : null;
      if (ran) found.add(ran);
    }
  }
  return found;
}

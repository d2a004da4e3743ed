// Test commands as they are shown.
import { timestamp } from '../../clock.ts';
import { etagOf } from '../../model/etag.ts';
import type { CommandStatsRow, TestCommandRow } from '../../store/tables/quality.ts';
import { shownBy } from '../shown.ts';
import { stateOf, TestCommand } from './model.ts';
import { statsView } from './stats.ts';

/** @param options - `seesValues`: values of variables are shown, else their names alone */
export function commandView(
  row: TestCommandRow,
  stats: CommandStatsRow | undefined,
  { seesValues, now }: { seesValues: boolean; now: number },
) {
  const { env, quarantine } = row;
  return shownBy(TestCommand, {
    ...row,
    env: seesValues ? env : Object.fromEntries(Object.keys(env).map((name) => [name, null])),
    state: stateOf(row, now),
    quarantine: quarantine && { ...quarantine, until: timestamp(quarantine.until) },
    stats: statsView(stats),
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  });
}

export function commandEtag(view: { version: number }): string {
  return etagOf(view.version, JSON.stringify(view));
}

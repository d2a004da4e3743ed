// Test commands as they are shown.
import type { Static } from '@sinclair/typebox';
import type { Caller } from '../../access/caller.ts';
import { timestamp } from '../../clock.ts';
import { etagOf } from '../../model/etag.ts';
import type { CommandStatsRow, TestCommandRow } from '../../store/tables/quality.ts';
import type { TestCommand } from './docs.ts';
import { stateOf } from './model.ts';
import { statsView } from './stats.ts';

export function seesValues({ capabilities }: Pick<Caller, 'capabilities'>): boolean {
  return capabilities.has('project:owner') || capabilities.has('agent:execute');
}

/**
 * A command as it is shown.
 *
 * @param options - `seesValues`: whether values of variables are shown, else their names alone;
 *   `now`: milliseconds since the epoch
 */
export function commandView(
  row: TestCommandRow,
  stats: CommandStatsRow | undefined,
  { seesValues, now }: { seesValues: boolean; now: number },
) {
  const { env, quarantine } = row;
  const view = {
    id: row.id,
    key: row.key,
    name: row.name,
    kind: row.kind,
    argv: row.argv,
    cwd: row.cwd,
    env: seesValues ? env : Object.fromEntries(Object.keys(env).map((name) => [name, null])),
    timeoutMs: row.timeoutMs,
    report: row.report,
    storyIds: row.storyIds,
    routes: row.routes,
    tags: row.tags,
    credentials: row.credentials,
    allowArchives: row.allowArchives,
    onLeaseLost: row.onLeaseLost,
    maxAttempts: row.maxAttempts,
    state: stateOf(row, now),
    quarantine: quarantine && { ...quarantine, until: timestamp(quarantine.until) },
    fingerprint: row.fingerprint,
    stats: statsView(stats),
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
    version: row.version,
  };
  return view as typeof view & Static<typeof TestCommand>;
}

export function commandEtag(view: { version: number }): string {
  return etagOf(view.version, JSON.stringify(view));
}

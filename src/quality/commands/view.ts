// Test commands as they are shown.

import type { Caller } from '../../access/caller.ts';
import { timestamp } from '../../clock.ts';
import { etagOf } from '../../model/etag.ts';
import type { CommandStatsRow, TestCommandRow } from '../../store/tables/quality.ts';
import { type Quarantine, stateOf } from './model.ts';
import { statsView } from './stats.ts';

export interface Onlooker {
  /** Whether values of variables are shown; else their names alone. */
  seesValues: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Values of variables are for those who run commands: owners and agents. */
export function seesValues({ capabilities }: Pick<Caller, 'capabilities'>): boolean {
  return capabilities.has('project:owner') || capabilities.has('agent:execute');
}

/** A command as it is shown. */
export function commandView(
  row: TestCommandRow,
  stats: CommandStatsRow | undefined,
  onlooker: Onlooker,
) {
  const { id, key, name, kind, cwd, timeoutMs, onLeaseLost, maxAttempts } = row;
  return {
    ...{ id, key, name, kind },
    argv: row.argv,
    cwd,
    env: variables(row, onlooker.seesValues),
    timeoutMs,
    report: row.report,
    storyIds: row.storyIds,
    routes: row.routes,
    tags: row.tags,
    credentials: row.credentials,
    allowArchives: row.allowArchives,
    ...{ onLeaseLost, maxAttempts },
    state: stateOf(row, onlooker.now),
    quarantine: quarantineView(row.quarantine),
    fingerprint: row.fingerprint,
    stats: statsView(stats),
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
    version: row.version,
  };
}

function variables({ env }: TestCommandRow, withValues: boolean): Record<string, string | null> {
  const all = env;
  return withValues ? all : Object.fromEntries(Object.keys(all).map((name) => [name, null]));
}

function quarantineView(quarantine: Quarantine | null) {
  return quarantine && { ...quarantine, until: timestamp(quarantine.until) };
}

/** The entity tag of a command as it is shown. */
export function commandEtag(view: { version: number }): string {
  return etagOf(view.version, JSON.stringify(view));
}

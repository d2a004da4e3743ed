// What an agent is to run, item by item, and what a claim pins of its stories.
import type { Effective } from '../../requirements/graph/effective.ts';
import type { ClaimedItem, Pins } from '../../store/tables/json.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';

export interface Pinned {
  revision: number;
  overlayClock: number;
  pins: Pins;
}

export function itemOfCommand(command: TestCommandRow): Required<ClaimedItem> {
  return {
    name: command.name,
    kind: command.kind,
    cwd: command.cwd,
    timeoutMs: command.timeoutMs,
    argv: command.argv,
    env: command.env,
    report: command.report,
    storyIds: command.storyIds,
  };
}

/** What a run pins of these stories; those that do not exist are left out. */
export function pinStories(
  graph: Pick<Effective, 'revision' | 'overlayClock' | 'node'>,
  storyIds: readonly string[],
): Pinned {
  const pins: Record<string, [string, string]> = {};
  for (const id of storyIds) {
    const node = graph.node(id);
    if (node) pins[id] = [node.fingerprint, node.deepFingerprint];
  }
  return {
    revision: graph.revision?.number ?? 0,
    overlayClock: graph.overlayClock,
    pins,
  };
}

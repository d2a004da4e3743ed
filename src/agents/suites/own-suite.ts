// Suites of an agent's own: items that it brings itself, under a lease that lends no credentials.
import { setImmediate } from 'node:timers/promises';
import type { Effective } from '../../requirements/graph/effective.ts';
import type { Db } from '../../store/database.ts';
import { TIMEOUT_MS } from '../commands/body.ts';
import { namedCommand } from '../commands/named-commands.ts';
import type { ClaimedItem } from '../runs/view.ts';
import { itemOfCommand } from './claim-items.ts';
import { pinStories } from './claim-on-graph.ts';
import type { OwnItemInput } from './model.ts';
import {
  type NewSuite,
  type OpenedSuite,
  openSuite,
  ROWS_A_TURN,
  type SuiteItem,
} from './open-suite.ts';

/**
 * Opens a suite of an agent's own items, inside the caller's write.
 *
 * @param graph - the project's requirements as the database has them
 * @throws Problem `not_found` for a command that there is not, `conflict` for one that is disabled or
 *   archived
 */
export async function openOwnSuite(
  db: Db,
  suite: NewSuite,
  inputs: readonly OwnItemInput[],
  graph: Effective,
): Promise<OpenedSuite> {
  const items: SuiteItem[] = [];
  for (const [index, input] of inputs.entries()) {
    if (index % ROWS_A_TURN === ROWS_A_TURN - 1) await setImmediate();
    const { commandId: name, ...given } = input;
    const pointer = `/suite/items/${index}/commandId`;
    const command = name === undefined ? undefined : await namedCommand(db, suite, name, pointer);
    const position = index + 1;
    const item = ownItem(command ? itemOfCommand(command) : bareItem(position), given);
    const pinned = pinStories(graph, item.storyIds);
    items.push({ position, attempt: 1, commandId: command?.id ?? null, item, pinned });
  }
  return openSuite(db, suite, items);
}

function ownItem(
  base: Required<ClaimedItem>,
  { report, ...given }: Omit<OwnItemInput, 'commandId'>,
): Required<ClaimedItem> {
  return {
    ...base,
    ...given,
    ...(report ? { report: { format: report.format, path: report.path ?? null } } : {}),
  };
}

function bareItem(position: number): Required<ClaimedItem> {
  return {
    ...{ name: `Item ${position}`, kind: 'shell', argv: [], cwd: null, env: {} },
    ...{ timeoutMs: TIMEOUT_MS, report: { format: 'none', path: null }, storyIds: [] },
  };
}

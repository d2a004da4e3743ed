// Places in the list of scenarios, as cursors keep them: of a stored one its key, which stays; of one
// of the sources its place and the revision that has it there.
import type { Requirements } from '../../requirements/requirements.ts';
import { firstBehind } from '../keyed-page.ts';
import { catalogSeen, placeBehind, type SeenPlace } from '../runs/source-place.ts';
import { inTurns } from '../turns.ts';
import { type ProjectScenarios, STORED_FROM } from './scenarios.ts';

/** The place of the first scenario behind one that was seen. */
export async function placeOfNext(
  requirements: Requirements,
  projectId: string,
  { listed: { keys, items }, byKey, revision }: ProjectScenarios,
  seen: SeenPlace,
): Promise<number> {
  const { key } = seen;
  const before =
    key < STORED_FROM ? await catalogSeen(requirements, projectId, seen, revision) : undefined;
  if (!before) return firstBehind(keys.length, (at) => (keys[at] ?? 0) > key);
  return inTurns(
    placeBehind(before.scenarios, key, (scenario) => {
      const now = byKey.get(scenario.key);
      return now?.source?.path === scenario.path ? items.indexOf(now) : undefined;
    }),
  );
}

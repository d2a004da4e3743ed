// The stories of which something may be another than in an earlier state.
import type { LinkedStories } from '../results/linked-stories.ts';
import type { IndexChanges } from '../results/result-index.ts';
import type { AssuranceState } from '../state/state.ts';

/** What concerns any story; where it is another, nothing is known of which. */
const WHOLE = [
  ...(['effective', 'catalog', 'tracesOf', 'justificationsOf'] as const),
  ...(['commands', 'scenarios'] as const),
];

/**
 * The ids of the stories that results, verdicts or issues have changed of; undefined where more than
 * these has changed.
 *
 * @param changes - what has other results or links than before
 * @param linked - the stories that tests and commands verify without naming them
 */
export function affectedStories(
  before: AssuranceState,
  state: AssuranceState,
  changes: IndexChanges,
  linked: LinkedStories,
): ReadonlySet<string> | undefined {
  if (WHOLE.some((name) => before[name] !== state[name])) return undefined;
  // By its name a link may lead to another test, or to none.
  if (before.tests.called !== state.tests.called) return undefined;
  const ids = new Set<string>();
  const add = (list: readonly string[] | undefined) => {
    for (const id of list ?? []) ids.add(id);
  };
  for (const key of changes.tests) {
    add(before.tests.tests.get(key)?.storyIds);
    add(state.tests.tests.get(key)?.storyIds);
    add(linked.ofTest.get(key));
  }
  for (const id of changes.commands) {
    add(state.commands.find(id)?.storyIds);
    add(linked.ofCommand.get(id));
  }
  if (state.issuesOf !== before.issuesOf) {
    for (const id of state.issuesOf.keys()) ids.add(id);
    for (const id of before.issuesOf.keys()) ids.add(id);
  }
  if (state.validationsOf !== before.validationsOf) {
    for (const [id, verdicts] of state.validationsOf) {
      if (before.validationsOf.get(id)?.at(-1)?.seq !== verdicts.at(-1)?.seq) ids.add(id);
    }
    for (const id of before.validationsOf.keys()) if (!state.validationsOf.has(id)) ids.add(id);
  }
  return ids;
}

// What a change of stories reaches: stories that rest on them, links that turn suspect, verdicts
// that hold no longer, tests to run again.
import type { Effective } from '../../requirements/graph/effective.ts';
import { reachedBy } from '../../requirements/graph/graph-index.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { contentDisposition } from '../validation/dispositions.ts';
import { linksOf } from './links.ts';
import type { Impact, Under } from './model.ts';

/**
 * The impact of a change.
 *
 * @param changed - ids of stories whose own fingerprint changes
 * @param after - the fingerprints afterwards; those of a text that nobody has ever written, unless given
 */
export function impactOf(
  state: AssuranceState,
  changed: readonly string[],
  after: Under = unseen(state.effective, changed),
): Impact {
  const stories = storiesReached(state.effective, changed);
  return {
    stories,
    ...linksOf(state, stories, after),
    validations: verdictsLost(state, stories, after),
  };
}

/** An impact with the verdicts on stories that are gone that lose the story that these are now. */
export function withOrphans(impact: Impact, verdicts: readonly ValidationRow[]): Impact {
  const orphans = verdicts.map(({ storyId }) => ({ storyId, becomes: 'orphaned' as const }));
  return { ...impact, validations: [...impact.validations, ...orphans] };
}

function unseen({ under }: Effective, changed: readonly string[]): Under {
  const own = new Set(changed);
  return (id, stored) => (own.has(id) || stored.startsWith('d') ? undefined : under(id, stored));
}

function storiesReached({ index }: Effective, changed: readonly string[]): Impact['stories'] {
  const { nodes } = index.graph;
  const origins = changed.flatMap((id) => index.at.get(id) ?? []);
  const { count, places, distances, via } = reachedBy(index, origins);
  const stories: Impact['stories'] = [];
  for (let at = 0; at < count; at += 1) {
    const node = nodes[places[at] as number] as GraphNode;
    if (!isNormative(node)) continue;
    const before = nodes[via[at] as number]?.id ?? null;
    stories.push({ id: node.id, distance: distances[at] as number, via: before });
  }
  return stories;
}

/** The verdicts that stand otherwise afterwards, and do not hold; whatever becomes of their tests. */
function verdictsLost(
  { validationsOf, effective: { under } }: AssuranceState,
  stories: Impact['stories'],
  after: Under,
): Impact['validations'] {
  return stories.flatMap(({ id: storyId }) => {
    const verdicts = validationsOf.get(storyId);
    const last = verdicts?.at(-1);
    if (!verdicts || !last) return [];
    const { disposition: becomes } = contentDisposition({ under: after }, verdicts, last);
    if (becomes === 'transferable' || becomes === 'restored') return [];
    const { disposition: was } = contentDisposition({ under }, verdicts, last);
    return becomes === was ? [] : { storyId, becomes };
  });
}

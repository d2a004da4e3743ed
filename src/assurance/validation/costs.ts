// The verdicts that a change of the requirements costs: those that hold before it, and not after it.

import type { GraphDiff } from '../../requirements/graph/diff.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { upstreamPlaces } from '../../requirements/graph/graph-index.ts';
import type { AssuranceState } from '../state/state.ts';
import { SURE } from './decide.ts';
import { contentDisposition } from './dispositions.ts';
import { storyOf } from './verdicts.ts';

export function verdictCosts(
  { validationsOf }: Pick<AssuranceState, 'validationsOf'>,
  before: Effective,
  after: Effective,
): GraphDiff['verdicts'] {
  const costs: GraphDiff['verdicts'] = [];
  for (const [storyId, verdicts] of validationsOf) {
    const last = verdicts.at(-1);
    if (!last || !storyOf(before, storyId)) continue;
    if (!SURE.has(contentDisposition(before, verdicts, last).disposition)) continue;
    const { verdict } = last;
    if (!storyOf(after, storyId)) {
      costs.push({ storyId, verdict, becomes: 'orphaned', via: storyId });
      continue;
    }
    const { disposition: becomes } = contentDisposition(after, verdicts, last);
    if (becomes === 'invalidated') costs.push({ storyId, verdict, becomes, via: storyId });
    if (becomes !== 'suspect') continue;
    costs.push({ storyId, verdict, becomes, via: changedAbove(before, after, storyId) });
  }
  return costs;
}

/** The nearest that a story rests on and that says something else; itself where what it rested on is gone. */
export function changedAbove(
  before: Pick<Effective, 'under'>,
  { index }: Pick<Effective, 'index'>,
  storyId: string,
): string {
  const places = new Set(index.at.has(storyId) ? [index.at.get(storyId) as number] : []);
  for (const place of places) {
    const node = index.graph.nodes[place];
    if (node && before.under(node.id, node.fingerprint) !== node.fingerprint) return node.id;
    for (const above of upstreamPlaces(index, place)) places.add(above);
  }
  return storyId;
}

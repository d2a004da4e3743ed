// What becomes of verdicts when stories change: their dispositions before and after, without those
// of their tests. Nearly all stories have one verdict, of what they say today; nothing is made anew
// for those.
import type { Draft } from '../../requirements/overlay/draft.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { contentDisposition } from '../validation/dispositions.ts';
import { isOfNode, verdictsByPlace } from '../validation/verdicts-by-place.ts';
import type { Impact, ReachedStories } from './impact.ts';

type Under = AssuranceState['effective']['under'];
type Becomes = Impact['validations'][number]['becomes'];

/**
 * The verdicts on the stories that will stand otherwise than they do, and not hold.
 *
 * @param draft - what the changed stories would say
 */
export function verdictsOf(
  { validationsOf, effective }: Pick<AssuranceState, 'validationsOf' | 'effective'>,
  { stories, places, changed }: ReachedStories,
  draft: Draft,
): Impact['validations'] {
  const validations: Impact['validations'] = [];
  if (validationsOf.size === 0) return validations;
  const { lists: verdictsAt, soleOfToday } = verdictsByPlace(effective.index, validationsOf);
  const { nodes } = effective.index.graph;
  const today = nodes[0]?.fingerprint ?? '';
  const moves = draft.moves(today);
  const isNew = moves && draft.isNew(today);
  const { under } = effective;
  const resting = restingAfter(under, draft);
  for (let at = 0; at < stories.length; at += 1) {
    const { id, distance } = stories[at] as (typeof stories)[number];
    const place = places[at] as number;
    // The changed ones are at no distance.
    if (isNew && distance > 0 && soleOfToday[place] === 1) {
      validations.push({ storyId: id, becomes: 'suspect' });
      continue;
    }
    const verdicts = verdictsAt[place];
    const last = verdicts?.at(-1);
    if (!verdicts || !last) continue;
    let becomes: Becomes | undefined;
    if (changed.has(id)) becomes = changeOf(under, draft.under, verdicts, last);
    else if (isOfNode(last, nodes[place])) {
      if (moves) becomes = changeOf(under, resting, verdicts, last);
    } else becomes = changeOf(under, resting, verdicts, last, HOLDING);
    if (becomes) validations.push({ storyId: id, becomes });
  }
  return validations;
}

/** Fingerprints after the change of stories that say what they did and rest on what changes. */
function restingAfter(before: Under, { moves, isNew, under }: Draft): Under {
  return (id, stored) => {
    if (!stored.startsWith('d') || !moves(stored)) return before(id, stored);
    // What was so, and changes, is not so afterwards, whatever it will be.
    if (isNew(stored) && before(id, stored) === stored) return undefined;
    return under(id, stored);
  };
}

const HOLDING: ReadonlySet<string> = new Set(['transferable', 'restored']);

/**
 * What becomes of a story's verdicts.
 *
 * @param from - the dispositions from which they can come to another that does not hold, where not
 *   all can
 * @returns undefined where they stand as before, or one holds
 */
function changeOf(
  before: Under,
  after: Under,
  verdicts: readonly ValidationRow[],
  last: ValidationRow,
  from?: ReadonlySet<string>,
): Becomes | undefined {
  const { disposition: was } = contentDisposition({ under: before }, verdicts, last);
  if (from?.has(was) === false) return undefined;
  const { disposition: becomes } = contentDisposition({ under: after }, verdicts, last);
  if (becomes === was || becomes === 'transferable' || becomes === 'restored') return undefined;
  return becomes;
}

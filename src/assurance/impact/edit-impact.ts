// What an edit would reach: nothing, where no fingerprint would be another that is of today or that a
// link, a verdict or a run was stamped with.
import { type Draft, draftOf } from '../../requirements/overlay/draft.ts';
import type { EditContent } from '../../requirements/overlay/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { tracesTo } from '../coverage/story-links.ts';
import { listsByPlace } from '../results/lists-by-place.ts';
import type { AssuranceState } from '../state/state.ts';
import { type Impact, impactOf, NO_IMPACT } from './impact.ts';

/** An edit, and what it would do to fingerprints. */
export interface DraftedEdit {
  storyId: string;
  draft: Draft;
  /** The verdicts on stories that are gone and can be no other story than this one. */
  heirOf: readonly ValidationRow[];
}

/**
 * Drafts an edit of a story that there is.
 *
 * @param heirOf - the verdicts on stories that are gone and can be no other story than the edited one
 */
export function draftEdit(
  { effective }: AssuranceState,
  edit: Pick<EditContent, 'storyId' | 'set'>,
  heirOf: readonly ValidationRow[],
): DraftedEdit {
  return { storyId: edit.storyId, draft: draftOf(effective, edit), heirOf };
}

/**
 * The impact of a drafted edit: none where nothing would notice it, be it stamped with the profile of
 * today or with an earlier one.
 */
export function impactOfEdit(state: AssuranceState, edit: DraftedEdit): Impact {
  const { storyId, draft, heirOf } = edit;
  const isOfToday = movesToday(state, edit);
  const isPinned = () => pinsOf(state, storyId).some(draft.moves);
  if (!isOfToday && movedStamps(state, edit).length === 0 && !isPinned()) return NO_IMPACT;
  const found = impactOf(state, [storyId], draft);
  const orphaned = heirOf.filter(({ fingerprint }) => draft.moves(fingerprint));
  if (!isOfToday && orphaned.length === 0 && !isStamped(state, edit, found) && !isPinned())
    return NO_IMPACT;
  return withOrphans(found, orphaned);
}

/** Whether a story would say something else, as fingerprints are made today. */
export function movesToday(
  { effective }: AssuranceState,
  { storyId, draft }: Pick<DraftedEdit, 'storyId' | 'draft'>,
): boolean {
  return draft.moves(effective.node(storyId)?.fingerprint ?? '');
}

/** A fingerprint of each profile of links and verdicts under which a story would say something else. */
export function movedStamps(
  { tracesOf, validationsOf }: AssuranceState,
  { draft }: Pick<DraftedEdit, 'draft'>,
): string[] {
  return [...stampsOf(tracesOf), ...stampsOf(validationsOf)].filter(draft.moves);
}

/**
 * Whether the impact of a drafted edit is the same for whatever else the story would say under the
 * same profiles, as far as is known before it is made: nobody has ever said it, or judged it.
 */
export function isUnheard(
  { validationsOf }: AssuranceState,
  { storyId, draft }: Pick<DraftedEdit, 'storyId' | 'draft'>,
): boolean {
  const judged = validationsOf.get(storyId) ?? [];
  return (
    stampsOf(validationsOf).every((stamp) => !draft.moves(stamp) || draft.isNew(stamp)) &&
    judged.every(
      ({ fingerprint }) =>
        !draft.moves(fingerprint) || draft.under(storyId, fingerprint) !== fingerprint,
    )
  );
}

/** An impact with the verdicts on stories that are gone that lose the story that these are now. */
export function withOrphans(impact: Impact, verdicts: readonly ValidationRow[]): Impact {
  if (verdicts.length === 0) return impact;
  const orphans = verdicts.map(({ storyId }) => ({ storyId, becomes: 'orphaned' as const }));
  return { ...impact, validations: [...impact.validations, ...orphans] };
}

/** Whether a link of the story, or a verdict on what the impact reaches, is stamped with what moves. */
function isStamped(
  { effective, tracesOf, validationsOf }: AssuranceState,
  { storyId, draft }: DraftedEdit,
  { stories }: Impact,
): boolean {
  const moves = ({ fingerprint }: { fingerprint: string }) => draft.moves(fingerprint);
  if (tracesOf.get(storyId)?.some(moves)) return true;
  const verdictsAt = listsByPlace(effective.index, validationsOf);
  return stories.some(({ id }) => verdictsAt[effective.index.at.get(id) ?? -1]?.some(moves));
}

/**
 * The fingerprints that a story had for the newest runs of what it is linked to; of those that have
 * not pinned it their profiles.
 */
function pinsOf(state: AssuranceState, storyId: string): string[] {
  if (state.results.size === 0) return [];
  return tracesTo(state, storyId).flatMap(({ target }) => {
    const result = state.results.of(target);
    const { requirements } = result ?? {};
    const past = requirements ? state.past.of(storyId, requirements)?.[0] : undefined;
    return result?.fingerprintOf(storyId) ?? requirements?.profile ?? past ?? [];
  });
}

type Stamped = ReadonlyMap<string, readonly { fingerprint: string }[]>;

const stamps = new WeakMap<Stamped, readonly string[]>();

/** A fingerprint of each profile that rows are stamped with; gathered once for the same rows. */
function stampsOf(rowsOf: Stamped): readonly string[] {
  const known = stamps.get(rowsOf);
  if (known) return known;
  const byProfile = new Map<string, string>();
  let profile = ' ';
  for (const rows of rowsOf.values()) {
    for (const { fingerprint } of rows) {
      if (fingerprint.startsWith(profile)) continue;
      profile = fingerprint.slice(0, fingerprint.indexOf(':') + 1);
      byProfile.set(profile, fingerprint);
    }
  }
  const made = [...byProfile.values()];
  stamps.set(rowsOf, made);
  return made;
}

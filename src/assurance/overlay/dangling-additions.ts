// Active additions that hang in the air: what they were linked to, or stood below, has left since.
import type { Effective } from '../../requirements/graph/effective.ts';
import type { SourceFinding } from '../../requirements/sources/model.ts';
import type { StoryAdditionRow } from '../../store/tables/assurance.ts';

type Parts = Pick<Effective, 'canonical' | 'index' | 'additions'>;

/** A finding for each link of an addition in force that leads nowhere, and for a parent that is gone. */
export function danglingAdditions(effective: Parts): SourceFinding[] {
  return effective.additions.flatMap((addition) => danglingOf(effective, addition));
}

/** The same of what was added under one id. */
export function danglingAt(effective: Parts, storyId: string): SourceFinding[] {
  const addition = effective.additions.find((one) => one.storyId === storyId);
  return addition ? danglingOf(effective, addition) : [];
}

function danglingOf(
  { canonical, index }: Parts,
  { id, storyId, state }: StoryAdditionRow,
): SourceFinding[] {
  const place = index.at.get(storyId);
  // The sources hold it themselves by now, and their findings are told with the revision.
  if (state !== 'active' || place === undefined || canonical.at.has(storyId)) return [];
  const edges = [...(index.incoming[place] ?? []), ...(index.outgoing[place] ?? [])];
  return edges.flatMap(({ from, to, type, status }) => {
    if (status !== 'dangling') return [];
    const other = from === storyId ? to : from;
    const what = type === 'contains' ? 'stands below' : type;
    return {
      ...{ code: 'dangling_reference', severity: 'error' },
      ...{ path: `story-additions/${id}`, line: 0, itemId: storyId, relatedIds: [other] },
      detail: `${storyId} ${what} ${other}, which is gone.`,
    };
  });
}

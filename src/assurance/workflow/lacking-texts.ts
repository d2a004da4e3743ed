// The texts without which a story is not specified, and the open edits that would give them.
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { EditValues } from '../../requirements/overlay/model.ts';
import type { StoryEditRow } from '../../store/tables/assurance.ts';

type Texts = Pick<EditValues, 'statement' | 'acceptance'>;

/** What a story lacks, in a sentence, and how to tell. */
const NEEDED: readonly { why: string; isNeeded(kind: string): boolean; has(of: Texts): boolean }[] =
  [
    {
      why: 'It has no statement.',
      isNeeded: () => true,
      has: ({ statement = '' }) => statement.trim() !== '',
    },
    {
      why: 'It has no acceptance criteria.',
      isNeeded: (kind) => kind === 'story',
      has: ({ acceptance = [] }) => acceptance.some((one) => one.trim() !== ''),
    },
  ];

/** The texts that a story lacks, a sentence for each. */
export function lackingTexts(node: Pick<GraphNode, 'kind' | 'statement' | 'acceptance'>): string[] {
  return NEEDED.flatMap(({ why, isNeeded, has }) => (isNeeded(node.kind) && !has(node) ? why : []));
}

/** An edit that waits or is in conflict, and that sets what a story lacks. */
export interface Filling {
  edit: Pick<StoryEditRow, 'id' | 'state'>;
  /** What is lacking, as `lackingTexts`. */
  lacking: string[];
}

/**
 * The edits to be settled before others are made: for each text that a story lacks the first that sets
 * it, those that wait for a decision before those in conflict.
 *
 * @param edits - of the story
 */
export function fillingsOf(
  node: Pick<GraphNode, 'kind' | 'statement' | 'acceptance'>,
  edits: readonly StoryEditRow[],
): Filling[] {
  const lacking = new Set(lackingTexts(node));
  const fillings: Filling[] = [];
  for (const state of ['proposed', 'conflicted']) {
    for (const edit of edits) {
      if (lacking.size === 0) return fillings;
      if (edit.state !== state) continue;
      const set = edit.setFields;
      const filled = NEEDED.flatMap(({ why, has }) => (lacking.has(why) && has(set) ? why : []));
      for (const why of filled) lacking.delete(why);
      if (filled.length > 0) fillings.push({ edit, lacking: filled });
    }
  }
  return fillings;
}

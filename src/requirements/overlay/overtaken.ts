// Edits that wait while newer ones of the same fields came into force: to accept them as they are would
// overwrite words that their authors may never have seen.
import type { StoryEditRow } from '../../store/tables/assurance.ts';
import type { EditValues } from './model.ts';

export type OpenEdit = Pick<
  StoryEditRow,
  'id' | 'storyId' | 'state' | 'setFields' | 'createdAt' | 'decidedAt'
>;

/** What is newer than an edit. */
export interface Newer {
  /** The accepted edits in force. */
  edits: string[];
  /** The fields that the edit sets, and that these set since. */
  fields: string[];
}

/**
 * Looks for what has overtaken an edit.
 *
 * @param edits - of one project, the oldest decision first
 * @returns what the accepted edits say that were accepted after a waiting one of their story was made,
 *   or last accepted; undefined where none of them sets a field of it
 */
export function overtaking(edits: readonly OpenEdit[]): (waiting: OpenEdit) => Newer | undefined {
  const inForce = new Map<string, Map<string, { id: string; since: number }>>();
  for (const { id, storyId, state, setFields, createdAt, decidedAt } of edits) {
    if (state !== 'accepted') continue;
    const fields = inForce.get(storyId) ?? new Map<string, { id: string; since: number }>();
    inForce.set(storyId, fields);
    for (const field of fieldsOf(setFields))
      fields.set(field, { id, since: decidedAt ?? createdAt });
  }
  return ({ storyId, setFields, createdAt, decidedAt }) => {
    const said = inForce.get(storyId);
    if (!said) return undefined;
    // Of two in one millisecond nobody knows which was first.
    const madeAt = decidedAt ?? createdAt;
    const newer = fieldsOf(setFields).flatMap((field) => {
      const one = said.get(field);
      return one && one.since >= madeAt ? [{ field, id: one.id }] : [];
    });
    if (newer.length === 0) return undefined;
    return {
      edits: [...new Set(newer.map(({ id }) => id))],
      fields: newer.map((one) => one.field),
    };
  };
}

function fieldsOf(setFields: string): string[] {
  return Object.keys(JSON.parse(setFields) as EditValues);
}

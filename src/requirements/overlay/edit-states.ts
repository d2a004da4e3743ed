// The moves of story edits, as data.
import type { EditState } from './model.ts';

/** The states that a caller may ask for, by the state of the edit. */
const MOVES: Record<EditState, readonly EditState[]> = {
  proposed: ['accepted', 'rejected', 'withdrawn'],
  accepted: ['withdrawn'],
  conflicted: ['accepted', 'withdrawn'],
  rejected: [],
  withdrawn: [],
  superseded: [],
  absorbed: [],
};

/** Whether a caller may move an edit so; the service alone supersedes, absorbs and finds conflicts. */
export function mayMove(from: EditState, to: EditState): boolean {
  return MOVES[from].includes(to);
}

/** The states that a caller may ask for, for the text of a refusal. */
export function movesFrom(state: EditState): readonly EditState[] {
  return MOVES[state];
}

/** An accepted edit's fields, in the order in which edits were accepted. */
export interface AcceptedFields {
  id: string;
  fields: readonly string[];
}

/** The accepted edits of one story whose every field a later one sets. */
export function superseded(accepted: readonly AcceptedFields[]): string[] {
  const later = new Set<string>();
  const gone: string[] = [];
  for (const { id, fields } of [...accepted].reverse()) {
    if (fields.every((field) => later.has(field))) gone.push(id);
    else for (const field of fields) later.add(field);
  }
  return gone;
}

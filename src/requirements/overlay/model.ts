// Overlays: edits of stories, and stories that people add beside the sources.
import type { AdditionLink, EditValues } from '../../store/tables/json.ts';

export type { AdditionLink, EditValues } from '../../store/tables/json.ts';

export const EDIT_STATES = [
  'proposed',
  'accepted',
  'rejected',
  'withdrawn',
  'superseded',
  'absorbed',
  'conflicted',
] as const;
export type EditState = (typeof EDIT_STATES)[number];

export const ADDITION_STATES = ['proposed', 'active', 'absorbed', 'deleted'] as const;
export type AdditionState = (typeof ADDITION_STATES)[number];

/** The fields of a story that an edit may set. */
export const EDIT_FIELDS = [
  'title',
  'statement',
  'acceptance',
  'rationale',
  'priority',
  'tags',
] as const;
export type EditField = (typeof EDIT_FIELDS)[number];

/** The same with each tag once: tags have no order and no number. */
export function withoutRepeats(set: EditValues): EditValues {
  return set.tags ? { ...set, tags: [...new Set(set.tags)] } : set;
}

/**
 * The states that a caller may ask for, by the state of the edit; the service alone supersedes, absorbs
 * and finds conflicts.
 */
export const EDIT_MOVES: Record<EditState, readonly EditState[]> = {
  proposed: ['accepted', 'rejected', 'withdrawn'],
  accepted: ['withdrawn'],
  conflicted: ['accepted', 'withdrawn'],
  rejected: [],
  withdrawn: [],
  superseded: [],
  absorbed: [],
};

export interface EditContent {
  id: string;
  storyId: string;
  set: EditValues;
}

export interface AdditionContent {
  id: string;
  storyId: string;
  parentId: string | null;
  kind: 'requirement' | 'story';
  title: string;
  statement: string;
  acceptance: string[];
  links: AdditionLink[];
}

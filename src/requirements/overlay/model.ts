// Overlays: edits of stories, and stories that people add beside the sources.
import type { EdgeType } from '../sources/model.ts';

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

/** Values of some of these fields. */
export interface EditValues {
  title?: string;
  statement?: string;
  acceptance?: string[];
  rationale?: string | null;
  priority?: string | null;
  tags?: string[];
}

/** What an edit lays on its story. */
export interface EditContent {
  id: string;
  storyId: string;
  set: EditValues;
}

/** A link of an added story. */
export interface AdditionLink {
  type: Exclude<EdgeType, 'contains'>;
  to: string;
}

/** What an addition puts into the graph. */
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

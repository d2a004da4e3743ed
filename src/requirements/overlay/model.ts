// Overlays: edits of stories, and stories that people add beside the sources.
import { type Static, Type } from '@sinclair/typebox';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { etagOf } from '../../model/etag.ts';
import { Actor, idOf, nullable, oneOf, timeOf, Version } from '../../model/schemas.ts';
import {
  type StoryAdditionRow,
  type StoryEditRow,
  storyAdditions,
  storyEdits,
} from '../../store/tables/assurance.ts';
import type { EditValues } from '../../store/tables/json.ts';
import { foldText } from '../graph/fingerprint.ts';

export type { AdditionLink, EditValues } from '../../store/tables/json.ts';

export const EDIT_STATES = storyEdits.state.enumValues;
export type EditState = StoryEditRow['state'];
export const ADDITION_STATES = storyAdditions.state.enumValues;

const Texts = Type.Array(Type.String());

const Values = Type.Object(
  {
    title: Type.Optional(Type.String()),
    statement: Type.Optional(Type.String()),
    acceptance: Type.Optional(Texts),
    rationale: Type.Optional(nullable(Type.String())),
    priority: Type.Optional(nullable(Type.String())),
    tags: Type.Optional(Texts),
  },
  { title: 'StoryValues', description: 'Fields of a story' },
);

export const EDIT_FIELDS = Object.keys(Values.properties) as EditField[];
export type EditField = keyof EditValues;

export interface EditContent {
  storyId: string;
  set: EditValues;
}

export type AdditionContent = Pick<
  StoryAdditionRow,
  'id' | 'storyId' | 'parentId' | 'kind' | 'title' | 'statement' | 'acceptance' | 'links'
>;

const DECISION = {
  author: Actor,
  createdAt: timeOf('When it was made'),
  updatedAt: timeOf('When it last changed'),
  decidedAt: nullable(timeOf('When it was accepted, rejected or activated')),
  decidedBy: nullable(Actor),
  version: Version,
};

export const StoryEdit = Type.Object(
  {
    id: idOf('edit'),
    storyId: idOf('story'),
    set: Values,
    base: Values,
    reason: nullable(Type.String()),
    state: oneOf(EDIT_STATES),
    baseFingerprint: Type.String({ description: 'The effective fingerprint it was made on' }),
    ...DECISION,
  },
  { title: 'StoryEdit', description: 'An overlay that edits a story' },
);

export const StoryAddition = Type.Object(
  {
    id: idOf('addition'),
    storyId: idOf('story'),
    parentId: nullable(Type.String()),
    kind: oneOf(storyAdditions.kind.enumValues),
    title: Type.String(),
    statement: Type.String(),
    acceptance: Texts,
    links: Type.Array(Type.Object({ type: Type.String(), to: Type.String() })),
    reason: nullable(Type.String()),
    state: oneOf(ADDITION_STATES),
    ...DECISION,
  },
  { title: 'StoryAddition', description: 'An overlay that adds a story' },
);

const kindOf = <const K extends string>(overlay: K) => Type.Object({ overlay: oneOf([overlay]) });

export const Overlay = Type.Union([
  Type.Composite([kindOf('edit'), StoryEdit], { title: 'OverlayEdit' }),
  Type.Composite([kindOf('addition'), StoryAddition], { title: 'OverlayAddition' }),
]);

export function editView(row: StoryEditRow): Static<typeof StoryEdit> {
  const { id, storyId, setFields: set, base, reason, state, baseFingerprint } = row;
  return { id, storyId, set, base, reason, state, baseFingerprint, ...decisionOf(row) };
}

export function additionView(row: StoryAdditionRow): Static<typeof StoryAddition> {
  const { id, storyId, parentId, kind, title, statement, acceptance, links, reason, state } = row;
  const content = { id, storyId, parentId, kind, title, statement, acceptance, links };
  return { ...content, reason, state, ...decisionOf(row) };
}

function decisionOf(row: StoryEditRow | StoryAdditionRow) {
  const { decidedToken: tokenId, decidedLabel: label } = row;
  return {
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
    decidedAt: optionalTimestamp(row.decidedAt),
    decidedBy: tokenId === null ? null : { tokenId, label },
    version: row.version,
  };
}

export function overlayEtag(view: { version: number }): string {
  return etagOf(view.version, JSON.stringify(view));
}

/** Whether two values of a field say the same: white space is not content. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') return foldText(a) === foldText(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => sameValue(one, b[at]));
  return (a ?? null) === (b ?? null);
}

export function valuesOf(story: EditValues, set: EditValues): EditValues {
  const fields = Object.keys(set) as EditField[];
  return Object.fromEntries(fields.map((field) => [field, story[field] ?? null]));
}

/** The values of an added story's fields, without edits of it. */
export function additionValues(
  addition: Pick<StoryAdditionRow, 'title' | 'statement' | 'acceptance'>,
): EditValues {
  const { title, statement, acceptance } = addition;
  return { title, statement, acceptance, rationale: null, priority: null, tags: [] };
}

// Edits beside what else is said of their fields: a new revision absorbs what the sources say by now, and
// what they say otherwise than when an edit was made is a conflict; newer edits supersede it.
import type { StoryAdditionRow, StoryEditRow } from '../../store/tables/assurance.ts';
import { foldText } from '../graph/fingerprint.ts';
import type { GraphEdge, GraphNode } from '../graph/model.ts';
import type { EditField, EditState, EditValues } from './model.ts';

const RECONCILED: ReadonlySet<EditState> = new Set(['proposed', 'accepted', 'conflicted']);

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

/**
 * The state of an edit under a new revision.
 * @param story - the canonical story, or the active addition; undefined where it is a story no more
 * @param base - the values of the edited fields when the edit was made
 */
export function reconcileEdit(
  state: EditState,
  set: EditValues,
  base: EditValues,
  story: EditValues | undefined,
  holder: 'sources' | 'addition' = 'sources',
): EditState {
  if (!RECONCILED.has(state)) return state;
  if (!story) return 'conflicted';
  const fields = Object.keys(set) as EditField[];
  // First what has not moved: an edit may set what the sources say, over an older edit.
  if (fields.every((field) => sameValue(story[field], base[field]))) return state;
  const isSaid = fields.every((field) => sameValue(story[field], set[field]));
  return isSaid && holder === 'sources' ? 'absorbed' : 'conflicted';
}

/** What became of an edited story that is none any more, for a sentence. */
export function whereItIs(node: Pick<GraphNode, 'kind'> | undefined): string {
  return node ? `is a ${node.kind} by now` : 'is in no source any more';
}

/** The values of an added story's fields, without edits of it. */
export function additionValues(
  addition: Pick<StoryAdditionRow, 'title' | 'statement' | 'acceptance'>,
): EditValues {
  const { title, statement, acceptance } = addition;
  return { title, statement, acceptance, rationale: null, priority: null, tags: [] };
}

/**
 * The fields in which an added story, with the edits absorbed with it, differs from the canonical
 * one of its id; `links` where that lacks one of its links.
 */
export function differences(
  addition: EditValues & Pick<StoryAdditionRow, 'kind' | 'links'>,
  node: GraphNode,
  edges: readonly Pick<GraphEdge, 'type' | 'to'>[],
): string[] {
  const fields = ['kind', 'title', 'statement', 'acceptance'] as const;
  const changed: string[] = fields.filter((field) => !sameValue(addition[field], node[field]));
  const hasLinks = addition.links.every(({ type, to }) =>
    edges.some((edge) => edge.type === type && edge.to === to),
  );
  return hasLinks ? changed : [...changed, 'links'];
}

/** The accepted edits of a story whose every field a later one sets; the oldest decision first. */
export function superseded(
  accepted: readonly { id: string; fields: readonly string[] }[],
): string[] {
  const later = new Set<string>();
  return accepted.toReversed().flatMap(({ id, fields }) => {
    if (fields.every((field) => later.has(field))) return id;
    for (const field of fields) later.add(field);
    return [];
  });
}

export function fieldsOf({ setFields }: Pick<StoryEditRow, 'setFields'>): string[] {
  return Object.keys(setFields);
}

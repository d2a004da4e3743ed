// What makes two links one edge of the graph.
import type { AttributeValue, EdgeType } from './model.ts';

/** What an edge says, but for its place and whether its target has changed. */
export interface SaidEdge {
  from: string;
  to: string;
  type: EdgeType;
  role?: string | undefined;
  attributes?: Record<string, AttributeValue> | undefined;
}

/** A text that is the same for two edges where both say the same; without a role is as with an empty one. */
export function linkKey({ from, to, type, role = '', attributes }: SaidEdge): string {
  const key = `${type} ${from.length} ${from} ${to.length} ${to}`;
  const said = attributesText(attributes);
  if (role === '' && said === '') return key;
  return `${key} ${JSON.stringify(role)} ${said}`;
}

/** Attributes as text, the same in whatever order they come; empty for none. */
export function attributesText(attributes: SaidEdge['attributes']): string {
  if (attributes === undefined) return '';
  const entries = Object.entries(attributes);
  if (entries.length === 0) return '';
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

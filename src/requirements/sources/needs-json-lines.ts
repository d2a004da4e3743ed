// The lines of what a need of a needs.json says: of its fields, and of each entry of one.
import type { JsonDocument } from './json-document.ts';
import type { JsonMember } from './json-text.ts';

/**
 * The line of an entry of a field, by its index; of the field where it is no list; of the need where
 * it has no such field.
 */
export type EntryLines = (field: string, at: number) => number;

/** Finds lines inside a need; it is looked through when the first is asked for. */
export function entryLines(json: JsonDocument, need: JsonMember): EntryLines {
  let fields: Map<string, JsonMember> | undefined;
  const known = new Map<string, readonly JsonMember[]>();
  return (name, at) => {
    fields ??= new Map(json.members(need.start).map((field) => [field.key, field]));
    const field = fields.get(name);
    if (!field) return json.line(need.at);
    const entries = known.get(name) ?? (json.isArray(field) ? json.members(field.start) : []);
    known.set(name, entries);
    return json.line(entries[at]?.start ?? field.at);
  };
}

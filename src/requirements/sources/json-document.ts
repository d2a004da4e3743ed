// Opens a JSON file of a source: its top object with the place of each member, or the reason why not.

import { mayRound, withExactNumbers } from './json-numbers.ts';
import { depthAt, faultOf, type JsonMember, membersAt, repeatsAt } from './json-text.ts';
import type { SourceFile } from './model.ts';
import { type FileNotes, textOf } from './source-result.ts';
import { lineAt, lineStarts } from './text.ts';

/** How deep a value may nest that is read whole. */
export const MOST_LEVELS = 64;

/** A JSON text whose parts are read one by one, so that each has its line. */
export interface JsonDocument {
  /** Members of the object or elements of the array at an offset; the top by default. */
  members(from?: number): JsonMember[];
  /** The value of a member; undefined where it nests deeper than allowed. */
  value(member: JsonMember): unknown;
  /** Whether numbers in it may be rounded when they are read. */
  rounds: boolean;
  /** The value with each number that would be rounded as a text of its digits. */
  exactValue(member: JsonMember): unknown;
  /** Whether the value of a member is an array or an object. */
  isArray(member: JsonMember): boolean;
  isObject(member: JsonMember): boolean;
  /**
   * The members at any depth in the value of a member whose key stands before in their object.
   *
   * @param keys - how many the objects in it have, each key once
   */
  repeats(member: JsonMember, keys: number): JsonMember[];
  /** The line, from 1, of an offset. */
  line(offset: number): number;
}

/** The file as JSON whose top is an object; null, with a finding, where it is something else. */
export function openJson(file: SourceFile, notes: FileNotes): JsonDocument | null {
  const text = textOf(file, notes);
  const starts = lineStarts(text);
  const line = (offset: number) => lineAt(starts, offset);
  try {
    const top: unknown = JSON.parse(text);
    if (typeof top !== 'object' || top === null || Array.isArray(top)) {
      notes.fail(1, 'The file is JSON, but its top is not an object.');
      return null;
    }
  } catch {
    const at = faultOf(text);
    const where =
      at >= text.length ? 'it breaks off' : `column ${at - (starts[line(at) - 1] ?? 0) + 1}`;
    notes.fail(line(Math.min(at, text.length)), `The file is not JSON: ${where}.`);
    return null;
  }
  const rounds = mayRound(text);
  const isDeep = ({ start }: JsonMember) => depthAt(text, start) > MOST_LEVELS;
  const textIn = ({ start, end }: JsonMember) => text.slice(start, end);
  const value = (member: JsonMember): unknown =>
    isDeep(member) ? undefined : JSON.parse(textIn(member));
  const exactValue = (member: JsonMember): unknown =>
    isDeep(member) ? undefined : JSON.parse(withExactNumbers(textIn(member)));
  return {
    isArray: ({ start }) => text[start] === '[',
    isObject: ({ start }) => text[start] === '{',
    members: (from) => membersAt(text, from),
    value,
    rounds,
    // To look for them costs more than to see that there are none.
    repeats: ({ start, inner }, keys) => (inner > keys ? repeatsAt(text, start) : []),
    exactValue: rounds ? exactValue : value,
    line,
  };
}

/** Notes what is said twice in an object, and what its format does not know. */
export function noteFields(
  members: readonly JsonMember[],
  known: ReadonlySet<string>,
  owner: string,
  document: JsonDocument,
  notes: FileNotes,
): void {
  noteRepeats(members, owner, document, notes);
  const unknown = new Set<string>();
  for (const { key, at } of members) {
    if (known.has(key) || unknown.has(key)) continue;
    unknown.add(key);
    const detail = `${owner}: ${JSON.stringify(key)} is not read.`;
    notes.lose('unknown_field', document.line(at), detail);
  }
}

/**
 * Notes the keys that are given more than once in an object, of which the last holds.
 *
 * @param owner - what the object is, for the finding
 */
export function noteRepeats(
  members: readonly JsonMember[],
  owner: string,
  { line }: JsonDocument,
  notes: FileNotes,
  itemId: string | null = null,
): void {
  const seen = new Set<string>();
  for (const { key, at } of members) {
    const detail = `${owner}: ${JSON.stringify(key)} is given twice.`;
    if (seen.has(key)) notes.lose('duplicate_field', line(at), detail, { itemId });
    seen.add(key);
  }
}

/**
 * Notes the keys that are given more than once in the objects that an object holds.
 *
 * @param members - of the object, as the text has them
 * @param value - the object
 * @param owner - what the object is, for the finding
 */
export function noteInnerRepeats(
  members: readonly JsonMember[],
  value: object,
  owner: string,
  document: JsonDocument,
  notes: FileNotes,
  itemId: string | null = null,
): void {
  for (const member of members) {
    if (member.inner === 0) continue;
    const keys = keysIn(Reflect.get(value, member.key));
    for (const { key, at } of document.repeats(member, keys)) {
      const detail = `${owner}: ${JSON.stringify(key)} is given twice in ${JSON.stringify(member.key)}.`;
      notes.lose('duplicate_field', document.line(at), detail, { itemId });
    }
  }
}

/** How many members the objects in a value have. */
function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (!Array.isArray(value)) count = Object.keys(value).length;
  for (const one of Object.values(value)) {
    if (typeof one === 'object') count += keysIn(one);
  }
  return count;
}

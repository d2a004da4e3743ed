// JSON as a tree whose parts are read when somebody asks for them.
import { type JsonDocument, openJson } from './json-document.ts';
import type { JsonMember } from './json-text.ts';
import type { SourceFile } from './model.ts';
import { noteRepeat, type TreeEntry, type TreeNode } from './openapi-tree.ts';
import type { FileNotes } from './source-result.ts';

/** The file as a tree whose top is a map; null, with a finding, where it is something else. */
export function openJsonTree(file: SourceFile, notes: FileNotes): TreeNode | null {
  const json = openJson(file, notes);
  return json && jsonNode({ key: '', at: 0, start: 0, end: 0, inner: 0 }, json, notes, 'map');
}

function jsonNode(
  member: JsonMember,
  json: JsonDocument,
  notes: FileNotes,
  kind: TreeNode['kind'],
): TreeNode {
  const memo: { entries?: Map<string, TreeEntry>; items?: TreeNode[] } = {};
  const child = (one: JsonMember) => jsonNode(one, json, notes, kindOf(one, json));
  return {
    path: notes.path,
    line: json.line(member.start),
    kind,
    get isString() {
      return kind === 'text' && typeof json.value(member) === 'string';
    },
    get text() {
      return kind === 'text' ? String(json.exactValue(member)) : '';
    },
    entries() {
      if (memo.entries) return memo.entries;
      memo.entries = new Map();
      for (const one of kind === 'map' ? json.members(member.start) : []) {
        const line = json.line(one.at);
        if (memo.entries.has(one.key)) noteRepeat(notes, one.key, line);
        memo.entries.set(one.key, { key: one.key, line, node: child(one) });
      }
      return memo.entries;
    },
    items() {
      memo.items ??= kind === 'list' ? json.members(member.start).map(child) : [];
      return memo.items;
    },
  };
}

function kindOf(member: JsonMember, json: JsonDocument): TreeNode['kind'] {
  if (json.isObject(member)) return 'map';
  if (json.isArray(member)) return 'list';
  return json.value(member) === null ? 'null' : 'text';
}

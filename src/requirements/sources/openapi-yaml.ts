// YAML 1.2 as a tree: aliases and merges (`<<`) are followed where somebody asks for what is below
// them, so that those which unfold to more than there is memory cost nothing.
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import type { SourceFile } from './model.ts';
import { noteRepeat, type TreeEntry, type TreeNode } from './openapi-tree.ts';
import { type FileNotes, textOf } from './source-result.ts';

/** A longer one takes more than some seconds to parse. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const MOST_MERGED = 1_000_000;
const MOST_MERGE_LEVELS = 50;

interface Opening {
  lines: LineCounter;
  notes: FileNotes;
  targets: Map<Alias, Node>;
  nodes: Map<Node, TreeNode>;
  /** How many members merges may still bring. */
  merges: number;
  /** How many merges are open, one inside the other. */
  level: number;
}

/** The file as a tree whose top is a map; null, with a finding, where it is something else. */
export function openYamlTree(file: SourceFile, notes: FileNotes): TreeNode | null {
  const text = textOf(file, notes);
  const fail = (line: number, detail: string) => {
    notes.fail(line, detail);
    return null;
  };
  if (text.length > MOST_CHARACTERS)
    return fail(1, `The file is longer than ${MOST_CHARACTERS} characters.`);
  const lines = new LineCounter();
  try {
    const document = openDocument(text, lines);
    const [fault] = document.errors;
    if (fault) {
      const line = lines.linePos(fault.pos[0]).line || 1;
      if (fault.code === 'MULTIPLE_DOCS') {
        const detail = 'A second YAML document begins here: only a file that holds one is read.';
        return fail(line, detail);
      }
      return fail(line, `The file is not YAML: ${fault.message}`);
    }
    if (!isMap(document.contents)) return fail(1, 'The file is YAML, but its top is not a map.');
    for (const { code, pos } of document.warnings) {
      if (code !== 'TAG_RESOLVE_FAILED') continue;
      const tag = text.slice(pos[0], pos[1]).trim().slice(0, 80);
      notes.note('unknown_tag', lines.linePos(pos[0]).line, `The tag ${tag} is ignored.`);
    }
    const targets = targetsOf(document.contents as Node);
    const opening = { lines, notes, targets, nodes: new Map(), merges: MOST_MERGED, level: 0 };
    return treeNode(document.contents as Node, opening);
  } catch (error) {
    if (error instanceof RangeError) return fail(1, 'The file is nested too deeply.');
    throw error;
  }
}

/** The document of a text, or the one with content where the others are empty. */
function openDocument(text: string, lineCounter: LineCounter): Document.Parsed {
  const options = { uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const;
  const only = parseDocument(text, { ...options, lineCounter });
  if (only.errors[0]?.code !== 'MULTIPLE_DOCS') return only;
  const all = parseAllDocuments(text, options);
  const held =
    'empty' in all ? [] : all.filter(({ contents }) => contents !== null && !isEmpty(contents));
  return held.length === 1 && held[0] ? held[0] : only;
}

function isEmpty(contents: unknown): boolean {
  return isScalar(contents) && contents.value === null;
}

/** What each alias stands for: the last node before it with its anchor. */
function targetsOf(top: Node): Map<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const open: unknown[] = [top];
  while (open.length > 0) {
    const node = open.pop();
    if (isPair(node)) {
      open.push(node.value, node.key);
      continue;
    }
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target) targets.set(node, target);
      continue;
    }
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) continue;
    if (node.anchor !== undefined) anchors.set(node.anchor, node as Node);
    if (!isScalar(node)) {
      for (let at = node.items.length - 1; at >= 0; at--) open.push(node.items[at]);
    }
  }
  return targets;
}

const NO_ENTRIES: ReadonlyMap<string, TreeEntry> = new Map();

function treeNode(given: unknown, opening: Opening, line = 1): TreeNode {
  const { notes, nodes } = opening;
  const node = isAlias(given) ? opening.targets.get(given) : given;
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) {
    if (isAlias(given)) {
      const detail = `The alias *${given.source.slice(0, 100)} stands for nothing.`;
      notes.lose('dangling_reference', lineOf(given, opening), detail);
      return { ...nothing(notes.path, line), isLost: true };
    }
    return nothing(notes.path, line);
  }
  const known = nodes.get(node as Node);
  if (known) return known;
  const memo: { entries?: ReadonlyMap<string, TreeEntry>; items?: TreeNode[] } = {};
  const own = lineOf(node as Node, opening);
  const made: TreeNode = {
    path: notes.path,
    line: own,
    kind: isMap(node) ? 'map' : isSeq(node) ? 'list' : node.value === null ? 'null' : 'text',
    isString: isScalar(node) && typeof node.value === 'string',
    text: isScalar(node) && node.value !== null ? scalarText(node) : '',
    entries() {
      if (memo.entries) return memo.entries;
      // A map that is merged into itself brings nothing.
      memo.entries = NO_ENTRIES;
      if (isMap(node)) memo.entries = entriesOf(node as YAMLMap, opening);
      return memo.entries;
    },
    items() {
      memo.items ??= isSeq(node) ? node.items.map((one) => treeNode(one, opening, own)) : [];
      return memo.items;
    },
  };
  nodes.set(node as Node, made);
  return made;
}

function nothing(path: string, line: number): TreeNode {
  const empty = { text: '', entries: () => NO_ENTRIES, items: () => [] };
  return { path, line, kind: 'null', isString: false, ...empty };
}

function scalarText(node: { value: unknown; source?: string }): string {
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}

function lineOf(node: Node, { lines }: Opening): number {
  return lines.linePos(node.range?.[0] ?? 0).line || 1;
}

function entriesOf(map: YAMLMap, opening: Opening): Map<string, TreeEntry> {
  const { notes } = opening;
  const entries = new Map<string, TreeEntry>();
  const merged: TreeNode[] = [];
  for (const { key: given, value } of map.items) {
    const key = isAlias(given) ? opening.targets.get(given) : given;
    const line = given ? lineOf(given as Node, opening) : lineOf(map, opening);
    if (!isScalar(key)) {
      notes.lose('invalid_field', line, 'A key that is a list, a map or nothing is not kept.');
      continue;
    }
    const name = key.value === null ? 'null' : scalarText(key);
    const node = treeNode(value, opening, line);
    if (name === '<<' && key.type === 'PLAIN') {
      merged.push(...(node.kind === 'list' ? node.items() : [node]));
      continue;
    }
    if (entries.has(name)) noteRepeat(notes, name, line);
    entries.set(name, { key: name, line, node });
  }
  for (const entry of mergedEntries(merged, opening)) {
    if (!entries.has(entry.key)) entries.set(entry.key, entry);
  }
  return entries;
}

function mergedEntries(maps: readonly TreeNode[], opening: Opening): TreeEntry[] {
  const all: TreeEntry[] = [];
  for (const map of maps) {
    opening.level++;
    const entries = opening.level > MOST_MERGE_LEVELS ? null : map.entries();
    opening.level--;
    opening.merges -= entries?.size ?? 0;
    if (!entries || opening.merges < 0) {
      opening.notes.lose('too_much', map.line, 'What is merged (`<<`) unfolds to too much.');
      break;
    }
    for (const entry of entries.values()) all.push(entry);
  }
  return all;
}

// References (`$ref`) of API documents: JSON pointers (RFC 6901) into the same file or another one of
// the source set, by its relative path. Nothing else is opened.
import type { FindingCode } from './finding-codes.ts';
import type { SourceFile, SourceResult } from './model.ts';
import { openJsonTree } from './openapi-json.ts';
import type { TreeEntry, TreeNode } from './openapi-tree.ts';
import { openYamlTree } from './openapi-yaml.ts';
import { type FileNotes, notesOn } from './source-result.ts';

/** The files of a source set that documents may be made of. */
export interface Library {
  /** The notes on a file that was opened. */
  notes(path: string): FileNotes;
  /** The top of a file; null where there is none, or it could not be read, which is noted. */
  open(path: string): TreeNode | null;
  /**
   * What a node stands for: itself, or where its reference ends; null, with a finding, for nowhere.
   *
   * @param owner - what the node is of, as a finding names it
   */
  resolve(node: TreeNode, owner?: () => string): TreeNode | null;
  /** Whether a reference has led into the file. */
  isPart(path: string): boolean;
  /** The files that references have led into, each with the pointers, as keys, that they had there. */
  parts(): Iterable<[path: string, pointers: string[][]]>;
  /** Writes the findings and states of all files that were opened. */
  finish(): void;
}

const MOST_HOPS = 32;
const BRACE = 0x7b;

/** Opens the files of a set one by one, as they are asked for. */
export function openLibrary(files: readonly SourceFile[], result: SourceResult): Library {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const opened = new Map<string, { notes: FileNotes; top: TreeNode | null }>();
  const targets = new Map<string, TreeNode | string>();
  const parts = new Set<string>();
  const pointers = new Map<string, Set<string>>();
  // One that leads nowhere may be followed again for every path that it is a part of.
  const told = new Set<TreeEntry>();

  function openFile(path: string): { notes: FileNotes; top: TreeNode | null } | null {
    const known = opened.get(path);
    const file = byPath.get(path);
    if (known || !file) return known ?? null;
    const notes = noting(notesOn(result, path));
    const made = { notes, top: openTree(file, notes) };
    opened.set(path, made);
    return made;
  }

  function notes(path: string): FileNotes {
    const known = opened.get(path);
    if (!known) throw new Error('the file was not opened');
    return known.notes;
  }

  /** Where a reference leads, or why nowhere. */
  function targetOf(path: string, pointer: string): TreeNode | string {
    const key = `${path}#${pointer}`;
    let target = targets.get(key);
    if (target === undefined) {
      const file = openFile(path);
      if (!file) target = `the file ${shown(path)} is not in the source set`;
      else if (!file.top) target = `the file ${shown(path)} could not be read`;
      else target = nodeAt(file.top, pointer) ?? `there is no ${shown(pointer)} in ${shown(path)}`;
      targets.set(key, target);
    }
    return target;
  }

  function follow(ref: TreeEntry, from: string, owner?: () => string): TreeNode | null {
    const lose = (code: FindingCode, why: string) => {
      if (told.has(ref)) return null;
      told.add(ref);
      const named = `The reference ${shown(ref.node.text)}${owner ? ` of ${owner()}` : ''}`;
      notes(from).lose(code, ref.line, `${named} ${why}.`);
      return null;
    };
    const place = placeOf(ref.node.text, from);
    if ('code' in place) return lose(place.code, place.why);
    const target = targetOf(place.path, place.pointer);
    if (typeof target === 'string') return lose('dangling_reference', `leads nowhere: ${target}`);
    if (place.path !== from) parts.add(place.path);
    const there = pointers.get(place.path) ?? new Set();
    pointers.set(place.path, there.add(place.pointer));
    return target;
  }

  return {
    notes,
    open: (path) => openFile(path)?.top ?? null,
    resolve(node, owner) {
      let here = node;
      const seen = new Set<TreeNode>();
      for (;;) {
        if (here.isLost) return null;
        const ref = referenceOf(here);
        if (!ref) return here;
        const named = `The reference ${shown(ref.node.text)}`;
        if (seen.has(here)) {
          notes(here.path).lose('reference_cycle', ref.line, `${named} leads back to itself.`);
          return null;
        }
        if (seen.size >= MOST_HOPS) {
          const detail = `${named} is not followed: more than ${MOST_HOPS} lead to it, one after the other.`;
          notes(here.path).lose('too_much', ref.line, detail);
          return null;
        }
        seen.add(here);
        const target = follow(ref, here.path, here === node ? owner : undefined);
        if (!target) return null;
        here = target;
      }
    },
    isPart: (path) => parts.has(path),
    *parts() {
      for (const path of parts) yield [path, [...(pointers.get(path) ?? [])].map(keysOf)];
    },
    finish() {
      for (const path of [...opened.keys()].sort()) opened.get(path)?.notes.finish();
    },
  };
}

/** Notes that say no sentence of a line again: what is at fault may be a part of many paths. */
function noting(notes: FileNotes): FileNotes {
  const told = new Set<string>();
  const isNew = (...said: [code: FindingCode, line: number, detail: string]) => {
    const key = JSON.stringify(said);
    return !told.has(key) && told.add(key);
  };
  return {
    ...notes,
    note(code, line, detail, parts) {
      if (isNew(code, line, detail)) notes.note(code, line, detail, parts);
    },
    lose(code, line, detail, parts) {
      if (isNew(code, line, detail)) notes.lose(code, line, detail, parts);
    },
  };
}

/** The reference of a map that is one. */
function referenceOf(node: TreeNode): TreeEntry | null {
  if (node.kind !== 'map') return null;
  const ref = node.entries().get('$ref');
  return ref && ref.node.kind === 'text' ? ref : null;
}

function openTree(file: SourceFile, notes: FileNotes): TreeNode | null {
  const isYaml = /\.ya?ml$/i.test(file.path) || firstByte(file.bytes) !== BRACE;
  return isYaml ? openYamlTree(file, notes) : openJsonTree(file, notes);
}

/** The first byte that is no space and no byte order mark. */
function firstByte(bytes: Uint8Array): number | undefined {
  let at = bytes[0] === 0xef ? 3 : bytes[0] === 0xff || bytes[0] === 0xfe ? 2 : 0;
  // In UTF-16 every other byte of plain text is zero.
  while (at < bytes.length && (bytes[at] ?? 0) <= 0x20) at++;
  return bytes[at];
}

export type Place = { path: string; pointer: string } | { code: FindingCode; why: string };

/** The file and the pointer that a reference names, seen from a file. */
export function placeOf(ref: string, from: string): Place {
  const hash = ref.indexOf('#');
  const file = decoded(hash < 0 ? ref : ref.slice(0, hash));
  const pointer = decoded(hash < 0 ? '' : ref.slice(hash + 1));
  if (/^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(file)) {
    return { code: 'remote_reference', why: 'leads to another system and is not followed' };
  }
  const path = file === '' ? from : relativePath(file, from);
  if (path === null) {
    return { code: 'outside_reference', why: 'leaves the source set and is not followed' };
  }
  return { path, pointer };
}

/** A path relative to a file, without `.` and `..`; null where it leaves the set. */
function relativePath(path: string, from: string): string | null {
  if (/^[/\\]/.test(path)) return null;
  const parts = from.split('/').slice(0, -1);
  for (const part of path.split(/[/\\]/)) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function nodeAt(top: TreeNode, pointer: string): TreeNode | null {
  if (pointer !== '' && !pointer.startsWith('/')) return null;
  let node = top;
  for (const key of keysOf(pointer)) {
    const next = node.kind === 'list' ? node.items()[index(key)] : node.entries().get(key)?.node;
    if (!next) return null;
    node = next;
  }
  return node;
}

/** The keys that a JSON pointer names; none for the top of the file. */
function keysOf(pointer: string): string[] {
  if (pointer === '' || pointer === '/') return [];
  const parts = pointer.slice(1).split('/');
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function index(key: string): number {
  return /^(?:0|[1-9][0-9]{0,8})$/.test(key) ? Number(key) : -1;
}

function shown(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}

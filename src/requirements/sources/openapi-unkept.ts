// What API documents say beside their routes: it is not kept, and told once a file by its names.
import type { Library } from './openapi-references.ts';
import { STORY_EXTENSIONS } from './openapi-story-ids.ts';
import type { TreeEntry, TreeNode } from './openapi-tree.ts';

/** The parts of a document whose members are looked through. */
export type PartKind = keyof typeof PARTS;

function part(named: string, ...kept: string[]): { named: string; kept: ReadonlySet<string> } {
  return { named, kept: new Set(kept) };
}

/** Their names, and the members that are kept or that something else is told of. */
const PARTS = {
  openapi: part('the document', 'openapi', 'servers', 'paths', 'webhooks'),
  swagger: part('the document', 'swagger', 'basePath', 'paths', 'webhooks'),
  operation: part(
    'operations',
    ...['operationId', 'summary', 'tags', 'parameters', 'servers', 'callbacks'],
    ...STORY_EXTENSIONS,
  ),
  reference: part('references', '$ref'),
  parameter: part('parameters', 'name', 'in', 'schema', 'type'),
  schema: part('schemas of parameters', 'type'),
  server: part('servers', 'url', 'variables'),
  variable: part('variables of servers', 'default'),
};

/** Names of one finding; more are counted. */
const MOST_NAMED = 50;

/** Collects what is not kept. */
export interface Unkept {
  /** Looks through the members of a part, the same part once. */
  look(kind: PartKind, node: TreeNode): void;
  /** Adds a member of a part, by the name of the part. */
  add(entry: TreeEntry, named: string): void;
  /** Tells all of it, in one finding a file. */
  tell(library: Library): void;
}

/** Nothing yet. */
export function createUnkept(): Unkept {
  const files = new Map<string, Map<string, number>>();
  const seen = new Set<TreeNode>();

  function add({ key, line, node }: TreeEntry, named: string): void {
    if (node.kind === 'null' || node.isLost || (node.kind === 'text' && node.text === '')) return;
    const lines = files.get(node.path) ?? new Map<string, number>();
    files.set(node.path, lines);
    const what = `${key.slice(0, 100)} of ${named}`;
    lines.set(what, Math.min(lines.get(what) ?? line, line));
  }

  return {
    add,
    look(kind, node) {
      if (node.kind !== 'map' || seen.has(node)) return;
      seen.add(node);
      const { named, kept } = PARTS[kind];
      for (const entry of node.entries().values()) {
        if (!kept.has(entry.key)) add(entry, named);
      }
    },
    tell(library) {
      for (const [path, lines] of files) {
        const names = [...lines.keys()];
        const more = names.length - MOST_NAMED;
        const shown = names.slice(0, MOST_NAMED).join(', ');
        const rest = more > 0 ? `, and ${more} more` : '';
        const detail = `Routes are kept with what they refer to; this is not: ${shown}${rest}.`;
        const first = [...lines.values()].reduce((a, b) => Math.min(a, b));
        library.notes(path).note('unread_details', first, detail);
      }
    },
  };
}

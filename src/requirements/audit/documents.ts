// Which requirements and stories belong to a document together: what is said of siblings holds there.
import { type Graph, type GraphNode, isNormative } from '../graph/model.ts';

/** The requirements and stories of a document, in source order. */
export interface DocumentItems {
  items: GraphNode[];
  /** Whether it is one of Doorstop, where a document's parents are in another one. */
  isDoorstop: boolean;
  /** Whether each of its items has a parent in another document, which is in the graph. */
  hasParent: boolean;
}

/**
 * Requirements and stories by the documents that hold them; those that none holds by their files, and
 * of those that lie in a file each, as Doorstop's do, by the document beside them. Linear.
 */
export function byDocument({ nodes, edges }: Graph): DocumentItems[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map<string, string>();
  for (const { from, to, type } of edges) {
    if (type === 'contains' && !parents.has(to)) parents.set(to, from);
  }
  const files = new Map(
    nodes.flatMap(({ id, kind, source }) =>
      kind === 'document' ? [[source.path, `document ${id}`] as const] : [],
    ),
  );
  const holders = new Map<string, string | null>();
  const groups = Map.groupBy(nodes.filter(isNormative), ({ id, source: { path } }) => {
    const document = holderOf(id);
    if (document !== null) return `document ${document}`;
    const beside = `${path.slice(0, path.lastIndexOf('/') + 1)}.doorstop.yml`;
    return files.get(path) ?? files.get(beside) ?? `file ${path}`;
  });
  return [...groups].map(([key, items]) => {
    const document = byId.get(key.slice(key.indexOf(' ') + 1));
    const path = document?.source.path ?? '';
    const isDoorstop = path === '.doorstop.yml' || path.endsWith('/.doorstop.yml');
    const hasParent = isDoorstop && byId.has(String(document?.attributes.parent));
    return { items, isDoorstop, hasParent };
  });

  /** The id of the innermost document that holds a node; null where none does. */
  function holderOf(id: string): string | null {
    const walked: string[] = [];
    const seen = new Set<string>();
    let found: string | null = null;
    for (let at = parents.get(id); at !== undefined && !seen.has(at); at = parents.get(at)) {
      const known = holders.get(at);
      if (known !== undefined) {
        found = known;
        break;
      }
      if (byId.get(at)?.kind === 'document') {
        found = at;
        break;
      }
      seen.add(at);
      walked.push(at);
    }
    for (const one of walked) holders.set(one, found);
    return found;
  }
}

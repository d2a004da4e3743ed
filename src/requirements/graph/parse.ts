// What was read of a revision from its JSON, in steps: parsed at once, a large one would hold up all others.
import type { Steps } from '../../runtime/scheduler.ts';
import type { Finding } from '../audit/model.ts';
import type { Graph, GraphEdge, GraphNode } from './model.ts';

const SLICE_BYTES = 256 * 1024;

/** @param bytes - `{ revision, nodes, edges }` as an import writes it */
export function* parseGraph(bytes: Uint8Array): Steps<Graph> {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const nodesAt = json.indexOf('"nodes":[') + '"nodes":['.length;
  // No text of a node holds a quote that is not escaped, so that these stand between lists and items alone.
  const nodesEnd = json.indexOf('],"edges":[', nodesAt);
  const edgesAt = nodesEnd + '],"edges":['.length;
  const edgesEnd = json.byteLength - ']}'.length;
  const ids = new Map<string, string>();
  const paths = new Map<string, string>();
  const nodes = yield* parseList(
    json.subarray(nodesAt, nodesEnd),
    '},{"id":"',
    (node: GraphNode) => {
      ids.set(node.id, node.id);
      node.source.path = shared(paths, node.source.path);
      if (node.acceptance.length === 0) node.acceptance = NO_TEXTS;
      if (node.tags.length === 0) node.tags = NO_TEXTS;
      if (isEmpty(node.attributes)) node.attributes = NO_ATTRIBUTES;
    },
  );
  const edges = yield* parseList(
    json.subarray(edgesAt, edgesEnd),
    '},{"from":"',
    (edge: GraphEdge) => {
      edge.from = shared(ids, edge.from);
      edge.to = shared(ids, edge.to);
    },
  );
  return { nodes, edges };
}

/** @param bytes - a list of findings as an import writes it */
export function parseFindings(bytes: Uint8Array): Steps<Finding[]> {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return parseList(json.subarray(1, -1), '},{"code":"', (finding: Finding) => {
    if (finding.relatedIds.length === 0) finding.relatedIds = NO_TEXTS;
  });
}

// Most nodes and edges have the same of these: each its own would be a third of a graph's memory.
const NO_TEXTS: string[] = Object.freeze([]) as never;
const NO_ATTRIBUTES: GraphNode['attributes'] = Object.freeze({});

function shared(known: Map<string, string>, text: string): string {
  const first = known.get(text);
  if (first === undefined) known.set(text, text);
  return first ?? text;
}

function isEmpty(object: object): boolean {
  for (const _name in object) return false;
  return true;
}

/** @param share - makes an item hold what others hold already */
function* parseList<T>(json: Buffer, between: string, share: (item: T) => void): Steps<T[]> {
  const list: T[] = [];
  for (let from = 0; from < json.byteLength; ) {
    const found = json.indexOf(between, from + SLICE_BYTES);
    const end = found === -1 ? json.byteLength : found + 1;
    const items: T[] = JSON.parse(`[${json.toString('utf8', from, end)}]`);
    for (const item of items) {
      share(item);
      list.push(item);
    }
    from = end + 1;
    yield;
  }
  return list;
}

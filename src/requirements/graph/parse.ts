// The graph of a revision from its JSON, in steps: parsed at once, a large one would hold up all others.
import type { Steps } from '../../runtime/scheduler.ts';
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
  const nodes = yield* parseList<GraphNode>(json.subarray(nodesAt, nodesEnd), '},{"id":"');
  const edges = yield* parseList<GraphEdge>(json.subarray(edgesAt, edgesEnd), '},{"from":"');
  return { nodes, edges };
}

function* parseList<T>(json: Buffer, between: string): Steps<T[]> {
  const list: T[] = [];
  for (let from = 0; from < json.byteLength; ) {
    const found = json.indexOf(between, from + SLICE_BYTES);
    const end = found === -1 ? json.byteLength : found + 1;
    const items: T[] = JSON.parse(`[${json.toString('utf8', from, end)}]`);
    for (const item of items) list.push(item);
    from = end + 1;
    yield;
  }
  return list;
}

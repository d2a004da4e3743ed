// The graph in our own format, from which the same graph is read again.
import type { Graph, GraphEdge, GraphNode } from '../graph/model.ts';
import { SRS_FORMAT, SRS_VERSION, type SrsEdge, type SrsNode } from '../sources/srs-json/schema.ts';

/** A document of the format `pqrs-srs`: one node or edge a line, in the order of the graph. */
export function writeSrsJson({ nodes, edges }: Graph): string {
  const head = `"format": ${JSON.stringify(SRS_FORMAT)}, "version": ${SRS_VERSION}`;
  return `{ ${head},\n"nodes": ${listOf(nodes.map(srsNode))},\n"edges": ${listOf(edges.map(srsEdge))} }\n`;
}

function listOf(values: readonly object[]): string {
  return values.length === 0
    ? '[]'
    : `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]`;
}

function srsNode(node: GraphNode): SrsNode {
  const { id, kind, title, statement, acceptance, rationale, status, priority, tags } = node;
  const { attributes, source, active } = node;
  const texts = { title, statement, acceptance, rationale, status, priority, tags };
  return { id, kind, ...texts, attributes, source, active };
}

function srsEdge({ from, to, type, status, role, attributes }: GraphEdge): SrsEdge {
  const edge: SrsEdge = { from, to, type, status };
  if (role !== undefined) edge.role = role;
  if (attributes) edge.attributes = attributes;
  return edge;
}

// The graph in our own format, from which the same graph is read again.
import type { Graph } from '../graph/model.ts';
import { SRS_FORMAT, SRS_VERSION } from '../sources/srs-json/schema.ts';

/** A document of the format `pqrs-srs`: one node or edge a line, in the order of the graph. */
export function writeSrsJson({ nodes, edges }: Graph): string {
  const head = `"format": ${JSON.stringify(SRS_FORMAT)}, "version": ${SRS_VERSION}`;
  const plain = nodes.map(
    ({ order: _order, fingerprint: _own, deepFingerprint: _deep, ...node }) => node,
  );
  return `{ ${head},\n"nodes": ${listOf(plain)},\n"edges": ${listOf(edges)} }\n`;
}

function listOf(values: readonly object[]): string {
  const lines = values.map((value) => JSON.stringify(value));
  return lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`;
}

// The graph of a revision: nodes and typed edges.
import { type Static, Type } from '@sinclair/typebox';
import { nullable, oneOf } from '../../model/schemas.ts';
import { type AttributeValue, EDGE_TYPES, NODE_KINDS } from '../sources/model.ts';

const Attributes = Type.Unsafe<Record<string, AttributeValue>>(
  Type.Object({}, { additionalProperties: true }),
);

export const GraphNodeBody = Type.Object(
  {
    id: Type.String({ description: 'As its source gave it' }),
    kind: oneOf(NODE_KINDS),
    title: Type.String(),
    statement: Type.String(),
    acceptance: Type.Array(Type.String()),
    rationale: nullable(Type.String()),
    status: nullable(Type.String()),
    priority: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    attributes: Attributes,
    active: Type.Boolean({ description: 'False where its source has retired it' }),
    source: Type.Object({ path: Type.String(), line: Type.Integer() }),
    order: Type.Integer({ description: 'Its place in source order' }),
    fingerprint: Type.String({
      description: 'Of its normative content; the prefix names algorithm and profile',
    }),
    deepFingerprint: Type.String({ description: 'Of that and of all that it rests on' }),
  },
  { title: 'GraphNode' },
);
export type GraphNode = Static<typeof GraphNodeBody>;

export const EdgeBody = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    type: oneOf(EDGE_TYPES),
    status: oneOf(
      ['ok', 'suspect', 'dangling'],
      '`dangling`: what it leads to is not there; of what `contains` an addition, what it comes from',
    ),
    role: Type.Optional(
      Type.String({ description: "The source's own name of the relation, where it says more" }),
    ),
    attributes: Type.Optional(Attributes),
  },
  { title: 'GraphEdge' },
);
export type GraphEdge = Static<typeof EdgeBody>;

export const GraphBody = Type.Object(
  { revision: Type.Integer(), nodes: Type.Array(GraphNodeBody), edges: Type.Array(EdgeBody) },
  { title: 'SrsGraph' },
);

/** Nodes in source order, edges in the order of their nodes, then of type, target and role. */
export type Graph = Omit<Static<typeof GraphBody>, 'revision'>;

export interface ExportSubject {
  project: string;
  revision: number;
  at: number;
}

/** Whether a node is one that stories are made of: it answers as a story. */
export function isNormative(node: Pick<GraphNode, 'kind'>): boolean {
  return node.kind === 'requirement' || node.kind === 'story';
}

/** The order of two texts, by their UTF-16 units: the same on every machine. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

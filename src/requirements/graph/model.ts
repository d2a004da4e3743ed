// The canonical graph of a revision: nodes and typed edges.
import type { AttributeValue, EdgeType, NodeKind } from '../sources/model.ts';

export type EdgeStatus = 'ok' | 'suspect' | 'dangling';

export interface GraphNode {
  id: string;
  kind: NodeKind;
  title: string;
  statement: string;
  acceptance: string[];
  rationale: string | null;
  status: string | null;
  priority: string | null;
  tags: string[];
  attributes: Record<string, AttributeValue>;
  /** False where the source has retired it. */
  active: boolean;
  source: { path: string; line: number };
  /** Its place in source order, from 0. */
  order: number;
  fingerprint: string;
  deepFingerprint: string;
}

export interface GraphEdge {
  from: string;
  to: string;
  type: EdgeType;
  status: EdgeStatus;
  /** The source's own name of the relation, where it says more than `type` does. */
  role?: string;
  /** Whatever else the source says of the relation, under the source's own names. */
  attributes?: Record<string, AttributeValue>;
}

export interface Graph {
  /** In source order. */
  nodes: GraphNode[];
  /** In the order of their nodes, then of type, target and role. */
  edges: GraphEdge[];
}

export interface ExportSubject {
  /** Slug of the project. */
  project: string;
  revision: number;
  /** When the revision was made, milliseconds since the epoch. */
  at: number;
}

/** Whether a node is one that stories are made of: it answers as a story. */
export function isNormative(node: Pick<GraphNode, 'kind'>): boolean {
  return node.kind === 'requirement' || node.kind === 'story';
}

// The format `pqrs-srs`, version 1: a graph of requirements as one JSON document. What it says of a
// node and an edge is what the graph shows of them, without what is computed from the rest.
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { EDGE_TYPES, NODE_KINDS } from './model.ts';

export const SRS_FORMAT = 'pqrs-srs';
export const SRS_VERSION = 1;

const Id = Type.String({ minLength: 1, maxLength: 1000 });
const NullableText = Type.Union([Type.String(), Type.Null()]);

/** Plain JSON without objects; arrays may hold arrays. */
const Attribute = Type.Cyclic(
  {
    Attribute: Type.Union([
      Type.String(),
      Type.Number(),
      Type.Boolean(),
      Type.Null(),
      Type.Array(Type.Ref('Attribute')),
    ]),
  },
  'Attribute',
);

/** Where something was first written: a relative path with `/`, and a line from 1. */
const Place = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 4096 }),
  line: Type.Integer({ minimum: 0 }),
});

/** A node. Only `id` and `kind` must be there; what is left out is empty. */
export const SrsNode = Type.Object({
  id: Id,
  kind: Type.Enum(NODE_KINDS),
  title: Type.Optional(Type.String()),
  statement: Type.Optional(Type.String()),
  acceptance: Type.Optional(Type.Array(Type.String())),
  rationale: Type.Optional(NullableText),
  status: Type.Optional(NullableText),
  priority: Type.Optional(NullableText),
  tags: Type.Optional(Type.Array(Type.String())),
  attributes: Type.Optional(Type.Record(Type.String({ pattern: '^[^]*$' }), Attribute)),
  /** Where it was first written; this file and line where it is left out. */
  source: Type.Optional(Place),
  /** False for a node that is retired. */
  active: Type.Optional(Type.Boolean()),
});
export type SrsNode = Static<typeof SrsNode>;

/** An edge. `contains` goes from the container; every other type from what depends. */
export const SrsEdge = Type.Object({
  from: Id,
  to: Id,
  type: Type.Enum(EDGE_TYPES),
  status: Type.Optional(Type.Enum(['ok', 'suspect', 'dangling'])),
  source: Type.Optional(Place),
});
export type SrsEdge = Static<typeof SrsEdge>;

/** The whole document. */
export const SrsDocument = Type.Object({
  format: Type.Literal(SRS_FORMAT),
  version: Type.Literal(SRS_VERSION),
  nodes: Type.Array(SrsNode),
  edges: Type.Array(SrsEdge),
});
export type SrsDocument = Static<typeof SrsDocument>;

/** What the graph adds to a node and to a place in it: computed again, never read. */
export const COMPUTED_FIELDS = ['order', 'fingerprint', 'deepFingerprint'] as const;

export const nodeCheck = Compile(SrsNode);
export const edgeCheck = Compile(SrsEdge);

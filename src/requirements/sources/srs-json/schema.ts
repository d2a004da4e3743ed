// The format `pqrs-srs`, version 1: a graph of requirements as one JSON document. What it says of a
// node and an edge is what the graph shows of them, without what is computed from the rest.

import { type Static, type TObject, Type } from '@sinclair/typebox';
import { Problem } from '../../../errors.ts';
import { nullable, oneOf } from '../../../model/schemas.ts';
import { compileCheck } from '../../../model/validate.ts';
import { idFault } from '../item-ids.ts';
import { type AttributeValue, EDGE_TYPES, NODE_KINDS } from '../model.ts';

const Text = Type.String();

const Attribute = Type.Recursive((This) =>
  Type.Union([Text, Type.Number(), Type.Boolean(), Type.Null(), Type.Array(This)]),
);
const Attributes = Type.Unsafe<Record<string, AttributeValue>>(Type.Record(Text, Attribute));

const Place = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 4096 }),
  line: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
});

/** What is left out is empty, the place this file and line. */
const Node = Type.Object({
  id: Text,
  kind: oneOf(NODE_KINDS),
  ...Type.Partial(
    Type.Object({
      title: Text,
      statement: Text,
      acceptance: Type.Array(Text),
      rationale: nullable(Text),
      status: nullable(Text),
      priority: nullable(Text),
      tags: Type.Array(Text),
      attributes: Attributes,
      source: Place,
      active: Type.Boolean({ description: 'False for a node that is retired' }),
    }),
  ).properties,
});

/** An edge. `contains` goes from the container; every other type from what depends. */
const Edge = Type.Object({
  from: Text,
  to: Text,
  type: oneOf(EDGE_TYPES),
  ...Type.Partial(
    Type.Object({
      status: oneOf(['ok', 'suspect', 'dangling']),
      role: Type.String({ description: "The source's own name, where it says more than `type`" }),
      attributes: Attributes,
      source: Place,
    }),
  ).properties,
});

export type SrsEdge = Static<typeof Edge>;

export const SRS_FIELDS = {
  node: Object.keys(Node.properties),
  edge: Object.keys(Edge.properties),
  place: Object.keys(Place.properties),
};

/** What the graph adds to a node: computed again, never read. */
export const COMPUTED_FIELDS = ['order', 'fingerprint', 'deepFingerprint'];

export const asNode = checkOf(Node, ['id']);
export const asEdge = checkOf(Edge, ['from', 'to']);

/** Checks a value; of one that is not to its schema, what is wrong with it first. */
function checkOf<S extends TObject>(schema: S, ids: readonly string[]) {
  const check = compileCheck(schema);
  return (value: unknown): { value: Static<S> } | { fault: string } => {
    try {
      const checked: Record<string, unknown> = check(value);
      for (const name of ids) {
        const fault = idFault(String(checked[name]));
        if (fault !== undefined) return { fault: `/${name} ${fault}` };
      }
      return { value: checked as Static<S> };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const [first] = error.errors;
      return { fault: `${first?.pointer} ${first?.detail}`.trim() };
    }
  };
}

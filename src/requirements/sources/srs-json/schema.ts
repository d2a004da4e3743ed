// The format `pqrs-srs`, version 1: a graph of requirements as one JSON document. What it says of a
// node and an edge is what the graph shows of them, without what is computed from the rest. Its rules
// are written out: a library for them takes longer to load than most imports take.

import { idFault } from '../item-ids.ts';
import {
  type AttributeValue,
  EDGE_TYPES,
  type EdgeType,
  NODE_KINDS,
  type NodeKind,
} from '../model.ts';

export const SRS_FORMAT = 'pqrs-srs';
export const SRS_VERSION = 1;

export interface SrsPlace {
  path: string;
  line: number;
}

/** A node. Only `id` and `kind` must be there; what is left out is empty. */
export interface SrsNode {
  id: string;
  kind: NodeKind;
  title?: string;
  statement?: string;
  acceptance?: string[];
  rationale?: string | null;
  status?: string | null;
  priority?: string | null;
  tags?: string[];
  attributes?: Record<string, AttributeValue>;
  /** This file and line where it is left out. */
  source?: SrsPlace;
  /** False for a node that is retired. */
  active?: boolean;
}

/** An edge. `contains` goes from the container; every other type from what depends. */
export interface SrsEdge {
  from: string;
  to: string;
  type: EdgeType;
  status?: 'ok' | 'suspect' | 'dangling';
  /** The source's own name of the relation, where it says more than `type` does. */
  role?: string;
  attributes?: Record<string, AttributeValue>;
  source?: SrsPlace;
}

type Rule = (value: unknown) => string | undefined;
type Rules = Readonly<Record<string, Rule>>;

const MAX_PATH = 4096;

const isText: Rule = (value) => (typeof value === 'string' ? undefined : 'must be a text');
const isNullableText: Rule = (value) =>
  value === null || typeof value === 'string' ? undefined : 'must be a text or null';
const isTruth: Rule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const areTexts: Rule = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? undefined
    : 'must be a list of texts';

const isId: Rule = (value) => (typeof value === 'string' ? idFault(value) : 'must be a text');

function isOneOf(values: readonly string[]): Rule {
  return (value) =>
    typeof value === 'string' && values.includes(value)
      ? undefined
      : `must be one of ${values.join(', ')}`;
}

function isAttribute(value: unknown): value is AttributeValue {
  if (Array.isArray(value)) return value.every(isAttribute);
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

const areAttributes: Rule = (value) => {
  if (!isObject(value)) return 'must be an object';
  const wrong = Object.entries(value).find(([, one]) => !isAttribute(one));
  return wrong && `has in ${JSON.stringify(wrong[0])} a value that is not allowed`;
};

const isPlace: Rule = (value) => {
  if (!isObject(value)) return 'must be an object';
  const { path, line } = value;
  if (typeof path !== 'string' || path === '' || path.length > MAX_PATH)
    return `has a path that must be a text of 1 to ${MAX_PATH} characters`;
  const counts = typeof line === 'number' && Number.isSafeInteger(line) && line >= 0;
  return counts ? undefined : 'has a line that must be a whole number from 0';
};

const NODE_RULES: Rules = {
  id: isId,
  kind: isOneOf(NODE_KINDS),
  title: isText,
  statement: isText,
  acceptance: areTexts,
  rationale: isNullableText,
  status: isNullableText,
  priority: isNullableText,
  tags: areTexts,
  attributes: areAttributes,
  source: isPlace,
  active: isTruth,
};

const EDGE_RULES: Rules = {
  from: isId,
  to: isId,
  type: isOneOf(EDGE_TYPES),
  status: isOneOf(['ok', 'suspect', 'dangling']),
  role: isText,
  attributes: areAttributes,
  source: isPlace,
};

export const SRS_FIELDS = {
  node: Object.keys(NODE_RULES),
  edge: Object.keys(EDGE_RULES),
  place: ['path', 'line'],
} as const;

/** What the graph adds to a node: computed again, never read. */
export const COMPUTED_FIELDS = ['order', 'fingerprint', 'deepFingerprint'];

export function asNode(value: unknown): { node: SrsNode } | { fault: string } {
  const fault = faultOf(value, NODE_RULES, ['id', 'kind']);
  return fault === undefined ? { node: value as SrsNode } : { fault };
}

export function asEdge(value: unknown): { edge: SrsEdge } | { fault: string } {
  const fault = faultOf(value, EDGE_RULES, ['from', 'to', 'type']);
  return fault === undefined ? { edge: value as SrsEdge } : { fault };
}

function faultOf(value: unknown, rules: Rules, required: readonly string[]): string | undefined {
  if (!isObject(value)) return 'it is no object';
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  if (missing.length > 0) return `${missing.join(' and ')} missing`;
  for (const name in rules) {
    if (!Object.hasOwn(value, name)) continue;
    const fault = rules[name]?.(value[name]);
    if (fault !== undefined) return `${name} ${fault}`;
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

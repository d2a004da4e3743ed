// What changed from one revision to another: items added, removed, moved and changed field by field,
// with the words of changed texts, and the verdicts that it costs.
import { type Static, Type } from '@sinclair/typebox';
import { diffWordsWithSpace } from 'diff';
import { idOf, nullable, oneOf } from '../../model/schemas.ts';
import type { Steps } from '../../runtime/scheduler.ts';
import { type EdgeType, NODE_KINDS } from '../sources/model.ts';
import type { Graph, GraphNode } from './model.ts';

const TEXTS = ['title', 'statement', 'acceptance', 'rationale'] as const;
const FIELDS = [...TEXTS, 'kind', 'status', 'priority', 'tags', 'active', 'attributes'] as const;

const Item = {
  id: Type.String(),
  kind: oneOf(NODE_KINDS),
  title: Type.String(),
  source: Type.Object({ path: Type.String(), line: Type.Integer() }),
};

const Place = Type.Object({ parentId: nullable(Type.String()), path: Type.String() });

const Change = Type.Object({
  field: oneOf([...FIELDS, 'links']),
  was: Type.Unknown(),
  now: Type.Unknown(),
  words: Type.Optional(
    Type.Array(Type.Object({ text: Type.String(), is: oneOf(['same', 'removed', 'added']) }), {
      description: 'Of a text, what of it went and came; entries of a list are lines',
    }),
  ),
});
export type Change = Static<typeof Change>;

export const VerdictCost = Type.Object({
  storyId: idOf('story'),
  verdict: Type.String(),
  becomes: oneOf(['invalidated', 'suspect', 'orphaned']),
  via: Type.String({ description: 'What has changed: the story itself, or one that it rests on' }),
});

const Revision = Type.Object({
  revision: Type.Integer({ minimum: 0 }),
  baseline: nullable(Type.String({ description: 'The name that was asked for' })),
});

const parts = {
  added: Type.Array(Type.Object(Item)),
  removed: Type.Array(Type.Object(Item)),
  moved: Type.Array(Type.Object({ ...Item, was: Place, now: Place })),
  changed: Type.Array(Type.Object({ ...Item, changes: Type.Array(Change) })),
};

export const GraphDiff = Type.Object(
  {
    from: Revision,
    to: Revision,
    ...parts,
    verdicts: Type.Array(VerdictCost, { description: 'Those that held before and hold no longer' }),
  },
  { title: 'GraphDiff' },
);
export type GraphDiff = Static<typeof GraphDiff>;
type Parts = Pick<GraphDiff, keyof typeof parts>;

/** Compares two graphs by the ids of their nodes; each list is in the order of its sources. */
export function* diffGraphs(before: Graph, after: Graph): Steps<Parts> {
  const old = yield* describe(before);
  const young = yield* describe(after);
  const diff: Parts = { added: [], removed: [], moved: [], changed: [] };
  for (const node of before.nodes) if (!young.has(node.id)) diff.removed.push(itemOf(node));
  let looked = 0;
  for (const [id, now] of young) {
    looked += 1;
    if (looked % STEP === 0) yield;
    const was = old.get(id);
    if (!was) {
      diff.added.push(itemOf(now.node));
      continue;
    }
    if (was.parentId !== now.parentId || was.node.source.path !== now.node.source.path)
      diff.moved.push({ ...itemOf(now.node), was: placeOf(was), now: placeOf(now) });
    const changes = changesOf(was, now);
    if (changes.length > 0) diff.changed.push({ ...itemOf(now.node), changes });
  }
  return diff;
}

/** How many items are compared in a step. */
const STEP = 32;

interface Described {
  node: GraphNode;
  parentId: string | null;
  /** What leads out of it, but for what it contains. */
  links: string[];
}

const CONTAINS: EdgeType = 'contains';

function* describe({ nodes, edges }: Graph): Steps<Map<string, Described>> {
  const all = new Map<string, Described>();
  for (const [number, node] of nodes.entries()) {
    if (number % STEP === 0) yield;
    all.set(node.id, { node, parentId: null, links: [] });
  }
  for (const [number, { from, to, type, role }] of edges.entries()) {
    if (number % STEP === 0) yield;
    const child = type === CONTAINS ? all.get(to) : undefined;
    if (child) child.parentId = from;
    else
      all.get(from)?.links.push(role === undefined ? `${type} ${to}` : `${type} ${to} (${role})`);
  }
  return all;
}

function itemOf({ id, kind, title, source: { path, line } }: GraphNode) {
  return { id, kind, title, source: { path, line } };
}

function placeOf({ node, parentId }: Described) {
  return { parentId, path: node.source.path };
}

function changesOf(was: Described, now: Described): Change[] {
  const changes: Change[] = [];
  for (const field of FIELDS) {
    const [before, after] = [was.node[field], now.node[field]];
    if (isSame(before, after)) continue;
    const change: Change = { field, was: before, now: after };
    if (TEXTS.some((one) => one === field)) change.words = wordsOf(before, after);
    changes.push(change);
  }
  if (!isSame(was.links, now.links))
    changes.push({ field: 'links', was: was.links, now: now.links });
  return changes;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

/** Beyond so many characters on either side a text is shown as replaced: telling words apart takes long. */
const MAX_CHARACTERS = 20_000;
const MAX_EDITS = 1000;

function wordsOf(was: unknown, now: unknown): Change['words'] {
  const [before, after] = [textOf(was), textOf(now)];
  const isLong = Math.max(before.length, after.length) > MAX_CHARACTERS;
  const found = isLong
    ? undefined
    : diffWordsWithSpace(before, after, { maxEditLength: MAX_EDITS });
  if (!found)
    return [
      { text: before, is: 'removed' },
      { text: after, is: 'added' },
    ];
  return found.map(({ value, added, removed }) => {
    return { text: value, is: added ? 'added' : removed ? 'removed' : 'same' };
  });
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join('\n') : String(value ?? '');
}

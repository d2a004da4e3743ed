// Documents as they are read: which there are, and page by page what stands in one. A node is of the
// nearest document that contains it.
import { invalid, notFoundAt } from '../../errors.ts';
import { decodeAnchored, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { RESULT_STATUSES } from '../../quality/reports/model.ts';
import type { GraphIndex } from '../../requirements/graph/graph-index.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import { overlayView } from '../../requirements/overlay/changes.ts';
import type { SourceFinding } from '../../requirements/sources/model.ts';
import type { Assurance } from '../assurance.ts';
import type { StoryCoverage } from '../coverage/model.ts';
import { assuranceFindings } from '../overlay/findings.ts';
import type { AssuranceState } from '../state/state.ts';
import { anchorOf, placeOfWalk, walkThrough } from '../state/walks.ts';
import type { DocumentItem, DocumentPage, DocumentTree, GraphQuery } from './model.ts';

/** By the place of a node; -1 for none. */
interface Nesting {
  parents: readonly number[];
  documents: Int32Array;
  depths: Int32Array;
}

const NONE = -1;
const UNKNOWN = -2;
const nestings = new WeakMap<GraphIndex, Nesting>();

export function nestingOf(index: GraphIndex): Nesting {
  const known = nestings.get(index);
  if (known) return known;
  const { graph, incoming, at } = index;
  const parents = graph.nodes.map((_, place) => {
    const above = incoming(place).find(({ type }) => type === 'contains');
    return at.get(above?.from ?? '') ?? NONE;
  });
  const documents = Int32Array.from(graph.nodes, ({ kind }, place) =>
    kind === 'document' ? place : UNKNOWN,
  );
  const depths = new Int32Array(parents.length);
  for (const start of parents.keys()) {
    const path: number[] = [];
    let above = start;
    while (documents[above] === UNKNOWN) {
      // What contains itself is in no document.
      documents[above] = NONE;
      path.push(above);
      above = parents[above] ?? NONE;
    }
    let depth = depths[above] ?? 0;
    for (const place of path.reverse()) {
      documents[place] = documents[above] ?? NONE;
      depth += 1;
      depths[place] = depth;
    }
  }
  const made = { parents, documents, depths };
  nestings.set(index, made);
  return made;
}

/** The document that a node is in, of one that is a document itself its own. */
export function documentOf({ effective: { index } }: AssuranceState, id: string) {
  const place = nestingOf(index).documents[index.at.get(id) ?? NONE] ?? NONE;
  return index.graph.nodes[place];
}

const trees = new WeakMap<AssuranceState, DocumentTree>();

export function documentTree(state: AssuranceState): DocumentTree {
  const known = trees.get(state);
  if (known) return known;
  const { index, revision } = state.effective;
  const { nodes } = index.graph;
  const { parents, documents } = nestingOf(index);
  const found = new Map<number, DocumentTree['documents'][number]>();
  const entryOf = (place: number) => {
    const node = nodes[place];
    const parent = nodes[documents[parents[place] ?? NONE] ?? NONE];
    const entry = found.get(place) ?? {
      id: node?.id ?? null,
      title: node?.title ?? null,
      path: node?.source.path ?? null,
      parentId: parent?.id ?? null,
      items: 0,
      requirements: 0,
      statuses: {},
    };
    found.set(place, entry);
    return entry;
  };
  for (const [place, node] of nodes.entries()) {
    const entry = entryOf(documents[place] ?? NONE);
    if (documents[place] !== place) entry.items += 1;
    if (isNormative(node)) entry.requirements += 1;
  }
  for (const { storyId, status } of state.coverage().stories) {
    const { statuses } = entryOf(documents[index.at.get(storyId) ?? NONE] ?? NONE);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  const inOrder = [...found].sort(([a], [b]) => Number(a < 0) - Number(b < 0) || a - b);
  const tree = {
    revision: revision?.number ?? 0,
    documents: inOrder.map(([, document]) => document),
  };
  trees.set(state, tree);
  return tree;
}

/**
 * A page of a document, itself first; of the one that has a node, from half a page before that node on.
 * @throws Problem `not_found` or `invalid` where the root is no document
 */
export async function readDocument(
  assurance: Assurance,
  state: AssuranceState,
  query: GraphQuery,
): Promise<DocumentPage> {
  const { index } = state.effective;
  const { limit = PAGE_DEFAULT } = query;
  const { documents } = nestingOf(index);
  const document = placeOfDocument(state, query);
  const filters = filterHash('getSrsGraph', query);
  const place = placeOfWalk(decodeAnchored(filters, query.cursor));
  const walk = await walkThrough(assurance, state.effective, place);
  const first = place ? place.key + 1 : (walk.keyOf(query.at ?? '') ?? 0);
  let before = 0;
  // Of those before the first the last, which a page around a node begins with.
  const found: { key: number; storyId: string }[] = [];
  const lead = place || query.at === undefined ? 0 : Math.floor(limit / 2);
  for (const one of walk.from(0)) {
    if (documents[index.at.get(one.storyId) ?? index.graph.nodes.length] !== document) continue;
    found.push(one);
    if (one.key < first && found.length > lead) {
      found.shift();
      before += 1;
    }
    if (found.length > limit) break;
  }
  const findings = await findingsByItem(assurance, state);
  const itemOf = ({ storyId }: { storyId: string }) =>
    documentItem(state, index.at.get(storyId) ?? NONE, findings.get(storyId) ?? []);
  const page = pageOf(
    found,
    limit,
    filters,
    ({ key }) => key,
    itemOf,
    () => anchorOf(walk, 0),
  );
  return { document: index.graph.nodes[document]?.id ?? null, before, ...page };
}

function placeOfDocument({ effective: { index } }: AssuranceState, { root, at }: GraphQuery) {
  const { documents } = nestingOf(index);
  if (root === '') return NONE;
  const place = index.at.get(root ?? at ?? '');
  const pointer = root === undefined ? '/at' : '/root';
  if (place === undefined) throw notFoundAt(pointer, 'is in no source');
  if (root !== undefined && documents[place] !== place) throw invalid(pointer, 'is no document');
  return documents[place] ?? NONE;
}

type FindingsByItem = ReadonlyMap<string | null, readonly SourceFinding[]>;

const findingsKnown = new WeakMap<AssuranceState, FindingsByItem>();

async function findingsByItem(
  { graphs, database }: Assurance,
  state: AssuranceState,
): Promise<FindingsByItem> {
  const known = findingsKnown.get(state);
  if (known) return known;
  const { revision } = state.effective;
  const ofSources = revision ? await graphs.findings(revision) : [];
  const ofToday = await assuranceFindings(database.read, state);
  const made = Map.groupBy([...ofSources, ...ofToday], ({ itemId }) => itemId);
  findingsKnown.set(state, made);
  return made;
}

function documentItem(
  state: AssuranceState,
  place: number,
  findings: readonly SourceFinding[],
): DocumentItem {
  const { index, edits, additions } = state.effective;
  const { parents, depths } = nestingOf(index);
  const node = index.graph.nodes[place] as GraphNode;
  const story = state.coverage().of(node.id);
  const isLink = ({ type }: { type: string }) => type !== 'contains';
  const isOn = ({ storyId }: { storyId: string }) => storyId === node.id;
  return {
    node,
    parentId: index.graph.nodes[parents[place] ?? NONE]?.id ?? null,
    depth: depths[place] ?? 0,
    status: story?.status ?? null,
    inherited: story?.inherited ?? false,
    tests: countTests(story?.tests ?? []),
    findings: findings.map(({ code, severity, path, line, detail }) => {
      return { code, severity, path, line, detail };
    }),
    issues: (state.issuesOf.get(node.id) ?? []).map(({ id, number, severity, status }) => {
      return { id, number, severity, status };
    }),
    up: index
      .outgoing(place)
      .filter(isLink)
      .map(({ type, to: id, status }) => {
        return { type, id, title: state.effective.node(id)?.title ?? null, status };
      }),
    down: index.incoming(place).filter(isLink).length,
    overlays: [
      ...additions.filter(isOn).map((addition) => overlayView({ edit: null, addition })),
      ...edits.filter(isOn).map((edit) => overlayView({ edit, addition: null })),
    ].filter((one) => one !== undefined),
  };
}

function countTests(tests: StoryCoverage['tests']): DocumentItem['tests'] {
  const count = (wanted: string | null) => tests.filter(({ result }) => result === wanted).length;
  const ran = Object.fromEntries(RESULT_STATUSES.map((status) => [status, count(status)]));
  return { ...ran, notRun: count(null) } as DocumentItem['tests'];
}

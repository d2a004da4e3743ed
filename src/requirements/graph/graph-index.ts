// A graph with its ways: nodes by id, and the edges at each node. Made once for a graph.
import { runAtOnce, type Steps } from '../../runtime/scheduler.ts';
import type { EdgeType } from '../sources/model.ts';
import type { Graph, GraphEdge } from './model.ts';

/** Edges along which a change travels. */
export const UPSTREAM: ReadonlySet<EdgeType> = new Set(['refines', 'derives', 'depends']);

export type UpstreamLink = readonly [type: string, id: string];

export interface GraphIndex {
  graph: Graph;
  at: ReadonlyMap<string, number>;
  outgoing: EdgesAt;
  incoming: EdgesAt;
}

/** The edges that begin or end at the node of a place, in their order; none where there is no such node. */
export type EdgesAt = (place: number | undefined) => readonly GraphEdge[];

type Outgoing = Pick<GraphIndex, 'at' | 'outgoing'>;

export function indexGraph(graph: Graph): GraphIndex {
  return runAtOnce(indexSteps(graph));
}

/** How many nodes or edges are looked at in a step. */
const STEP = 2048;

export function* indexSteps(graph: Graph): Steps<GraphIndex> {
  const { nodes, edges } = graph;
  const at = new Map<string, number>();
  for (const [place, { id }] of nodes.entries()) {
    at.set(id, place);
    if (place % STEP === 0) yield;
  }
  const outgoing = yield* edgeSteps('from', edges, at, nodes.length);
  const incoming = yield* edgeSteps('to', edges, at, nodes.length);
  return { graph, at, outgoing, incoming };
}

export function edgesAt(...given: Parameters<typeof edgeSteps>): EdgesAt {
  return runAtOnce(edgeSteps(...given));
}

function* edgeSteps(
  side: 'from' | 'to',
  edges: readonly GraphEdge[],
  at: ReadonlyMap<string, number>,
  size: number,
): Steps<EdgesAt> {
  // The numbers of the edges, those of one place behind those of another: a list a node would take
  // more memory than the edges themselves.
  const placeOf = new Int32Array(edges.length);
  const starts = new Int32Array(size + 1);
  for (const [number, edge] of edges.entries()) {
    if (number % STEP === 0) yield;
    const place = at.get(edge[side]) ?? size;
    placeOf[number] = place;
    starts[place] = (starts[place] as number) + 1;
  }
  // Counted down to its start, each end becomes the start of its place.
  let end = 0;
  for (const [place, count] of starts.entries()) {
    end += count;
    starts[place] = end;
  }
  const numbers = new Int32Array(edges.length);
  for (let number = edges.length - 1; number >= 0; number -= 1) {
    if (number % STEP === 0) yield;
    const place = placeOf[number] as number;
    const start = (starts[place] as number) - 1;
    starts[place] = start;
    numbers[start] = number;
  }
  return (place = size) => {
    const first = starts[place] ?? 0;
    const behind = starts[place + 1] ?? first;
    const found: GraphEdge[] = [];
    for (let at = first; at < behind; at += 1)
      found.push(edges[numbers[at] as number] as GraphEdge);
    return found;
  };
}

/** The links of a node that its fingerprint covers, each once. */
export function upstreamLinks({ at, outgoing }: Outgoing, place: number): UpstreamLink[] {
  const links: UpstreamLink[] = [];
  for (const { type, to } of outgoing(place)) {
    if (!UPSTREAM.has(type)) continue;
    const link: UpstreamLink = [type, at.has(to) ? to : `missing:${to}`];
    const last = links.at(-1);
    if (last?.[0] !== link[0] || last[1] !== link[1]) links.push(link);
  }
  return links;
}

export function upstreamPlaces({ at, outgoing }: Outgoing, place: number): number[] {
  const places: number[] = [];
  for (const { type, to } of outgoing(place)) {
    const target = UPSTREAM.has(type) ? at.get(to) : undefined;
    if (target !== undefined && places.at(-1) !== target) places.push(target);
  }
  return places;
}

const downstreams = new WeakMap<GraphIndex['incoming'], ReturnType<typeof makeDownstream>>();

/** The places downstream of each node, one list behind the other: those of a node from its start. */
function makeDownstream({ graph, at, incoming }: GraphIndex) {
  const size = graph.nodes.length;
  const starts = new Int32Array(size + 1);
  const sources: number[] = [];
  for (let place = 0; place < size; place += 1) {
    starts[place] = sources.length;
    for (const { type, from } of incoming(place)) {
      const source = UPSTREAM.has(type) ? at.get(from) : undefined;
      if (source !== undefined) sources.push(source);
    }
  }
  starts[size] = sources.length;
  return { starts, sources: Int32Array.from(sources) };
}

/**
 * All nodes that a change of some reaches along UPSTREAM, themselves first, by distance: `count`
 * entries in each list. `via` is the place of the node before it, -1 for those nodes themselves.
 */
export function reachedBy(index: GraphIndex, from: readonly number[]) {
  const { starts, sources } = downstreams.get(index.incoming) ?? makeDownstream(index);
  downstreams.set(index.incoming, { starts, sources });
  const size = index.graph.nodes.length;
  const seen = new Uint8Array(size);
  const places = new Int32Array(size);
  const distances = new Int32Array(size);
  const via = new Int32Array(size).fill(-1);
  let count = 0;
  for (const place of from) {
    if (seen[place]) continue;
    seen[place] = 1;
    places[count++] = place;
  }
  for (let next = 0; next < count; next += 1) {
    const before = places[next] as number;
    const end = starts[before + 1] as number;
    for (let at = starts[before] as number; at < end; at += 1) {
      const place = sources[at] as number;
      if (seen[place]) continue;
      seen[place] = 1;
      places[count] = place;
      distances[count] = (distances[next] as number) + 1;
      via[count++] = before;
    }
  }
  return { count, places, distances, via };
}

/**
 * Strongly connected components (Tarjan, 1972) reached from some nodes, all unless given, each
 * behind those that it points at. Without recursion: chains may be as long as the graph is large.
 */
export function stronglyConnected(...given: Parameters<typeof connectedSteps>): number[][] {
  return runAtOnce(connectedSteps(...given));
}

export function* connectedSteps(
  targets: readonly (readonly number[] | undefined)[],
  roots: Iterable<number> = targets.keys(),
): Steps<number[][]> {
  const size = targets.length;
  const order = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const onStack = new Uint8Array(size);
  const next = new Int32Array(size);
  const stack: number[] = [];
  const components: number[][] = [];
  let counter = 0;

  for (const root of roots) {
    if (order[root] !== -1) continue;
    const path = [root];
    while (path.length > 0) {
      const node = path[path.length - 1] as number;
      if (order[node] === -1) {
        order[node] = low[node] = counter;
        counter += 1;
        stack.push(node);
        onStack[node] = 1;
        if (counter % STEP === 0) yield;
      }
      const edges = targets[node] ?? [];
      const at = next[node] as number;
      if (at < edges.length) {
        next[node] = at + 1;
        const target = edges[at] as number;
        if (order[target] === -1) path.push(target);
        else if (onStack[target])
          low[node] = Math.min(low[node] as number, order[target] as number);
        continue;
      }
      path.pop();
      const parent = path[path.length - 1];
      if (parent !== undefined) low[parent] = Math.min(low[parent] as number, low[node] as number);
      if (low[node] !== order[node]) continue;
      const component = stack.splice(stack.lastIndexOf(node));
      for (const member of component) onStack[member] = 0;
      components.push(component);
    }
  }
  return components;
}

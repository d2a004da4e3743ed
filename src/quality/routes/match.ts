// Finds the template of a catalog that a path is of: static segments before those with a parameter
// in them, those before a parameter alone, and it before one that takes the rest.
import { parameterOf, segmentsOf, takesRest } from './route-text.ts';

export interface Template {
  method: string;
  template: string;
}

export type Matcher<T extends Template> = ReturnType<typeof createMatcher<T>>;

interface Node<T> {
  fixed: Map<string, Node<T>>;
  /** Segments such as `{id}.json`, the one with the longest text first. */
  mixed: { text: string; parts: string[]; node: Node<T> }[];
  any: Node<T> | null;
  /** What the first template calls that parameter. */
  name: string;
  ends: Map<string, T>;
  /** What ends here and takes all further segments, by method. */
  rest: Map<string, T>;
}

const MAX_MIXED = 200;
const MAX_VISITED = 1000;

export function createMatcher<T extends Template>(routes: Iterable<T> = []) {
  const top = emptyNode<T>();
  for (const route of routes) add(top, route);
  return {
    /** Of two templates that match the same, the first holds. */
    add: (route: T) => add(top, route),
    /** The best template of a path or URL; null where none fits. Without a method: whichever comes first. */
    match: (method: string | null, url: string) =>
      find(top, segmentsOf(url), method?.toUpperCase() ?? null),
    /** Of the segments at the start that templates know: the name of the parameter; null for a word. */
    known: (segments: readonly string[]) => knownStart(top, segments),
  };
}

function emptyNode<T>(): Node<T> {
  return { fixed: new Map(), mixed: [], any: null, name: '', ends: new Map(), rest: new Map() };
}

function add<T extends Template>(top: Node<T>, route: T): void {
  let node = top;
  let ends = node.ends;
  for (const segment of segmentsOf(route.template.replace(/\?[^/]*$/, ''))) {
    const name = parameterOf(segment);
    if (name === null) node = mixedNode(node, segment) ?? fixedNode(node, segment);
    else {
      node.name ||= name.replace(/^(?:\*|\.\.\.)|[*+]$/g, '') || 'id';
      node.any ??= emptyNode();
      node = node.any;
    }
    ends = node.ends;
    if (name !== null && takesRest(name)) {
      ends = node.rest;
      break;
    }
  }
  const method = route.method.toUpperCase();
  if (!ends.has(method)) ends.set(method, route);
}

function fixedNode<T>(node: Node<T>, segment: string): Node<T> {
  const next = node.fixed.get(segment) ?? emptyNode();
  node.fixed.set(segment, next);
  return next;
}

/** The node of a segment with parameters in it; undefined for one without, and where there are too many. */
function mixedNode<T>(node: Node<T>, segment: string): Node<T> | undefined {
  const parts = segment.split(/\{[^{}]*\}/);
  if (parts.length === 1) return undefined;
  const text = parts.join('{}');
  const same = node.mixed.find((one) => one.text === text);
  if (same || node.mixed.length >= MAX_MIXED) return same?.node;
  const next = emptyNode<T>();
  node.mixed.push({ text, parts, node: next });
  node.mixed.sort((a, b) => b.text.length - a.text.length);
  return next;
}

/** Whether a segment has these texts in it, with a character at least between two. */
function fits(segment: string, parts: readonly string[]): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = segment.indexOf(part, at + 1);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at < segment.length - last.length;
}

function find<T extends Template>(
  top: Node<T>,
  segments: readonly string[],
  method: string | null,
): T | null {
  let left = MAX_VISITED;
  return visit(top, 0);

  function visit(node: Node<T>, at: number): T | null {
    left -= 1;
    if (left < 0) return null;
    const segment = segments[at];
    if (segment === undefined) return ofMethod(node.ends, method);
    const fixed = node.fixed.get(segment);
    const found = fixed && visit(fixed, at + 1);
    if (found) return found;
    for (const mixed of node.mixed) {
      const route = fits(segment, mixed.parts) && visit(mixed.node, at + 1);
      if (route) return route;
    }
    return node.any && (visit(node.any, at + 1) ?? ofMethod(node.any.rest, method));
  }
}

function knownStart<T>(top: Node<T>, segments: readonly string[]): (string | null)[] {
  const names: (string | null)[] = [];
  let node = top;
  for (const segment of segments) {
    const fixed = node.fixed.get(segment);
    const next = fixed ?? node.any;
    if (!next) break;
    names.push(fixed ? null : node.name);
    node = next;
  }
  return names;
}

function ofMethod<T>(routes: ReadonlyMap<string, T>, method: string | null): T | null {
  if (method !== null) return routes.get(method) ?? null;
  return routes.values().next().value ?? null;
}

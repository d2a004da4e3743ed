// Finds the template of a catalog that a path is of: static segments before those with a parameter
// in them, those before a parameter alone, and it before one that takes the rest.
import { parameterOf, segmentsOf } from './path.ts';

export interface Template {
  method: string;
  template: string;
}

export interface Matcher<T extends Template> {
  /**
   * The best template of a method and a path, which may be a whole URL; null where none fits.
   *
   * @param method - in any case; null for whichever comes first
   */
  match(method: string | null, url: string): T | null;
  /** Of the segments at the start that templates know: the name of the parameter; null for a word. */
  known(segments: readonly string[]): (string | null)[];
}

interface Node<T> {
  fixed: Map<string, Node<T>>;
  /** Segments such as `{id}.json`, by their texts, the longest first. */
  mixed: Map<string, Mixed<T>>;
  any: Node<T> | null;
  /** What the first template calls that parameter. */
  name: string;
  /** What ends here, by method. */
  ends: Map<string, T>;
  /** What ends here and takes all further segments, by method. */
  rest: Map<string, T>;
}

interface Mixed<T> {
  parts: string[];
  length: number;
  node: Node<T>;
}

const MAX_MIXED = 200;
const MAX_VISITED = 1000;

export interface OpenMatcher<T extends Template> extends Matcher<T> {
  /** Of two templates that match the same, the first holds. */
  add(route: T): void;
}

export function compileMatcher<T extends Template>(known: Iterable<T>): Matcher<T> {
  const matcher = openMatcher<T>();
  for (const route of known) matcher.add(route);
  return matcher;
}

export function openMatcher<T extends Template>(): OpenMatcher<T> {
  const top = emptyNode<T>();
  return {
    add: (route) => add(top, route),
    match(method, url) {
      const wanted = method === null ? null : method.toUpperCase();
      return find(top, segmentsOf(url), wanted);
    },
    known: (segments) => knownStart(top, segments),
  };
}

function emptyNode<T>(): Node<T> {
  return {
    fixed: new Map(),
    mixed: new Map(),
    any: null,
    name: '',
    ends: new Map(),
    rest: new Map(),
  };
}

function add<T extends Template>(top: Node<T>, route: T): void {
  let node = top;
  let ends = 'ends' as 'ends' | 'rest';
  for (const segment of segmentsOf(route.template.replace(/\?[^/]*$/, ''))) {
    const name = parameterOf(segment);
    if (name === null) {
      node = segment.includes('{') ? mixedNode(node, segment) : fixedNode(node, segment);
      continue;
    }
    if (!node.any) {
      node.any = emptyNode();
      node.name = name.replace(/^(?:\*|\.\.\.)|[*+]$/g, '') || 'id';
    }
    node = node.any;
    if (/^(?:\*|\.\.\.)|[*+]$/.test(name)) {
      ends = 'rest';
      break;
    }
  }
  const method = route.method.toUpperCase();
  if (!node[ends].has(method)) node[ends].set(method, route);
}

function fixedNode<T>(node: Node<T>, segment: string): Node<T> {
  let next = node.fixed.get(segment);
  if (!next) {
    next = emptyNode();
    node.fixed.set(segment, next);
  }
  return next;
}

function mixedNode<T>(node: Node<T>, segment: string): Node<T> {
  const parts = segment.split(/\{[^{}]*\}/);
  if (parts.length === 1) return fixedNode(node, segment);
  const texts = parts.join('{}');
  const same = node.mixed.get(texts);
  if (same) return same.node;
  if (node.mixed.size >= MAX_MIXED) return fixedNode(node, segment);
  const next = emptyNode<T>();
  const made: Mixed<T> = { parts, length: parts.join('').length, node: next };
  const all = [...node.mixed].filter(([, one]) => one.length >= made.length);
  const rest = [...node.mixed].slice(all.length);
  node.mixed = new Map([...all, [texts, made], ...rest]);
  return next;
}

function fits(segment: string, parts: readonly string[]): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false;
  let at = first.length;
  const end = segment.length - last.length;
  for (const part of parts.slice(1, -1)) {
    // Each parameter takes a character at least.
    const found = segment.indexOf(part, at + 1);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at < end;
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
    const found = fixed ? visit(fixed, at + 1) : null;
    if (found) return found;
    for (const mixed of node.mixed.values()) {
      if (!fits(segment, mixed.parts)) continue;
      const route = visit(mixed.node, at + 1);
      if (route) return route;
    }
    if (!node.any) return null;
    return visit(node.any, at + 1) ?? ofMethod(node.any.rest, method);
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
  for (const route of routes.values()) return route;
  return null;
}

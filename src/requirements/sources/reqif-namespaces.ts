// Namespaces of the elements of an XML document (Namespaces in XML 1.0), as it is streamed. Most
// names of a document recur, so that each is resolved once for as long as no declaration changes.

import { REQIF_NAMESPACES, XHTML_NAMESPACE } from './reqif-names.ts';

/** A name with what its prefix stands for. */
export interface ResolvedName {
  local: string;
  uri: string;
  space: 'reqif' | 'xhtml' | 'other';
}

export interface Namespaces {
  /**
   * The name of an element that begins.
   *
   * @param attributes - as they are written, declarations among them; undefined where none of them
   *   has a prefix or declares one
   * @returns a text that says what is wrong with the name, or with that of an attribute
   */
  open(
    name: string,
    attributes: Readonly<Record<string, string>> | undefined,
  ): ResolvedName | string;
  /** The element that began last has ended. */
  close(): void;
}

/** A name that was resolved. */
interface Known {
  written: string;
  found: ResolvedName;
  /** The name that came after it last: in a document of records mostly the one that comes next. */
  next: Known | undefined;
}

interface Scope {
  bindings: ReadonlyMap<string, string>;
  resolved: Map<string, Known>;
  /** How many elements are open in it, the one that declares it included. */
  open: number;
}

/** Names beyond are resolved each time: a document of nothing but new ones shall cost no memory. */
const MOST_NAMES = 1000;

/** The namespaces of a document before its root. */
export function createNamespaces(): Namespaces {
  const bindings = new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]);
  let scope: Scope = { bindings, resolved: new Map(), open: 0 };
  const outer: Scope[] = [];
  let last: Known | undefined;

  return {
    open(name, attributes) {
      const declared = attributes && declarations(attributes);
      if (declared === undefined) {
        scope.open += 1;
      } else {
        outer.push(scope);
        last = undefined;
        scope = {
          bindings: new Map([...scope.bindings, ...declared]),
          ...{ resolved: new Map(), open: 1 },
        };
      }
      const fault = attributes && attributeFault(attributes, scope.bindings);
      if (fault !== undefined) return fault;
      const expected = last?.next;
      if (expected !== undefined && expected.written === name) {
        last = expected;
        return expected.found;
      }
      let known = scope.resolved.get(name);
      if (known === undefined) {
        const found = resolve(name, scope.bindings);
        if (typeof found === 'string' || scope.resolved.size >= MOST_NAMES) return found;
        known = { written: name, found, next: undefined };
        scope.resolved.set(name, known);
      }
      if (last !== undefined) last.next = known;
      last = known;
      return known.found;
    },
    close() {
      scope.open -= 1;
      if (scope.open > 0) return;
      scope = outer.pop() ?? scope;
      last = undefined;
    },
  };
}

/** The namespaces that an element declares, by their prefixes; undefined for none. */
function declarations(
  attributes: Readonly<Record<string, string>>,
): [string, string][] | undefined {
  const declared: [string, string][] = [];
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'xmlns') declared.push(['', value.trim()]);
    else if (name.startsWith('xmlns:')) declared.push([name.slice(6), value.trim()]);
  }
  return declared.length === 0 ? undefined : declared;
}

function attributeFault(
  attributes: Readonly<Record<string, string>>,
  bindings: ReadonlyMap<string, string>,
): string | undefined {
  for (const name in attributes) {
    if (!name.includes(':') || name.startsWith('xmlns:')) continue;
    const found = resolve(name, bindings);
    if (typeof found === 'string') return found;
  }
  return undefined;
}

function resolve(name: string, bindings: ReadonlyMap<string, string>): ResolvedName | string {
  const colon = name.indexOf(':');
  const prefix = colon === -1 ? '' : name.slice(0, colon);
  const local = name.slice(colon + 1);
  if (colon === 0 || local === '' || local.includes(':')) {
    return `malformed name: ${name.slice(0, 200)}`;
  }
  const uri = bindings.get(prefix) ?? '';
  if (uri === '' && prefix !== '') {
    return `unbound namespace prefix: ${JSON.stringify(prefix.slice(0, 200))}`;
  }
  const other = uri === XHTML_NAMESPACE ? 'xhtml' : 'other';
  return { local, uri, space: REQIF_NAMESPACES.has(uri) ? 'reqif' : other };
}

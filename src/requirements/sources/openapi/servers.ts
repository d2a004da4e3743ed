// The path before the paths of an API document: `basePath` in 2.0, the path of the first server in
// 3.x, its variables replaced by their defaults.
import { type Library, memberOf, memberOfKind, type Node, textIn } from './library.ts';

const MAX_ADDRESS = 10_000;
const MAX_PREFIX = 2000;

export function basePathOf(document: Node, library: Library): string {
  const base = memberOfKind(document, 'basePath', 'text');
  const prefix = pathOf(base?.part.text ?? '');
  if (prefix.length <= MAX_PREFIX) return prefix;
  if (base) library.report('limit_exceeded', base, '`basePath` is too long, and is not read.');
  return '';
}

export function serverPrefix(owner: Node, library: Library): string | null {
  const servers = memberOfKind(owner, 'servers', 'list');
  const first = servers?.part.parts[0];
  if (!servers || !first) return null;
  const known = library.prefixes.get(servers.part);
  if (known !== undefined) return known;
  first.kept = true;
  const prefix = prefixOf({ path: servers.path, part: first }, library);
  library.prefixes.set(servers.part, prefix);
  return prefix;
}

function prefixOf(given: Node, library: Library): string | null {
  const server = library.resolve(given);
  if (!server) return null;
  library.name(server, 'server');
  const url = memberOfKind(server, 'url', 'text');
  if (!url) {
    library.report('invalid_value', server, 'The first server has no `url` that is a text.');
    return null;
  }
  const address = addressOf(url, memberOfKind(server, 'variables', 'map'), library);
  const prefix = address === null ? null : pathOf(address);
  if (prefix !== null && prefix.length <= MAX_PREFIX) return prefix;
  library.report('limit_exceeded', url, 'The `url` of a server is too long, and is not read.');
  return null;
}

function addressOf(url: Node, variables: Node | undefined, library: Library): string | null {
  const { text } = url.part;
  let length = text.length;
  if (length > MAX_ADDRESS) return null;
  const address = text.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = variables && memberOf(variables, name);
    const value = variable && textIn(variable, 'default')?.part.text;
    if (value === undefined) {
      const detail = `The server variable ${name.slice(0, 100)} has no default.`;
      library.report('invalid_value', url, detail);
      return whole;
    }
    length += value.length;
    return length > MAX_ADDRESS ? '' : value;
  });
  return length > MAX_ADDRESS ? null : address;
}

function pathOf(address: string): string {
  const path = address
    .trim()
    .replace(/[?#].*$/s, '')
    // A scheme and a host, of which either may be a variable.
    .replace(/^[^/]{0,100}\/\/[^/]*/, '');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.map((part) => `/${part}`).join('');
}

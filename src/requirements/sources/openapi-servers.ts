// The path before the paths of an API document: `basePath` in 2.0, the path of the first server in
// 3.x, its variables replaced by their defaults.
import { type Reading, resolved } from './openapi-reading.ts';
import type { TreeEntry, TreeNode } from './openapi-tree.ts';

const MOST_SHOWN = 5;
/** A scheme and a host, of which either may be a variable. */
const HOST = /^[^/]{0,100}\/\/[^/]*/;
const LONGEST_ADDRESS = 10_000;
const LONGEST_PREFIX = 2000;

/** Prefixes by the lists and the servers that they are of, which may be those of many paths. */
const known = new WeakMap<TreeNode, string | null>();

/** The prefix that a 2.0 document gives its paths; empty or `/...` without a slash at the end. */
export function basePathOf(document: TreeNode, reading: Reading): string {
  const entry = document.entries().get('basePath');
  if (!entry || entry.node.kind === 'null') return '';
  if (entry.node.isString) {
    const prefix = prefixOf(entry.node.text);
    if (HOST.test(entry.node.text.trim()))
      reading.unkept.add({ ...entry, key: 'host' }, '`basePath`');
    if (prefix.length <= LONGEST_PREFIX) return prefix;
    const detail = `\`basePath\` is longer than ${LONGEST_PREFIX} characters, and is not read.`;
    loseField(entry, document.path, detail, reading);
    return '';
  }
  loseField(entry, document.path, '`basePath` is no text, and is not read.', reading);
  return '';
}

/**
 * The prefix by the `servers` of a document, a path or an operation, as {@link basePathOf};
 * null where it names no server. What is wrong with them, and other prefixes, is noted.
 *
 * @param named - the owner, as a finding names it
 */
export function serverPrefix(owner: TreeNode, named: string, reading: Reading): string | null {
  const servers = owner.entries().get('servers');
  if (!servers || servers.node.kind === 'null') return null;
  const { node } = servers;
  let prefix = known.get(node);
  if (prefix === undefined) {
    if (node.kind === 'list') prefix = prefixOfList(node, named, reading);
    else {
      const detail = `\`servers\` of ${named} is no list, and is not read.`;
      loseField(servers, owner.path, detail, reading);
      prefix = null;
    }
    known.set(node, prefix);
  }
  return prefix;
}

/** The prefix of the first server that has one. */
function prefixOfList(list: TreeNode, named: string, reading: Reading): string | null {
  let first: string | null = null;
  let line: number | undefined;
  const others = new Set<string>();
  for (const given of list.items()) {
    const server = resolved(given, () => `a server of ${named}`, reading);
    if (!server) continue;
    let prefix = known.get(server);
    if (prefix === undefined) {
      prefix = prefixOfServer(server, named, reading);
      known.set(server, prefix);
    }
    if (prefix === null) continue;
    first ??= prefix;
    if (prefix === first) continue;
    line ??= given.line;
    others.add(prefix);
  }
  if (first === null || line === undefined) return first;
  const listed = [...others].slice(0, MOST_SHOWN).map(shown).join(', ');
  const more = others.size > MOST_SHOWN ? ` and ${others.size - MOST_SHOWN} more` : '';
  const detail =
    `The routes of ${named} are read below ${shown(first)}, the path of its first server, ` +
    `and not below ${listed}${more}.`;
  reading.library.notes(list.path).note('other_servers', line, detail);
  return first;
}

function prefixOfServer(server: TreeNode, named: string, reading: Reading): string | null {
  const url = server.entries().get('url');
  if (!url?.node.isString) {
    const what = url ? 'whose `url` is no text' : 'without a `url`';
    const detail = `A server of ${named} ${server.kind === 'map' ? what : 'that is no map'} is not read.`;
    reading.library.notes(server.path).lose('invalid_field', url?.line ?? server.line, detail);
    return null;
  }
  reading.unkept.look('server', server);
  const variables = server.entries().get('variables')?.node;
  for (const { node } of variables?.entries().values() ?? []) reading.unkept.look('variable', node);
  const unknown: string[] = [];
  const tooLong = () => {
    const detail = `A server of ${named} whose \`url\` is too long is not read.`;
    loseField(url, url.node.path, detail, reading);
    return null;
  };
  if (url.node.text.length > LONGEST_ADDRESS) return tooLong();
  if (HOST.test(url.node.text.trim())) reading.unkept.add({ ...url, key: 'host' }, 'servers');
  let added = 0;
  const address = url.node.text.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = variables?.entries().get(name)?.node;
    const value =
      variable?.entries().get('default')?.node ?? variable?.entries().get('enum')?.node.items()[0];
    if (value?.kind === 'text') {
      added += value.text.length;
      return added > LONGEST_ADDRESS ? '' : value.text;
    }
    unknown.push(name);
    return whole;
  });
  if (unknown.length > 0) {
    const detail = `The server variable ${unknown[0]?.slice(0, 100)} has no default.`;
    reading.library
      .notes(url.node.path)
      .note('invalid_field', url.line, detail, { severity: 'warning' });
  }
  const prefix = prefixOf(address);
  return added > LONGEST_ADDRESS || prefix.length > LONGEST_PREFIX ? tooLong() : prefix;
}

function loseField({ line }: TreeEntry, file: string, detail: string, reading: Reading): void {
  reading.library.notes(file).lose('invalid_field', line, detail);
}

/** The path of an address, absolute or relative to where the document is served. */
function prefixOf(address: string): string {
  const path = address
    .trim()
    .replace(/[?#].*$/s, '')
    .replace(HOST, '');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.map((part) => `/${part}`).join('');
}

function shown(prefix: string): string {
  return prefix === '' ? '/' : prefix.slice(0, 200);
}

// The path before the paths of an API document: `basePath` in 2.0, the path of the first server in
// 3.x, its variables replaced by their defaults.
import type { Library } from './openapi-references.ts';
import type { TreeNode } from './openapi-tree.ts';

/** The prefix that a 2.0 document gives its paths; empty or `/...` without a slash at the end. */
export function basePathOf(document: TreeNode): string {
  return prefixOf(document.entries().get('basePath')?.node.text ?? '');
}

/**
 * The prefix by the `servers` of a document, a path or an operation, as {@link basePathOf};
 * null where it names no server.
 */
export function serverPrefix(owner: TreeNode, library: Library): string | null {
  const list = owner.entries().get('servers')?.node;
  const given = list?.items()[0];
  const server = given && library.resolve(given);
  const url = server?.entries().get('url');
  if (!server || !url || url.node.kind !== 'text') return null;
  const variables = server.entries().get('variables')?.node;
  const unknown: string[] = [];
  const address = url.node.text.slice(0, 10_000).replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = variables?.entries().get(name)?.node;
    const value =
      variable?.entries().get('default')?.node ?? variable?.entries().get('enum')?.node.items()[0];
    if (value?.kind === 'text') return value.text;
    unknown.push(name);
    return whole;
  });
  if (unknown.length > 0) {
    const detail = `The server variable ${unknown[0]?.slice(0, 100)} has no default.`;
    library.notes(url.node.path).note('invalid_field', url.line, detail, { severity: 'warning' });
  }
  return prefixOf(address);
}

/** The path of an address, absolute or relative to where the document is served. */
function prefixOf(address: string): string {
  const path = address
    .trim()
    .replace(/[?#].*$/s, '')
    .replace(/^[^/]{0,100}\/\/[^/]*/, '');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.map((part) => `/${part}`).join('');
}

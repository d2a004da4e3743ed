// Every state of the console has an address: `#/page/rest?query`, where filters live too.
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  page: string;
  /** What follows the page, decoded. */
  rest: string[];
  query: URLSearchParams;
}

/** What a page is given. */
export interface PageProps {
  route: Route;
}

export type Query = Record<string, string | number | null | undefined>;

export function readRoute(hash = location.hash): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page, ...rest] = path.split('/').filter(Boolean).map(decoded);
  return { page: page ?? 'overview', rest, query: new URLSearchParams(query) };
}

/** An address of the console; what is null, undefined or empty in the query is left out. */
export function href(page: string, rest: string | string[] = [], query: Query = {}): string {
  const path = [page, ...[rest].flat()].map(encodeURIComponent).join('/');
  return `#/${path}${queryText(Object.entries(query))}`;
}

/** The address of a route with some of its query changed. */
export function withQuery({ page, rest, query }: Route, changes: Query): string {
  const changed = new Map<string, Query[string]>([...query, ...Object.entries(changes)]);
  return href(page, rest, Object.fromEntries(changed));
}

/** @param replace - true where the back key should not come back to where this was called */
export function go(address: string, replace = false): void {
  if (!replace) location.hash = address;
  else {
    history.replaceState(null, '', address);
    dispatchEvent(new HashChangeEvent('hashchange'));
  }
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return readRoute(hash);
}

function queryText(entries: [string, Query[string]][]): string {
  const query = new URLSearchParams();
  for (const [name, value] of entries)
    if (value != null && value !== '') query.set(name, `${value}`);
  return query.size > 0 ? `?${query}` : '';
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

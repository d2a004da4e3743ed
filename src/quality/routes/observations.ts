// Where routes were seen, put together: a path that is seen again is counted.
import { HTTP_METHODS } from '../../requirements/sources/routes.ts';
import type { Observation, Origin } from './fold.ts';
import { type NamedRoute, pathOfUrl, readRoute } from './route-text.ts';

/** A route that was seen. */
export interface Sighting {
  method: string | null;
  /** A path without query. */
  path: string;
  /** Milliseconds since the epoch. */
  at: number;
  lastAt?: number;
  count?: number;
  storyIds?: readonly string[];
  untrusted?: boolean;
}

export interface Sightings {
  add(origin: Origin, sighting: Sighting): void;
  /** The same with what was put together elsewhere. */
  addAll(observations: readonly Observation[]): void;
  list(): Observation[];
}

const STORIES_MOST = 100;

interface Seen extends Observation {
  storyIds: string[];
  count: number;
  lastAt: number;
  untrusted: boolean;
}

/** Nothing seen yet. */
export function createSightings(): Sightings {
  const seen = new Map<string, Seen>();
  function put(origin: Origin, sighting: Sighting): void {
    const { method, path, at, lastAt = at, count = 1, storyIds = [], untrusted = false } = sighting;
    const key = `${origin} ${method ?? ''} ${path}`;
    const before = seen.get(key);
    if (!before) {
      const one = { method, url: path, origin, at, lastAt, count, untrusted };
      seen.set(key, { ...one, storyIds: [...storyIds] });
      return;
    }
    before.count += count;
    before.untrusted ||= untrusted;
    before.at = Math.min(before.at, at);
    before.lastAt = Math.max(before.lastAt, lastAt);
    for (const id of storyIds) {
      if (before.storyIds.length >= STORIES_MOST) break;
      if (!before.storyIds.includes(id)) before.storyIds.push(id);
    }
  }
  return {
    add: put,
    addAll(observations) {
      for (const { origin, url, ...one } of observations) put(origin, { ...one, path: url });
    },
    list: () => [...seen.values()],
  };
}

const METHODS: ReadonlySet<string> = new Set(HTTP_METHODS);

/** The route that a text is: a path, a URL, either with a method before it; null for anything else. */
export function seenRoute(text: string | null | undefined): NamedRoute | null {
  const route = text ? readRoute(text) : null;
  return route && (route.method === null || METHODS.has(route.method)) ? route : null;
}

const ASSET =
  /\.(?:m?js|css|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|otf|eot|mp[34]|webm|wasm)$/i;

/**
 * The route of a request that a page made: null for one to another site, and for a file that belongs
 * to the page.
 *
 * @param page - the URL of the page, as far as it is known
 */
export function requestedRoute(
  { method, url }: { method?: unknown; url?: unknown },
  page: string | null,
): NamedRoute | null {
  if (typeof url !== 'string' || !/^(?:https?:\/\/|\/)/i.test(url)) return null;
  if (page !== null && !isOwnSite(page, url)) return null;
  const path = pathOfUrl(url);
  if (ASSET.test(path)) return null;
  const verb = typeof method === 'string' ? method.toUpperCase() : null;
  return verb !== null && !METHODS.has(verb) ? null : { method: verb, path };
}

/** Whether two URLs are of one host, or of hosts of one domain: `shop.example`, `api.shop.example`. */
function isOwnSite(page: string, url: string): boolean {
  const [here, there] = [hostOf(page), hostOf(url)];
  if (here === null || there === null || here === there) return true;
  if (/^[\d.]+$|:/.test(here)) return false;
  const domain = (host: string) => host.split('.').slice(-2).join('.');
  return here.includes('.') && domain(here) === domain(there);
}

function hostOf(url: string): string | null {
  const found = /^(?:https?:)?\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)/i.exec(url)?.[1];
  return found === undefined ? null : found.toLowerCase();
}

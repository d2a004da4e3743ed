// What was seen of routes, put together: a path that is seen again is counted. And what of a text or a
// request is a route.
import { HTTP_METHODS } from '../../requirements/sources/routes.ts';
import type { Observation, Origin } from './fold.ts';
import { type NamedRoute, pathOfUrl, readRoute } from './route-text.ts';

export interface Observations {
  readonly size: number;
  add(
    origin: Origin,
    seen: NamedRoute & Pick<Observation, 'at' | 'lastAt' | 'count' | 'storyIds' | 'untrusted'>,
  ): void;
  list(): Observation[];
}

const MAX_STORIES = 100;

interface Sum extends Observation {
  storyIds: string[];
  count: number;
  lastAt: number;
  untrusted: boolean;
}

export function createObservations(): Observations {
  const sums = new Map<string, Sum>();
  return {
    get size() {
      return sums.size;
    },
    add(origin, { method, path, at, lastAt = at, count = 1, storyIds = [], untrusted = false }) {
      const key = `${origin} ${method ?? ''} ${path}`;
      const sum = sums.get(key);
      if (!sum) {
        const own = [...storyIds];
        sums.set(key, { method, url: path, origin, at, lastAt, count, untrusted, storyIds: own });
        return;
      }
      sum.count += count;
      sum.untrusted ||= untrusted;
      sum.at = Math.min(sum.at, at);
      sum.lastAt = Math.max(sum.lastAt, lastAt);
      for (const id of storyIds) {
        if (sum.storyIds.length < MAX_STORIES && !sum.storyIds.includes(id)) sum.storyIds.push(id);
      }
    },
    list: () => [...sums.values()],
  };
}

const METHODS: ReadonlySet<string> = new Set(HTTP_METHODS);

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

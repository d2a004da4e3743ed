// Cross-origin calls (the Fetch standard's CORS protocol): exact origins, no credentials.

import { isPage } from './problem.ts';
import { pathOf } from './request.ts';

const METHODS = 'GET, POST, PATCH, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Content-Disposition, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Request-Id';
const EXPOSED =
  'ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, X-Request-Id';

type Fetch = (request: Request) => Response | Promise<Response>;

export type Cors = ReturnType<typeof createCors>;

/** @param origins - exact, such as `https://app.example`; none turns CORS off */
export function createCors(origins: readonly string[]) {
  const allowed = new Set(origins);

  function originOf(request: Request): string | undefined {
    const origin = request.headers.get('origin');
    return origin !== null && allowed.has(origin) ? origin : undefined;
  }

  return {
    headersFor(request: Request): Record<string, string> | undefined {
      if (allowed.size === 0) return undefined;
      const origin = originOf(request);
      if (!origin) return { Vary: 'Origin' };
      return {
        Vary: 'Origin',
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': EXPOSED,
      };
    },
    /** The answer to a preflight from a configured origin, else undefined. */
    preflight(request: Request): Response | undefined {
      const origin = originOf(request);
      if (!origin || !request.headers.has('access-control-request-method')) return undefined;
      return new Response(null, {
        status: 204,
        headers: {
          Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
          'Access-Control-Allow-Origin': origin,
          'Access-Control-Allow-Methods': METHODS,
          'Access-Control-Allow-Headers': REQUEST_HEADERS,
          'Access-Control-Max-Age': '600',
        },
      });
    },
  };
}

/** What comes before routing: methods that no path takes, and the rules of cross-origin calls. */
export function entry(cors: Cors, inside: Fetch, refuse: (request: Request) => Response): Fetch {
  return (request) => {
    const { method } = request;
    const response =
      method === 'OPTIONS' || method === 'HEAD'
        ? (cors.preflight(request) ?? headOf(request, inside) ?? refuse(request))
        : inside(request);
    const headers = cors.headersFor(request);
    if (!headers) return response;
    return response instanceof Promise
      ? response.then((one) => withHeaders(one, headers))
      : withHeaders(response, headers);
  };
}

/** The answer to HEAD of a page; the API has none. */
function headOf(request: Request, inside: Fetch): Promise<Response> | undefined {
  if (request.method !== 'HEAD' || !isPage(pathOf(request))) return undefined;
  const { url, headers } = request;
  return Promise.resolve(inside(new Request(url, { headers }))).then(
    (response) => new Response(null, response),
  );
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}

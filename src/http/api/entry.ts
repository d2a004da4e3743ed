// What comes before routing: methods that no path takes, and the rules of cross-origin calls.
import type { Cors } from './cors.ts';

type Fetch = (request: Request) => Response | Promise<Response>;

/** Puts the entry before an application. */
export function entry(cors: Cors, inside: Fetch, refuse: (request: Request) => Response): Fetch {
  return (request) => {
    const { method } = request;
    const response =
      method === 'OPTIONS' || method === 'HEAD'
        ? (cors.preflight(request) ?? refuse(request))
        : inside(request);
    const headers = cors.headersFor(request);
    if (!headers) return response;
    return response instanceof Promise
      ? response.then((one) => withHeaders(one, headers))
      : withHeaders(response, headers);
  };
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}

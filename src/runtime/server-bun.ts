// Listening for HTTP on Bun.
import { type Listening, type ListenOptions, untilIdle, urlOf } from './listening.ts';

/** Starts to listen. @throws when the address or port cannot be used */
export async function listenOnBun({
  host,
  port,
  tls,
  idleSeconds,
  fetch,
}: ListenOptions): Promise<Listening> {
  // A request without a host, as of HTTP/1.0, or with one that is none, has a path for its address.
  const originals = new WeakMap<Request, Request>();
  function withHost(request: Request): Request {
    if (!request.url.startsWith('/')) return request;
    const whole = new Request(`http://localhost${request.url}`, request);
    originals.set(whole, request);
    return whole;
  }
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: idleSeconds,
    // Bodies over their limits are refused with a problem document; Bun's own refusal has none.
    maxRequestBodySize: 2 ** 40,
    ...(tls ? { tls } : {}),
    development: false,
    // Bun shares the port where development is off: a second server would take half the requests.
    reusePort: false,
    fetch: (request) => fetch(withHost(request)),
  });
  return {
    url: urlOf(host, server.port ?? port, tls !== undefined),
    port: server.port ?? port,
    peerOf: (request) => server.requestIP(originals.get(request) ?? request)?.address,
    async drain(mostMs) {
      void server.stop();
      await untilIdle(() => server.pendingRequests, mostMs);
    },
    stop: async () => {
      await server.stop(true);
    },
  };
}

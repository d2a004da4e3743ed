// Listening for HTTP on Deno, which leaves more to its caller: strange hosts and dot segments in
// addresses, bodies that come to a halt, answers that are still on their way at the end.
import { type Listening, type ListenOptions, untilIdle, urlOf } from './listening.ts';

interface DenoServer {
  addr: { port: number };
  finished: Promise<void>;
}

interface DenoServeInfo {
  remoteAddr: { hostname: string };
  /** Settles when the answer is sent, or cannot be. */
  completed: Promise<void>;
}

interface DenoRuntime {
  serve(
    options: Record<string, unknown>,
    handler: (request: Request, info: DenoServeInfo) => Response | Promise<Response>,
  ): DenoServer;
}

/** Starts to listen. @throws when the address or port cannot be used */
export async function listenOnDeno({
  host,
  port,
  tls,
  idleSeconds,
  fetch,
}: ListenOptions): Promise<Listening> {
  const { Deno: deno } = globalThis as unknown as { Deno: DenoRuntime };
  const peers = new WeakMap<Request, string>();
  const abort = new AbortController();
  let underWay = 0;
  function ended(): void {
    underWay -= 1;
  }
  const server = deno.serve(
    { hostname: host, port, ...tls, signal: abort.signal, onListen: () => {} },
    (original, { remoteAddr, completed }) => {
      underWay += 1;
      completed.then(ended, ended);
      const request = withIdleLimit(tidied(original), idleSeconds * 1000);
      peers.set(request, remoteAddr.hostname);
      return fetch(request);
    },
  );
  // Rejects when `stop` ends what `drain` did not wait for.
  server.finished.catch(() => {});
  return {
    url: urlOf(host, server.addr.port, tls !== undefined),
    port: server.addr.port,
    peerOf: (request) => peers.get(request),
    // Deno's own way to end cuts off the bodies that are still to come.
    drain: (mostMs) => untilIdle(() => underWay, mostMs),
    stop: async () => abort.abort(),
  };
}

const HOST = /^[\w.:[\]-]*$/;
const TIDY = /^https?:\/\/[\w.:[\]-]+(?:\/(?!\.\.?(?:[/?]|$))[^/?]*)*(?:\?|$)/;

/**
 * Deno puts the host that a client says before the path as it came: what is no host is left out,
 * and dot segments are resolved (RFC 3986, 5.2.4).
 */
function tidied(request: Request): Request {
  const { url } = request;
  const host = request.headers.get('host') ?? '';
  if (HOST.test(host) && TIDY.test(url) && URL.canParse(url)) return request;
  const start = url.indexOf('://') + 3;
  const named = url.startsWith(host, start) ? start + host.length : url.indexOf('/', start);
  return new Request(`http://localhost${url.slice(named)}`, request);
}

/** Deno waits for the next byte of a body for ever. */
function withIdleLimit(request: Request, mostMs: number): Request {
  const reader = request.body?.getReader();
  if (!reader) return request;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const timer = setTimeout(() => {
        controller.error(new DOMException('the body came to a halt', 'TimeoutError'));
        reader.cancel().catch(() => {});
      }, mostMs);
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } finally {
        clearTimeout(timer);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Request(request, { body, duplex: 'half' } as RequestInit);
}

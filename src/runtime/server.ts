// Listening for HTTP, on Bun and on Deno. Deno leaves more to its caller: strange hosts and dot
// segments in addresses, bodies that come to a halt, answers that are still on their way at the end.

export interface Listening {
  /** Where the server answers, without a path. */
  url: string;
  port: number;
  /** The address of a request's connection. */
  peerOf(request: Request): string | undefined;
  /** Takes no new connection and resolves when every answer is sent, after `mostMs` at the latest. */
  drain(mostMs: number): Promise<void>;
  /** Ends every connection. */
  stop(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** PEM texts. */
  tls: { cert: string; key: string } | undefined;
  /** Seconds without a byte after which a connection ends. */
  idleSeconds: number;
  fetch(request: Request): Response | Promise<Response>;
}

/** Starts to listen. @throws when the address or port cannot be used */
export function listen(options: ListenOptions): Promise<Listening> {
  return 'Deno' in globalThis ? listenOnDeno(options) : listenOnBun(options);
}

async function listenOnBun({
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

async function listenOnDeno({
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

/** Waits until nothing is under way any more. */
async function untilIdle(underWay: () => number, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs;
  while (underWay() > 0 && performance.now() < end) {
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

function urlOf(host: string, port: number, secure: boolean): string {
  const shown =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${secure ? 'https' : 'http'}://${shown}:${port}`;
}

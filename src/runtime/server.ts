// Listening for HTTP, on Bun and on Deno.

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

/**
 * Starts to listen.
 *
 * @throws when the address or port cannot be used
 */
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
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: idleSeconds,
    // Bodies over their limits are refused with a problem document; Bun's own refusal has none.
    maxRequestBodySize: 2 ** 40,
    ...(tls ? { tls } : {}),
    development: false,
    fetch,
  });
  return {
    url: urlOf(host, server.port ?? port, tls !== undefined),
    port: server.port ?? port,
    peerOf: (request) => server.requestIP(request)?.address,
    async drain(mostMs) {
      void server.stop();
      const end = performance.now() + mostMs;
      while (server.pendingRequests > 0 && performance.now() < end) await pause(20);
    },
    stop: async () => {
      await server.stop(true);
    },
  };
}

interface DenoServer {
  addr: { port: number };
  shutdown(): Promise<void>;
}

interface DenoRuntime {
  serve(
    options: Record<string, unknown>,
    handler: (
      request: Request,
      info: { remoteAddr: { hostname: string } },
    ) => Response | Promise<Response>,
  ): DenoServer;
}

async function listenOnDeno({ host, port, tls, fetch }: ListenOptions): Promise<Listening> {
  const { Deno: deno } = globalThis as unknown as { Deno: DenoRuntime };
  const peers = new WeakMap<Request, string>();
  const abort = new AbortController();
  const server = deno.serve(
    { hostname: host, port, ...tls, signal: abort.signal, onListen: () => {} },
    (request, { remoteAddr }) => {
      peers.set(request, remoteAddr.hostname);
      return fetch(request);
    },
  );
  return {
    url: urlOf(host, server.addr.port, tls !== undefined),
    port: server.addr.port,
    peerOf: (request) => peers.get(request),
    drain: (mostMs) => Promise.race([server.shutdown(), pause(mostMs)]),
    stop: async () => abort.abort(),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function urlOf(host: string, port: number, secure: boolean): string {
  const shown =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${secure ? 'https' : 'http'}://${shown}:${port}`;
}

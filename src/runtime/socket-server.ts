// Listening for HTTP on a socket of the file system, on Bun and on Deno. `node:http` could do it on
// both, and would take a tenth of the start to load.
import { untilIdle } from './listening.ts';

type Handler = (request: Request) => Response | Promise<Response>;

interface Runtimes {
  Bun?: {
    serve(options: Record<string, unknown>): {
      pendingRequests: number;
      stop(closeActive?: boolean): Promise<void>;
    };
  };
  Deno?: {
    serve(
      options: Record<string, unknown>,
      handler: (request: Request, info: { completed: Promise<void> }) => ReturnType<Handler>,
    ): { finished: Promise<void> };
  };
}

export interface SocketServer {
  /** Resolves when every answer is sent, after `mostMs` at the latest. */
  drain(mostMs: number): Promise<void>;
  /** Ends every connection. */
  stop(): Promise<void>;
}

/**
 * Serves requests on a socket, which is made for this user alone (mode 0600).
 *
 * @param path - where nothing lies yet
 * @throws when the socket cannot be made
 */
export function serveSocket(path: string, fetch: Handler): SocketServer {
  const { Bun: bun, Deno: deno } = globalThis as unknown as Runtimes;
  const mask = process.umask(0o177);
  try {
    if (deno) {
      const abort = new AbortController();
      let underWay = 0;
      const ended = () => {
        underWay -= 1;
      };
      const { finished } = deno.serve(
        { path, signal: abort.signal, onListen: () => {} },
        (request, { completed }) => {
          underWay += 1;
          completed.then(ended, ended);
          return fetch(request);
        },
      );
      return {
        drain: (mostMs) => untilIdle(() => underWay, mostMs),
        async stop() {
          abort.abort();
          await finished.catch(() => {});
        },
      };
    }
    if (!bun) throw new Error('neither Bun nor Deno');
    // What is asked for here may take as long as it does, and be as large as it is.
    const unbounded = { idleTimeout: 0, maxRequestBodySize: 2 ** 40 };
    const server = bun.serve({ unix: path, development: false, ...unbounded, fetch });
    return {
      drain: (mostMs) => untilIdle(() => server.pendingRequests, mostMs),
      stop: () => server.stop(true),
    };
  } finally {
    process.umask(mask);
  }
}

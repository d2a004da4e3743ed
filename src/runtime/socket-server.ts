// Listening for HTTP on a socket of the file system, on Bun and on Deno. `node:http` could do it on
// both, and would take a tenth of the start to load.
import { setTimeout } from 'node:timers/promises';
import { untilIdle } from './server.ts';

type Handler = (request: Request) => Response | Promise<Response>;

/** How long a drain waits for the request of who has connected, and has not sent it as yet. */
const SILENT_MS = 500;
/** The same where the runtime does not show whether anybody has. */
const UNKNOWN_MS = 100;

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
  /**
   * Takes no new connection, and resolves when everybody is answered who has connected before, after
   * `mostMs` at the latest. The handler says what those get whose requests are still to come.
   */
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
        async drain(mostMs) {
          // Deno's own way to end cuts off who has not sent a request as yet.
          await setTimeout(Math.min(UNKNOWN_MS, mostMs));
          await untilIdle(() => underWay, mostMs);
        },
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
      async drain(mostMs) {
        const end = performance.now() + mostMs;
        // Who has connected while the process was busy is let in first.
        await setTimeout(1);
        // Resolves as soon as nobody is connected any more.
        const alone = server.stop();
        await Promise.race([alone, setTimeout(Math.min(SILENT_MS, mostMs))]);
        await untilIdle(() => server.pendingRequests, end - performance.now());
      },
      stop: () => server.stop(true),
    };
  } finally {
    process.umask(mask);
  }
}

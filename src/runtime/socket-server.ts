// Listening for HTTP on a socket of the file system, on Bun and on Deno. `node:http` could do it on
// both, and would take a tenth of the start to load.

type Handler = (request: Request) => Response | Promise<Response>;

interface Runtimes {
  Bun?: {
    serve(options: Record<string, unknown>): { stop(closeActive: boolean): Promise<void> };
  };
  Deno?: {
    serve(options: Record<string, unknown>, handler: Handler): { finished: Promise<void> };
  };
}

/**
 * Serves requests on a socket, which is made for this user alone (mode 0600).
 *
 * @param path - where nothing lies yet
 * @returns a function that ends every connection
 * @throws when the socket cannot be made
 */
export function serveSocket(path: string, fetch: Handler): () => Promise<void> {
  const { Bun: bun, Deno: deno } = globalThis as unknown as Runtimes;
  const mask = process.umask(0o177);
  try {
    if (deno) {
      const abort = new AbortController();
      const { finished } = deno.serve({ path, signal: abort.signal, onListen: () => {} }, fetch);
      return async () => {
        abort.abort();
        await finished.catch(() => {});
      };
    }
    if (!bun) throw new Error('neither Bun nor Deno');
    // What is asked for here may take as long as it does, and be as large as it is.
    const unbounded = { idleTimeout: 0, maxRequestBodySize: 2 ** 40 };
    const server = bun.serve({ unix: path, development: false, ...unbounded, fetch });
    return async () => {
      await server.stop(true);
    };
  } finally {
    process.umask(mask);
  }
}
